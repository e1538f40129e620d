"""What all replies are made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

# A board as the page draws it; docs/records.md describes it, and formats draw it as well.
View = Annotated[dict[str, Any], Meta(description="A View, version 1: see docs/records.md.")]
Options = Annotated[
    dict[str, str | bool | int | float | None], Meta(description="The options of a game's spec.")
]
Result = Literal["*", "1-0", "0-1", "1/2-1/2"]
Number = int | float


class Reply(Struct, forbid_unknown_fields=True):
    """An object of an answer; a field that may be absent is UNSET then."""


class Message(Reply, kw_only=True):
    """An answer that tells its ``type``, and repeats the ``rid`` of its request."""

    rid: str | UnsetType = UNSET


class News(Message, kw_only=True):
    """What is new about a topic; ``fresh`` where it is all there is, so that what was heard
    before is forgotten."""

    topic: str | UnsetType = UNSET
    fresh: Literal[True] | UnsetType = UNSET


class Deleted(Message, tag_field="type", tag="deleted"):
    """It is gone."""
