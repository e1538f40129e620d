"""The messages between the lab and its clients, stated once as structs.

``requests`` are the messages over the WebSocket and their HTTP twins, ``bodies`` what is posted to
the pages' own routes, ``replies`` the answers to both. ``codec`` checks what a client sends and
writes JSON; ``explain`` says in one line what is wrong with a field. ``/api/openapi.json`` and the
tables of docs/lab*.md are made from the structs too.

Nothing here knows the lab, so any module of ``web`` may import it. ``refusal`` does not need
msgspec, so the command line can import it where msgspec is not installed.
"""

__all__ = ["bodies", "codec", "explain", "refusal", "replies", "requests"]
