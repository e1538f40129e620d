"""``playproof games``: the games, their options, and the agents that play them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playproof.agents import registry as agents
from playproof.cli.output import JsonOption, emit, note, table
from playproof.core import registry
from playproof.core.errors import PlayproofError


def _load_all(load: Callable[[str], Any], names: list[str]) -> list[Any]:
    """The games or agents that can be loaded; the errors of the others go to stderr."""
    loaded = []
    for name in names:
        try:
            loaded.append(load(name))
        except PlayproofError as error:
            note(str(error))
    return loaded


def games(as_json: JsonOption = False) -> None:
    """List the games, their options and the agents that play them."""
    all_games = _load_all(registry.make, registry.names())
    players = _load_all(agents.find, agents.names())
    if as_json:
        emit(
            {
                "games": [
                    {
                        "name": game.name,
                        "title": game.title,
                        "summary": game.summary,
                        "players": list(game.players),
                        "actions": game.num_actions,
                        "symmetries": game.symmetries,
                        "observations": {k: list(v) for k, v in game.observations.items()},
                        "options": [
                            {
                                "name": o.name,
                                "default": o.default,
                                "values": o.expected,
                                "help": o.help,
                            }
                            for o in game.option_fields
                        ],
                    }
                    for game in all_games
                ],
                "agents": [
                    {
                        "name": agent.name,
                        "summary": agent.summary,
                        "options": [o.name for o in agent.option_fields],
                    }
                    for agent in players
                ],
            }
        )
        return
    rows = []
    for game in all_games:
        options = "\n".join(
            f"{o.name}={str(o.default).lower()}  {o.help} ({o.expected})"
            for o in game.option_fields
        )
        rows.append([game.name, game.summary, options])
    table("Games", ["name", "what it is", "options"], rows)
    table("Agents", ["name", "what it does"], [[a.name, a.summary] for a in players])
    print("Play one:  playproof play othello:size=6 --first human --second greedy")
