"""The registry of agents: the built-in ones, those that a program registers, and those of other
packages, through entry points in the group ``playproof.agents``."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from playproof.agents.base import Agent
from playproof.agents.identity import Identity, identify
from playproof.core import spec
from playproof.core.errors import PlayproofError, UsageError, one_line
from playproof.core.game import Game
from playproof.core.plugins import load_files
from playproof.core.registry import resolve_game

GROUP = "playproof.agents"

_BUILTIN = {
    "alphabeta": "playproof.agents.alphabeta:AlphaBetaAgent",
    "greedy": "playproof.agents.greedy:Greedy",
    "gtp": "playproof.agents.engines.gtp.agent:GtpAgent",
    "human": "playproof.agents.human:Human",
    "mcts": "playproof.agents.mcts:MonteCarlo",
    "minimax": "playproof.agents.alphabeta:Minimax",
    "net": "playproof.agents.net:NetAgent",
    "perfect": "playproof.agents.perfect:Perfect",
    "pgts": "playproof.agents.pgts:PolicyGuided",
    "random": "playproof.agents.random:Uniform",
    "uci": "playproof.agents.engines.uci.agent:UciAgent",
}
_registered: dict[str, type[Agent]] = {}


def register_agent(agent: type[Agent]) -> type[Agent]:
    """Register an agent for this process; usable as a class decorator.

    >>> import playproof
    >>> @playproof.register_agent
    ... class Last(playproof.Agent):
    ...     name, summary = "last", "the last legal move"
    ...
    ...     def choose(self, batch):
    ...         return [playproof.Decision(state.legal_actions()[-1]) for state in batch]
    >>> playproof.make_agent("last", "othello").summary
    'the last legal move'
    """
    if agent.name in names() and _registered.get(agent.name) is not agent:
        raise UsageError(f"an agent called '{agent.name}' is already there: choose another name")
    _registered[agent.name] = agent
    return agent


def registered() -> list[type[Agent]]:
    """The agents that were registered in this process."""
    return list(_registered.values())


def names() -> list[str]:
    """The names of all agents, sorted."""
    load_files()
    third_party = (point.name for point in entry_points(group=GROUP))
    return sorted({*_BUILTIN, *_registered, *third_party})


def find(name: str) -> type[Agent]:
    """The class of the agent called ``name``."""
    if name in _BUILTIN:
        module, _, attribute = _BUILTIN[name].partition(":")
        return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
    load_files()
    if name in _registered:
        return _registered[name]
    for point in entry_points(group=GROUP, name=name):
        try:
            cls = point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a broken plug-in must not take the lab down
            reason = one_line(error)
            raise PlayproofError(f"the agent '{name}' cannot be loaded: {reason}") from error
        if isinstance(cls, type) and issubclass(cls, Agent):
            return cls
        raise PlayproofError(f"the agent '{name}' of {point.value} is not a playproof Agent")
    raise spec.unknown_name("agent", name, names())


def settled_spec(text: str) -> str:
    """The canonical form of a spec: checked, and without options at their default."""
    name, settings = spec.parse(text)
    agent = find(name)
    return agent.written(agent.settled(settings))


def identity(text: str, game: Game) -> Identity:
    """The identity of the agent that a spec string names; the same content at another path has the
    same identity."""
    name, settings = spec.parse(text)
    agent = find(name)
    return identify(agent, agent.settled(settings), game)


def make_agent(
    text: str, game: Game | str, *, seed: int = 0, evaluator: object | None = None
) -> Agent:
    """The agent for ``game`` that a spec string such as ``greedy`` names.

    ``mcts`` and ``pgts`` accept an ``evaluator`` of your own for the positions of their searches: a
    function of (batch, legal) that returns priors and values, as in ``search.evaluators``; a
    PyTorch module; or a ``network_evaluator``.

    >>> import playproof
    >>> agent = playproof.make_agent("minimax:depth=2", "othello:size=4")
    >>> agent.spec
    'minimax:depth=2'
    """
    name, settings = spec.parse(text)
    cls = find(name)
    options = cls.settled(settings)
    if evaluator is not None:
        if not cls.takes_evaluator:
            raise UsageError(f"{name} takes no evaluator: want mcts or pgts")
        options["evaluator"] = evaluator
    return cls(resolve_game(game), seed=seed, **options)
