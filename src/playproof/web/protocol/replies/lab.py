"""Replies about the lab itself: its games, and who may enter."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import Message, Options, Reply


class Readiness(Reply):
    """Whether everything is compiled; while somebody waits, for what and for how many seconds."""

    ready: bool
    text: str
    left: int


class Variant(Reply):
    """A variant of a game, with its options."""

    id: str
    label: str
    about: str
    options: Options


class Opponent(Reply):
    """An agent offered as an opponent."""

    level: str
    spec: str
    about: str


class Analyst(Reply):
    """An agent offered for analysis."""

    label: str
    spec: str


class OptionForm(Reply):
    """An option of a third-party game, as needed for a form."""

    name: str
    about: str
    type: str
    default: str | bool | int | float | None
    choices: list[Any]
    minimum: int | float | None
    maximum: int | float | None


class RulesPart(Reply, rename={"items": "list"}):
    """A section of a game's rules: paragraphs, then a list."""

    head: str
    text: list[str] | UnsetType = UNSET
    items: list[str] | UnsetType = UNSET


class Rules(Reply):
    """The rules of a third-party game, in words."""

    title: str
    lead: str
    parts: list[RulesPart]


class CatalogGame(Reply):
    """A game that can be played here."""

    name: str
    title: str
    summary: str
    players: list[str]
    colours: list[str]
    variants: list[Variant]
    opponents: list[Opponent]
    analysts: list[Analyst]
    formats: list[str]
    options: list[OptionForm]
    rules: Rules | None


class BrokenGame(Reply):
    """A game that cannot be played, with the reason."""

    name: str
    error: str


class Catalog(Reply):
    """The games with variants, opponents and analysts."""

    version: str
    games: list[CatalogGame]
    broken: list[BrokenGame]


class Joining(Reply):
    """Whether a code or a key is needed, and who you are. The owner also gets the code and its
    link, a guest the page that the invitation leads to."""

    needs_code: bool
    needs_key: bool
    entered: bool
    owner: bool
    url: str
    code: str | UnsetType = UNSET
    link: str | UnsetType = UNSET
    go: str | UnsetType = UNSET


class Entered(Message, tag_field="type", tag="entered"):
    """You have entered."""

    owner: bool


class Invited(Message, tag_field="type", tag="invited"):
    """The invitation is set."""


Theme = Literal["light", "dark"]
