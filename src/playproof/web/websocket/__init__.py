"""The lab over WebSockets: connections, what each message does, and subscriptions to topics."""

__all__ = ["connection", "handlers", "subscriptions"]
