"""Queries for recorded games: what people type, matched with what the games database holds.

The database has players and openings in their canonical form.  People type what they typed for the
match: ``alphabeta:quiescence,depth=3``, an engine without its version, ``e4 c5``.
"""

from __future__ import annotations

from collections.abc import Iterable

from playproof.agents.registry import find
from playproof.arena.openings import Opening
from playproof.core import spec
from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.formats.any_text import read_state

_WILDCARDS = "*?["
_VERSION = (
    "version"  # an engine's setting, for which the engine is asked if a spec does not have it
)


def matching_players(query: str, names: Iterable[str]) -> list[str] | None:
    """Those of ``names`` that a query means; None for a pattern, which is left to SQLite."""
    if any(sign in query for sign in _WILDCARDS):
        return None
    canonical = _canonical(query)
    return [name for name in names if name == query or (canonical and _matches(name, canonical))]


def _canonical(text: str) -> tuple[str, dict[str, str]] | None:
    """The name and settings of a spec in canonical form; None if the text is no agent's spec."""
    try:
        name, settings = spec.parse(text)
        agent = find(name)
        any_version = _VERSION in {o.name for o in agent.option_fields} and not settings.get(
            _VERSION
        )
        if any_version:  # a placeholder, so that no engine is started to search for games
            settings[_VERSION] = "any"
        name, settings = spec.parse(agent.written(agent.settled(settings)))
        if any_version:
            del settings[_VERSION]
        return name, settings
    except PlayproofError:  # a player that was an object or a class has only a name
        return None


def _matches(recorded: str, canonical: tuple[str, dict[str, str]]) -> bool:
    try:
        name, settings = spec.parse(recorded)
    except PlayproofError:
        return False
    if _VERSION not in canonical[1]:
        settings.pop(_VERSION, None)
    return (name, settings) == canonical


def openings_by_game(text: str, games: Iterable[str]) -> list[tuple[str, str]]:
    """(game, opening in canonical form) for every game in which ``text`` is a list of moves."""
    openings = []
    for name in games:
        try:
            game = make(name)
            state = read_state(game, text)
        except PlayproofError:  # moves of another game, or a game that is not registered here
            continue
        if state.start == game.start() and state.moves:
            openings.append((name, Opening(None, tuple(state.moves)).text(game)))
    return openings
