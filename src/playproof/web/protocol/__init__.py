"""What the lab and its clients say to each other, stated once.

Every message is a struct: ``requests`` over the WebSocket and their HTTP twins, ``bodies``
that are posted to the pages' own routes, ``replies`` of all of them.  What a client sends
is checked against these (``codec``), a wrong field is explained from its type
(``explain``), answers are written from them, and so are ``/api/openapi.json`` and the
tables of docs/lab-api.md (``schema``).

Nothing here knows the lab.  ``refusal`` is free of msgspec: what the command line shares
with the lab may import it where msgspec is not installed.
"""

__all__ = ["bodies", "codec", "explain", "refusal", "replies", "requests"]
