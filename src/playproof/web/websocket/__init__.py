"""The lab over WebSockets: connections, message handlers, and subscriptions to topics."""

__all__ = ["connection", "handlers", "subscriptions"]
