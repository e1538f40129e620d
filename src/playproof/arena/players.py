"""The players of a match or a tournament, from specs, agents or classes of agents."""

from __future__ import annotations

import os
import secrets
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from playproof.agents import registry as agents
from playproof.agents.base import Agent
from playproof.agents.identity import identify
from playproof.arena.player_process import Player
from playproof.core import registry
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.game import Game
from playproof.core.spec import parse

Contender = str | Agent | type[Agent]  # a spec string, an agent, or the class of one


def resolve_players(contenders: Sequence[Contender], game: Game) -> tuple[Player, ...]:
    """The players, each with a name and a key of its own.  Their seeds are not set yet."""
    if isinstance(contenders, str) or len(contenders) < 2:
        count = 1 if isinstance(contenders, str) else len(contenders)
        raise UsageError(f"{count} players cannot meet: name two or more")
    players = [_player(one, game) for one in contenders]
    if not is_reachable(game):
        players = [replace(player, local=True) for player in players]
    labels = _numbered([player.label for player in players])
    # A player is its content: a copy at another path has the same key, and so the same seed.
    keys = _numbered([player.key for player in players])
    return tuple(
        replace(player, label=label, key=key)
        for player, label, key in zip(players, labels, keys, strict=True)
    )


def is_reachable(game: Game) -> bool:
    """Whether another process can make the game from its spec string."""
    try:
        return type(registry.make(game.spec)) is type(game) and _is_importable(type(game))
    except PlayproofError:  # not registered
        return False


def _player(one: Contender, game: Game) -> Player:
    if isinstance(one, Agent):
        if one.game.spec != game.spec:
            raise UsageError(f"{one.spec} was made for {one.game.spec}, not for {game.spec}")
        _refuse_people(one.spec, type(one))
        # An object's content is unknown, so its games never count for another object.
        return Player(one.spec, one.spec, 0, f"{one.spec} object=#{secrets.token_hex(8)}",
                      local=True, agent=one, control=one.time_control(one.options))  # fmt: skip
    if isinstance(one, type) and issubclass(one, Agent):
        _refuse_people(one.name, one)
        options = one.settled({})
        who, control = identify(one, options, game), one.time_control(options)
        return Player(one.name, one.name, 0, who.text, who.digests, True, one, control)
    if not isinstance(one, str):
        raise UsageError(
            f"a player is a spec such as 'mcts:simulations=800' or an Agent, not "
            f"a value of type {type(one).__name__}"
        )
    name, settings = parse(one)
    cls = agents.find(name)
    options = cls.settled(settings)
    spec, who = cls.written(options), identify(cls, options, game)
    _refuse_people(spec, cls)
    return Player(
        spec, spec, 0, who.text, who.digests,
        local=not _is_importable(cls), control=cls.time_control(options),
    )  # fmt: skip


def _refuse_people(spec: str, agent: type[Agent]) -> None:
    if agent.interactive:
        raise UsageError(f"{spec} plays in 'playproof play', not in matches: name an agent")


def _is_importable(cls: type) -> bool:
    """Whether a new process can import a class; one from a notebook or a prompt has no file."""
    if cls.__module__ != "__main__":
        return True
    main = sys.modules["__main__"]
    named = getattr(main, "__spec__", None) is not None
    return named or os.path.isfile(getattr(main, "__file__", None) or "")


def _numbered(names: Sequence[str]) -> list[str]:
    """The names, with a number added where one occurs several times."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in names:
        counts[name] += 1
        numbered.append(f"{name} ({counts[name]})" if counts[name] > 1 else name)
    return numbered
