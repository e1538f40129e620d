"""The base classes of replies, and types that several replies share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

# A board as the page draws it; docs/records.md describes its fields.
View = Annotated[dict[str, Any], Meta(description="A View, version 1: see docs/records.md.")]
Options = Annotated[
    dict[str, str | bool | int | float | None], Meta(description="The options of a game's spec.")
]
Result = Literal["*", "1-0", "0-1", "1/2-1/2"]
Number = int | float


class Reply(Struct, forbid_unknown_fields=True):
    """An object in a reply; a field that may be absent is then UNSET."""


class Message(Reply, kw_only=True):
    """A reply with its ``type``; it repeats the ``rid`` of its request."""

    rid: str | UnsetType = UNSET


class News(Message, kw_only=True):
    """A change of a topic. With ``fresh`` it is complete, and what came before is obsolete."""

    topic: str | UnsetType = UNSET
    fresh: Literal[True] | UnsetType = UNSET


class Deleted(Message, tag_field="type", tag="deleted"):
    """It was deleted."""
