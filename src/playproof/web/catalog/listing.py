"""What the lab offers: every game of the registry with its variants, opponents by level,
analysts; and which agents a client may ask for at all.

For the games of this house somebody has chosen (`offers.py`), for others it follows from
the game (`third_party.py`).

A client never names a command, a file or a folder.  Of an agent's spec only the
options below are taken, and budgets are capped.
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
from playproof.web.catalog.third_party import Offer
from playproof.web.protocol.refusal import Refusal

if TYPE_CHECKING:
    from playproof.nets.families import Coverage

LONGEST_THOUGHT = 30.0  # seconds
LONGEST_OF_GUESTS = 10.0  # for a page
LONGEST_MOVE_OF_GUESTS = 5.0  # in a game that a guest began

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
_MOST_LINES = 20_000  # that pgts may follow


# A lead of so many points of alpha-beta is 73 % of the point.  Chess has the usual
# 1 / (1 + 10^(-pawns / 4)); the others are about what a game between equals swings by.
_SCALES = {
    "othello": 8.0,
    "choko": 2.0,
    "quantum-go": 12.0,
    "chess": 4.0 / math.log(10),
    "go": 12.0,
}


def catalog() -> dict[str, Any]:
    """All that a start form needs to know."""
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
    offer = offer_of(name)
    game = registry.find(name)
    opponents = offer.opponents
    if name == "choko" and has_tables():
        opponents = (*opponents, PERFECT)
    other = name not in GAMES
    return {
        "name": name,
        "title": game.title,
        "summary": game.summary,
        "players": list(game.players),
        "colours": list(game.colours),
        "variants": [vars(variant) for variant in offer.variants],
        "opponents": [vars(opponent) for opponent in opponents if _is_usable(opponent.spec, name)],
        "analysts": [vars(analyst) for analyst in offer.analysts if _is_usable(analyst.spec, name)],
        "formats": formats(name),
        "options": other_games.option_fields(game) if other else [],
        "rules": other_games.rules(game) if other else None,
    }


@functools.cache
def _installed() -> frozenset[str]:
    """Games of other packages, looked for once: it takes a hundredth of a second."""
    return frozenset(registry.names()) - {game.name for game in registry.registered()}


def all_names() -> list[str]:
    """The games of this house first, then all others that are registered or installed."""
    others = _installed() | {game.name for game in registry.registered()}
    return [*GAMES, *sorted(others - set(GAMES))]


def is_offered(name: str) -> bool:
    """Whether a game can be played here."""
    if name in GAMES:
        return True
    try:
        return name in all_names() and bool(offer_of(name))
    except PlayproofError:
        return False


def offer_of(name: str) -> Offer:
    """What can be chosen for a game; a PlayproofError if it cannot be played."""
    if name in GAMES:
        return Offer(VARIANTS[name], OPPONENTS[name], ANALYSTS[name], HINTERS[name])
    return other_games.offer(registry.find(name))


def _is_usable(text: str, game: str) -> bool:
    """Whether an agent's network, if it has one, can be used with what is installed, in some
    variant of a game at least."""
    name, settings = spec.parse(text)
    net = str(agents.find(name).settled(settings).get("net") or "")
    if not net:
        return True
    variants = (registry.make(game, **variant.options) for variant in offer_of(game).variants)
    try:
        return not _lacks_torch(net) and not all(map(_coverage(net).refusal, variants))
    except PlayproofError:  # a file that is damaged takes no other opponent with it
        return False


@functools.cache
def _coverage(net: str) -> Coverage:
    """Which games a shipped network plays, without holding on to its numbers."""
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
    """The records that a game can be written as."""
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
        known = {v.id: v.options for v in variants}
        wanted = variant or "standard"
        if wanted not in known:
            raise Refusal("bad", f"{name} has no variant {wanted!r}: it has {one_of(list(known))}")
        options = known[wanted]
    try:
        return registry.make(name, **options)
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None


def _variants(name: str) -> tuple[Variant, ...]:
    try:
        return offer_of(name).variants
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None


def variant_label(game: Game) -> str:
    """What a game's kind is called; empty for one that has no name of its own."""
    known = variant_of(game)
    labels = {v.id: v.label for v in offer_of(game.name).variants}
    return labels.get(known, "")


def variant_of(game: Game) -> str:
    """The id of the variant that a game is, or ``custom``."""
    for variant in offer_of(game.name).variants if is_offered(game.name) else ():
        if registry.make(game.name, **variant.options) == game:
            return variant.id
    return "custom"


# Agents


def allowed(text: str, game: Game, *, seconds: float = LONGEST_THOUGHT) -> str:
    """The spec of an agent, if a client may ask for it; a Refusal if not.

    ``seconds`` is the longest that it may think.
    """
    try:
        name, settings = spec.parse(text)
        if name not in _CAPS:
            raise Refusal("bad", f"no agent {name!r} plays here: want {one_of(list(_CAPS))}")
        found = agents.find(name)
        options = found.settled(settings)
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None
    defaults = {option.name: option.default for option in found.option_fields}
    for key, value in options.items():
        if value != defaults[key]:
            _check_option(name, key, value, game)
    if name == "net":
        _check_option(name, "net", options["net"], game)
    check_seconds(f"{name}: time", options.get("time"), seconds)
    if name == "perfect" and not (game.name == "choko" and has_tables()):
        raise Refusal("bad", "perfect needs the tables of choko (playproof table build)")
    return text.strip()


def check_seconds(what: str, wanted: Any, most: float) -> None:
    """A Refusal of a thought that is longer than a guest's may be."""
    if isinstance(wanted, int | float) and wanted > most:
        raise Refusal(
            "limit",
            f"{what}={wanted:g} is too much for a guest: at most {LONGEST_MOVE_OF_GUESTS:g} "
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
            "bad", f"{agent}: the net {name} does not play {game.spec}: it is of {coverage}"
        )
    if _lacks_torch(name):
        raise Refusal("bad", f"{agent}: the net {name} needs PyTorch, which is not installed here")


def _check_run_net(agent: str, name: str, game: Game) -> None:
    """The net of a known run: its name leads nowhere else."""
    from playproof.nets import run_nets

    try:
        file = run_nets.file_of(name)
        stat = file.stat()
    except PlayproofError as error:
        raise Refusal("bad", f"{agent}: {error}") from None
    except OSError:
        raise Refusal("bad", f"{agent}: the net of {name} is gone") from None
    found = _read_net(file, (stat.st_ino, stat.st_mtime_ns, stat.st_size))
    if isinstance(found, str):  # where the file lies is no business of a guest
        raise Refusal("bad", f"{agent}: {found.replace(str(file), name)}")
    if found.refusal(game):
        raise Refusal("bad", f"{agent}: {name}: {found.refusal(game)}")


@functools.lru_cache(maxsize=64)
def _read_net(file: Path, stamp: tuple[int, ...]) -> Coverage | str:
    """The games that a net plays, or why it plays none; read once while it is the same file, for
    guests may ask forty times a second and all others wait meanwhile."""
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
        raise Refusal("limit", f"pgts: widths={text} are too many lines: at most {_MOST_LINES}")


def hinter(game: Game) -> str:
    """A good agent for a hint within about a second."""
    return offer_of(game.name).hinter


# Values


def _scale(game_name: str) -> float:
    return _SCALES.get(game_name) or other_games.scale(game_name)


def share(game_name: str, value: float | None, unit_name: str) -> float | None:
    """A value as the first player's expected share of the point, 0 to 1.

    A result ``v`` is ``(v + 1) / 2``; points are put through a logistic curve with
    the game's scale, and are 0 or 1 where the result is certain.
    """
    if value is None:
        return None
    if unit_name == "result":
        return min(1.0, max(0.0, (value + 1.0) / 2.0))
    if values.is_certain(value, unit_name):
        return 1.0 if value > 0 else 0.0
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, value / _scale(game_name)))))
