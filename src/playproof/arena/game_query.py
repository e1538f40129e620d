"""What people write when they look for kept games, as conditions on the file of games.

A file names players and openings in one way of writing them; people write what they typed in
the match: ``alphabeta:quiescence,depth=3``, an engine without its version, ``e4 c5``.
"""

from __future__ import annotations

from collections.abc import Iterable

from playproof.agents.registry import find
from playproof.arena.openings import Opening
from playproof.core import spec
from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.formats.any_text import read_state

_WILD = "*?["
_ASKED = "version"  # a setting that an engine is asked for where it is not given


def matching_players(wanted: str, names: Iterable[str]) -> list[str] | None:
    """Those of ``names`` that ``wanted`` means; None if it is a pattern, which SQLite reads."""
    if any(sign in wanted for sign in _WILD):
        return None
    written = _settings(wanted)
    return [name for name in names if name == wanted or (written and _is(name, written))]


def _settings(text: str) -> tuple[str, dict[str, str]] | None:
    """Name and settings in the one way of writing them; None for what is no agent's spec."""
    try:
        name, given = spec.parse(text)
        agent = find(name)
        asked = _ASKED in {o.name for o in agent.option_fields} and not given.get(_ASKED)
        if asked:  # any version is meant, and no engine is started to look for games
            given[_ASKED] = "any"
        name, settings = spec.parse(agent.written(agent.settled(given)))
        if asked:
            del settings[_ASKED]
        return name, settings
    except PlayproofError:  # a player that was an object or a class has a name alone
        return None


def _is(kept: str, wanted: tuple[str, dict[str, str]]) -> bool:
    try:
        name, settings = spec.parse(kept)
    except PlayproofError:
        return False
    if _ASKED not in wanted[1]:
        settings.pop(_ASKED, None)
    return (name, settings) == wanted


def openings_by_game(text: str, games: Iterable[str]) -> list[tuple[str, str]]:
    """(game, opening as the file writes it) for every game in which ``text`` is moves."""
    found = []
    for name in games:
        try:
            game = make(name)
            state = read_state(game, text)
        except PlayproofError:  # of another game, or of one that is not registered here
            continue
        if state.start == game.start() and state.moves:
            found.append((name, Opening(None, tuple(state.moves)).text(game)))
    return found
