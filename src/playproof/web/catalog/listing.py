"""The lab's catalog: every game of the registry with variants, opponents by level and analysts,
and the check of which agents a client may ask for.

For Playproof's own games the choice is made by hand (``house_games.py``); for others it follows
from the game (``third_party.py``).

A client never names a command, a file or a folder. Of an agent's options only those in _CAPS are
accepted, up to the limits given there.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof import __version__
from playproof.agents import registry as agents
from playproof.agents.analysis import value_text as values
from playproof.core import registry, spec
from playproof.core.errors import PlayproofError, one_of
from playproof.core.game import Game
from playproof.web.catalog import third_party as other_games
from playproof.web.catalog.house_games import (
    ANALYSTS,
    GAMES,
    HINTERS,
    OPPONENTS,
    PERFECT,
    VARIANTS,
    Variant,
)
from playproof.web.catalog.third_party import GameChoices
from playproof.web.protocol.refusal import Refusal

if TYPE_CHECKING:
    from playproof.nets.game_families import Coverage

LONGEST_THOUGHT = 30.0  # seconds
LONGEST_OF_GUESTS = 10.0  # for an analysis
LONGEST_MOVE_OF_GUESTS = 5.0  # in a game that a guest started

_CAPS: dict[str, dict[str, float]] = {
    "random": {},
    "greedy": {},
    "minimax": {"depth": 6},
    "alphabeta": {
        "depth": 60,
        "time": LONGEST_THOUGHT,
        "nodes": 1e9,
        "table": 256,
        "quiescence": 1,
        "endgame": 16,
    },
    "mcts": {
        "simulations": 200_000,
        "time": LONGEST_THOUGHT,
        "exploration": 100,
        "temperature": 10,
        "net": 0,
    },
    "pgts": {"widths": 0, "net": 0},
    "net": {"net": 0, "greedy": 1, "temperature": 10},
    "perfect": {"solved": 0, "time": LONGEST_THOUGHT},
}
_MOST_LINES = 20_000  # lines that pgts may follow


# With a lead of this many points in alpha-beta's evaluation the share of the point is 73 %. Chess
# has the usual 1 / (1 + 10^(-pawns / 4)). The other values are about a typical swing between
# equal players.
_SCALES = {
    "othello": 8.0,
    "choko": 2.0,
    "quantum-go": 12.0,
    "chess": 4.0 / math.log(10),
    "go": 12.0,
}


def catalog() -> dict[str, Any]:
    """All that the form for a new game needs to know: the message Catalog."""
    return _catalog(tuple(all_names()))


@functools.lru_cache(maxsize=4)
def _catalog(names: tuple[str, ...]) -> dict[str, Any]:
    games, broken = [], []
    for name in names:
        try:
            games.append(_entry(name))
        except PlayproofError as error:
            broken.append({"name": name, "error": str(error)})
    return {"version": __version__, "games": games, "broken": broken}


def _entry(name: str) -> dict[str, Any]:
    choices = choices_of(name)
    game = registry.find(name)
    opponents = choices.opponents
    if name == "choko" and has_tables():
        opponents = (*opponents, PERFECT)
    is_third_party = name not in GAMES
    return {
        "name": name,
        "title": game.title,
        "summary": game.summary,
        "players": list(game.players),
        "colours": list(game.colours),
        "variants": [vars(variant) for variant in choices.variants],
        "opponents": [vars(opponent) for opponent in opponents if _is_usable(opponent.spec, name)],
        "analysts": [
            vars(analyst) for analyst in choices.analysts if _is_usable(analyst.spec, name)
        ],
        "formats": formats(name),
        "options": other_games.option_fields(game) if is_third_party else [],
        "rules": other_games.rules(game) if is_third_party else None,
    }


@functools.cache
def _installed() -> frozenset[str]:
    """The names of installed games, looked up once: that takes 10 ms."""
    return frozenset(registry.names()) - {game.name for game in registry.registered()}


def all_names() -> list[str]:
    """Playproof's own games first, then all others that are registered or installed."""
    others = _installed() | {game.name for game in registry.registered()}
    return [*GAMES, *sorted(others - set(GAMES))]


def is_offered(name: str) -> bool:
    """Whether a game can be played here."""
    if name in GAMES:
        return True
    try:
        return name in all_names() and bool(choices_of(name))
    except PlayproofError:
        return False


def choices_of(name: str) -> GameChoices:
    """What can be chosen for a game; a PlayproofError if the game is broken."""
    if name in GAMES:
        return GameChoices(VARIANTS[name], OPPONENTS[name], ANALYSTS[name], HINTERS[name])
    return other_games.game_choices(registry.find(name))


def _is_usable(text: str, game: str) -> bool:
    """Whether an agent's network, if it has one, works with what is installed, in at least one
    variant of a game."""
    name, settings = spec.parse(text)
    net = str(agents.find(name).settled(settings).get("net") or "")
    if not net:
        return True
    variants = (registry.make(game, **variant.options) for variant in choices_of(game).variants)
    try:
        return not _lacks_torch(net) and not all(map(_coverage(net).refusal, variants))
    except PlayproofError:  # a damaged file must not hide the other opponents
        return False


@functools.cache
def _coverage(net: str) -> Coverage:
    """Which games a shipped network plays; its weights are not kept in memory."""
    from playproof.nets import shipped

    return shipped.find(net).coverage


@functools.cache
def _lacks_torch(net: str) -> bool:
    """Residual networks need PyTorch, which is an extra; the small ones do not."""
    from playproof.nets import shipped
    from playproof.nets.resnet import ResNetArchitecture

    if importlib.util.find_spec("torch") is not None:
        return False
    return isinstance(shipped.find(net).architecture, ResNetArchitecture)


def formats(name: str) -> list[str]:
    """The record formats that a game can be written in."""
    more = {"go": ["sgf"], "quantum-go": ["sgf"], "chess": ["pgn"]}.get(name, [])
    return ["jsonl", "txt", *more]


def has_tables() -> bool:
    """Whether Choko's tables are in the folder where they are built."""
    from playproof.tables.choko.store import default_folder

    return any(default_folder(False).glob("*"))


# Games


def make_game(name: str, variant: str | dict[str, Any] | None) -> Game:
    """A game of the lab with the options of a variant."""
    if name not in all_names():
        raise Refusal("bad", f"there is no game {name!r} here: want {one_of(all_names())}")
    variants = _variants(name)
    options: dict[str, Any]
    if isinstance(variant, dict):
        options = variant
    else:
        by_id = {v.id: v.options for v in variants}
        id = variant or "standard"
        if id not in by_id:
            raise Refusal("bad", f"{name} has no variant {id!r}: it has {one_of(list(by_id))}")
        options = by_id[id]
    try:
        return registry.make(name, **options)
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None


def _variants(name: str) -> tuple[Variant, ...]:
    try:
        return choices_of(name).variants
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None


def variant_label(game: Game) -> str:
    """The label of a game's variant; empty for custom options."""
    id = variant_of(game)
    labels = {v.id: v.label for v in choices_of(game.name).variants}
    return labels.get(id, "")


def variant_of(game: Game) -> str:
    """The id of a game's variant, or ``custom``."""
    for variant in choices_of(game.name).variants if is_offered(game.name) else ():
        if registry.make(game.name, **variant.options) == game:
            return variant.id
    return "custom"


# Agents


def check_agent(text: str, game: Game, *, seconds: float = LONGEST_THOUGHT) -> str:
    """The spec of an agent, if a client may ask for it; else a Refusal.

    ``seconds`` is the longest time that it may think.
    """
    try:
        name, settings = spec.parse(text)
        if name not in _CAPS:
            raise Refusal("bad", f"no agent {name!r} plays here: want {one_of(list(_CAPS))}")
        agent = agents.find(name)
        options = agent.settled(settings)
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None
    defaults = {option.name: option.default for option in agent.option_fields}
    for key, value in options.items():
        if value != defaults[key]:
            _check_option(name, key, value, game)
    if name == "net":
        _check_option(name, "net", options["net"], game)
    check_seconds(f"{name}: time", options.get("time"), seconds)
    if name == "perfect" and not (game.name == "choko" and has_tables()):
        raise Refusal("bad", "perfect needs the tables of choko (playproof table build)")
    return text.strip()


def check_seconds(what: str, seconds: Any, most: float) -> None:
    """A Refusal if a guest asks for more than ``most`` seconds."""
    if isinstance(seconds, int | float) and seconds > most:
        raise Refusal(
            "limit",
            f"{what}={seconds:g} is too much for a guest: at most {LONGEST_MOVE_OF_GUESTS:g} "
            f"seconds for a move, {LONGEST_OF_GUESTS:g} for an analysis",
        )


def _check_option(agent: str, key: str, value: Any, game: Game) -> None:
    caps = _CAPS[agent]
    if key not in caps:
        raise Refusal("bad", f"{agent}: {key} cannot be set here")
    if key == "net":
        _check_net(agent, str(value), game)
    elif key == "widths":
        _check_widths(str(value))
    elif isinstance(value, int | float) and value > caps[key]:
        raise Refusal("limit", f"{agent}: {key}={value:g} is too much here: at most {caps[key]:g}")


def _check_net(agent: str, name: str, game: Game) -> None:
    from playproof.nets import run_nets, shipped

    if name.startswith(run_nets.PREFIX):
        _check_run_net(agent, name, game)
        return
    if name not in shipped.names():  # and so never a path
        raise Refusal("bad", f"{agent}: there is no net {name!r}: {one_of(shipped.names())}")
    coverage = _coverage(name)
    if coverage.refusal(game):
        raise Refusal(
            "bad", f"{agent}: the net {name} does not play {game.spec}: it plays {coverage}"
        )
    if _lacks_torch(name):
        raise Refusal("bad", f"{agent}: the net {name} needs PyTorch, which is not installed here")


def _check_run_net(agent: str, name: str, game: Game) -> None:
    """Check the net of a training run, whose name cannot lead to any other file."""
    from playproof.nets import run_nets

    try:
        file = run_nets.file_of(name)
        stat = file.stat()
    except PlayproofError as error:
        raise Refusal("bad", f"{agent}: {error}") from None
    except OSError:
        raise Refusal("bad", f"{agent}: the net of {name} is gone") from None
    coverage = _read_net(file, (stat.st_ino, stat.st_mtime_ns, stat.st_size))
    if isinstance(coverage, str):  # guests must not learn where the file is
        raise Refusal("bad", f"{agent}: {coverage.replace(str(file), name)}")
    if coverage.refusal(game):
        raise Refusal("bad", f"{agent}: {name}: {coverage.refusal(game)}")


@functools.lru_cache(maxsize=64)
def _read_net(file: Path, stamp: tuple[int, ...]) -> Coverage | str:
    """The games that a net plays, or why it cannot be used.

    It is read once while the file stays the same: guests may ask forty times a second, and
    everybody waits while a net is read.
    """
    from playproof.nets import files
    from playproof.nets.resnet import ResNetArchitecture

    try:
        net = files.load(file)
    except PlayproofError as error:
        return str(error)
    torch = importlib.util.find_spec("torch") is not None
    if isinstance(net.architecture, ResNetArchitecture) and not torch:
        return "the net needs PyTorch, which is not installed here"
    return net.coverage


def _check_widths(text: str) -> None:
    try:
        widths = [int(part) for part in text.split("/")]
    except ValueError:
        widths = [0]
    if min(widths) < 1 or len(widths) > 12:
        raise Refusal("bad", "pgts: widths is a list such as 12/6/3/3/3")
    if math.prod(widths) > _MOST_LINES:
        raise Refusal("limit", f"pgts: widths={text} is too many lines: at most {_MOST_LINES}")


def hinter(game: Game) -> str:
    """A good agent for a hint in about a second."""
    return choices_of(game.name).hinter


# Values


def _scale(game_name: str) -> float:
    return _SCALES.get(game_name) or other_games.scale(game_name)


def share(game_name: str, value: float | None, unit_name: str) -> float | None:
    """A value as the first player's expected share of the point, from 0 to 1.

    A result ``v`` gives ``(v + 1) / 2``. Points give ``1 / (1 + exp(-points / scale))`` with the
    game's scale, and 0 or 1 where the result is certain.
    """
    if value is None:
        return None
    if unit_name == "result":
        return min(1.0, max(0.0, (value + 1.0) / 2.0))
    if values.is_certain(value, unit_name):
        return 1.0 if value > 0 else 0.0
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, value / _scale(game_name)))))
