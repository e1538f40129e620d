"""The lab in a browser: a local server, and the page it serves."""

__all__ = ["http", "pages", "protocol", "server", "serving"]
