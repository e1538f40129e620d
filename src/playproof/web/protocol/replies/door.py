"""Answers about the lab itself: its games, and who may come in."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import Message, Options, Reply


class Ready(Reply):
    """Whether all is compiled; while somebody waits, for what and about how many seconds."""

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
    """An agent that is offered to play against."""

    level: str
    spec: str
    about: str


class Analyst(Reply):
    """An agent that is offered to analyse with."""

    label: str
    spec: str


class OptionForm(Reply):
    """An option of a game of another package, as a form asks for it."""

    name: str
    about: str
    type: str
    default: str | bool | int | float | None
    choices: list[Any]
    minimum: int | float | None
    maximum: int | float | None


class RulesPart(Reply, rename={"items": "list"}):
    """A part of a game's rules: paragraphs, and a list after them."""

    head: str
    text: list[str] | UnsetType = UNSET
    items: list[str] | UnsetType = UNSET


class Rules(Reply):
    """The rules of a game of another package, in words."""

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
    """A game that cannot be played, and why."""

    name: str
    error: str


class Catalog(Reply):
    """The games with variants, opponents and analysts."""

    version: str
    games: list[CatalogGame]
    broken: list[BrokenGame]


class Joining(Reply):
    """Whether a code or a key is needed and who one is; for the owner the code and its link,
    for a guest where the invitation leads."""

    needs_code: bool
    needs_key: bool
    entered: bool
    owner: bool
    url: str
    code: str | UnsetType = UNSET
    link: str | UnsetType = UNSET
    go: str | UnsetType = UNSET


class Entered(Message, tag_field="type", tag="entered"):
    """You are in."""

    owner: bool


class Invited(Message, tag_field="type", tag="invited"):
    """Guests land there from now on."""


Theme = Literal["light", "dark"]
