"""The games by name: ours, those of other packages, and those of this process.

A package adds a game by an entry point in the group ``playproof.games`` whose value is a
:class:`Game` subclass::

    [project.entry-points."playproof.games"]
    nim = "nim_game:Nim"
"""

from __future__ import annotations

import threading
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from playproof.core import spec
from playproof.core.errors import PlayproofError, UsageError, one_line
from playproof.core.game import Game
from playproof.core.plugins import load_files

if TYPE_CHECKING:
    from playproof.core.state import State

GROUP = "playproof.games"

# Names only: a game's module, and with it Numba, is imported on first use.
_BUILTIN = {
    "chess": "playproof.games.chess.game:Chess",
    "choko": "playproof.games.choko.game:Choko",
    "go": "playproof.games.go.game:Go",
    "othello": "playproof.games.othello.game:Othello",
    "quantum-go": "playproof.games.quantum_go.game:QuantumGo",
}
_registered: dict[str, type[Game]] = {}
# Only the games used last are cached: a komi, say, may be any number.
_MOST_CACHED = 64
_cache: dict[
    tuple[type[Game], tuple[tuple[str, Any], ...]], Game
] = {}  # the one used last comes last
_cache_lock = threading.Lock()


def register(game: type[Game]) -> type[Game]:
    """Add a game for this process; usable as a class decorator.

    >>> import playproof
    >>> class Small(type(playproof.make("othello"))):
    ...     name, title = "small-othello", "Small Othello"
    >>> game = playproof.register(Small)
    >>> "small-othello" in playproof.list_games()
    True
    """
    if game.name in names() and _registered.get(game.name) is not game:
        raise UsageError(f"a game called '{game.name}' is already there: choose another name")
    game.check_sides()
    _registered[game.name] = game
    return game


def registered() -> list[type[Game]]:
    """The games that this process has registered."""
    return list(_registered.values())


def builtin_games() -> list[str]:
    """The games that come with Playproof, sorted."""
    return sorted(_BUILTIN)


def list_games() -> list[str]:
    """The names of all games, sorted: ours, those of installed packages and of this process.

    >>> import playproof
    >>> playproof.list_games()[:3]
    ['chess', 'choko', 'go']
    """
    load_files()
    return sorted({*_BUILTIN, *_registered, *_foreign()})


names = list_games  # its former name


def find(name: str) -> type[Game]:
    """The class of the game called ``name``."""
    if name not in _BUILTIN:
        load_files()
    if name in _BUILTIN:
        module, _, attribute = _BUILTIN[name].partition(":")
        game = getattr(import_module(module), attribute)
    elif name in _registered:
        game = _registered[name]
    elif name in (foreign := _foreign()):
        game = _load(foreign[name])
    else:
        raise spec.unknown_name("game", name, names())
    return game  # type: ignore[no-any-return]


def make(name: str, /, **options: object) -> Game:
    """A game by name or spec string: ``make("othello", size=6)`` is ``make("othello:size=6")``.

    Equal calls return the same object, unless dozens of other games were created between them.

    >>> import playproof
    >>> playproof.make("othello", size=6) is playproof.make("othello:size=6")
    True
    """
    name, settings = spec.parse(name)
    cls = find(name)
    twice = sorted(set(settings) & set(options))
    if twice:
        raise UsageError(f"{name}: {twice[0]} is set twice: once is enough")
    resolved = spec.resolve_options(name, cls.option_fields, {**settings, **options})
    key = (cls, tuple(resolved.items()))
    with _cache_lock:
        if key in _cache:
            _cache[key] = _cache.pop(key)
            return _cache[key]
    game = cls(**resolved)
    with _cache_lock:
        game = _cache.setdefault(key, game)  # another thread may have been faster
        while len(_cache) > _MOST_CACHED:
            del _cache[next(iter(_cache))]
    return game


def resolve_game(game: Game | str) -> Game:
    """A game, given as itself or by its spec string."""
    if isinstance(game, str):
        return make(game)
    if isinstance(game, Game):
        return game
    raise UsageError(f"want a game or a spec such as 'othello:size=6', not {_describe(game)}")


def resolve_state(position: State | Game | str) -> State:
    """A position, given as itself; for a game or its spec string, the start."""
    from playproof.core.state import State

    if isinstance(position, State):
        return position
    if isinstance(position, Game | str):
        return resolve_game(position).start()
    raise UsageError(
        f"want a state, a game or a spec such as 'othello:size=6', not {_describe(position)}"
    )


def _describe(value: object) -> str:
    """What a wrong argument is, for an error line."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _foreign() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _load(point: EntryPoint) -> type[Game]:
    try:
        game = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a broken plug-in must not crash the lab
        raise PlayproofError(
            f"the game '{point.name}' of {point.value} cannot be loaded: {one_line(error)}"
        ) from error
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise PlayproofError(
            f"the game '{point.name}' of {point.value} is not a subclass of playproof.Game"
        )
    game.check_sides()
    return game
