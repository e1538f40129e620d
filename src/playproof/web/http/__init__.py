"""The lab over HTTP: routes, access control, and their description for programs."""

__all__ = [
    "access",
    "connection_limits",
    "headers",
    "openapi",
    "operations",
    "owner_key",
    "redaction",
    "routes",
]
