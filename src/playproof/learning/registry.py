"""The algorithms by name: ours, and those that other packages bring through entry points in the
group ``playproof.algorithms``, whose value is an :class:`Algorithm`::

    [project.entry-points."playproof.algorithms"]
    evolution = "evolution:EVOLUTION"
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from playproof.core import spec
from playproof.core.errors import PlayproofError, UsageError, one_line
from playproof.core.plugins import load_files
from playproof.learning.algorithm import Algorithm, AnyAlgorithm, C, L

GROUP = "playproof.algorithms"

# In the order in which their presets are listed.
_BUILTIN = {
    "dql": "playproof.learning.algorithms.dql.algorithm:ALGORITHM",
    "ppo": "playproof.learning.algorithms.ppo.algorithm:ALGORITHM",
    "imitation": "playproof.learning.algorithms.imitation.algorithm:ALGORITHM",
    "alphazero": "playproof.learning.algorithms.alphazero.algorithm:ALGORITHM",
}
_registered: dict[str, AnyAlgorithm] = {}


def register_algorithm(algorithm: Algorithm[C, L]) -> Algorithm[C, L]:
    """Add an algorithm of this process, with its presets.

    ``docs/examples/evolution.py`` has a new one; here is one of ours with a preset of its own:

    >>> import playproof
    >>> from dataclasses import replace
    >>> from playproof.learning.registry import find
    >>> ppo = find("ppo")
    >>> short = {"choko-short": replace(ppo.presets["choko-ppo-v1"], iterations=10)}
    >>> playproof.register_algorithm(replace(ppo, name="short-ppo", presets=short)).preset_names()
    ['choko-short']
    """
    name = algorithm.name
    if name in names() and _registered.get(name) is not algorithm:
        raise UsageError(f"an algorithm called '{name}' is already there: choose another name")
    taken = {preset for other in _known() if other is not algorithm for preset in other.presets}
    for preset in algorithm.presets:
        if preset in taken:
            raise UsageError(f"a preset called '{preset}' is already there: choose another name")
    _registered[name] = algorithm
    return algorithm


def registered() -> list[AnyAlgorithm]:
    """The algorithms that this process has registered itself."""
    return list(_registered.values())


def names() -> list[str]:
    """All algorithms, sorted."""
    load_files()
    return sorted({*_BUILTIN, *_registered, *_foreign()})


def find(name: str) -> AnyAlgorithm:
    """The algorithm called ``name``."""
    if name in _BUILTIN:
        return _builtin(name)
    load_files()
    if name in _registered:
        return _registered[name]
    foreign = _foreign()
    if name in foreign:
        return _load(foreign[name])
    raise spec.unknown_name("algorithm", name, names())


def find_or_none(name: str) -> AnyAlgorithm | None:
    """The same, for readers of old runs: None if it is not here any more, or cannot be loaded."""
    try:
        return find(name) if name in names() else None
    except PlayproofError:
        return None


def available(broken: list[PlayproofError] | None = None) -> Iterator[AnyAlgorithm]:
    """All that can be loaded, ours first; what cannot is added to ``broken``."""
    load_files()
    yield from _known()
    for name, point in _foreign().items():
        if name in _BUILTIN or name in _registered:
            continue
        try:
            yield _load(point)
        except PlayproofError as error:  # a broken plug-in must not take the lab down
            if broken is not None:
                broken.append(error)


def _known() -> Iterator[AnyAlgorithm]:
    yield from map(_builtin, _BUILTIN)
    yield from _registered.values()


def _builtin(name: str) -> AnyAlgorithm:
    module, _, attribute = _BUILTIN[name].partition(":")
    found: AnyAlgorithm = getattr(import_module(module), attribute)
    return found


def _foreign() -> dict[str, EntryPoint]:
    return _foreign_on(tuple(sys.path))


@functools.lru_cache(maxsize=1)
def _foreign_on(path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Looked for once: it takes a hundredth of a second, and a page asks for every run."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _load(point: EntryPoint) -> AnyAlgorithm:
    try:
        found = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PlayproofError(
            f"the algorithm '{point.name}' of {point.value} cannot be loaded: {one_line(error)}"
        ) from error
    if not isinstance(found, Algorithm):
        raise PlayproofError(
            f"the algorithm '{point.name}' of {point.value} is not a playproof Algorithm"
        )
    if found.name != point.name:
        raise PlayproofError(
            f"the algorithm '{point.name}' of {point.value} calls itself '{found.name}'"
        )
    return found
