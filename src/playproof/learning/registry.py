"""The registry of algorithms: built-in ones, registered ones, and those of other packages.

A package declares its own by an entry point in the group ``playproof.algorithms``, whose value is
an :class:`Algorithm`::

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

# In the order in which presets are listed.
_BUILTIN = {
    "dql": "playproof.learning.algorithms.dql.registration:ALGORITHM",
    "ppo": "playproof.learning.algorithms.ppo.registration:ALGORITHM",
    "imitation": "playproof.learning.algorithms.imitation.registration:ALGORITHM",
    "distillation": "playproof.learning.algorithms.distillation.registration:ALGORITHM",
    "alphazero": "playproof.learning.algorithms.alphazero.registration:ALGORITHM",
}
_registered: dict[str, AnyAlgorithm] = {}


def register_algorithm(algorithm: Algorithm[C, L]) -> Algorithm[C, L]:
    """Register an algorithm and its presets in this process; returns it.

    ``docs/examples/evolution.py`` registers a new one.  This registers a variant of a built-in one
    with a preset of its own:

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
    taken = {
        preset for other in _known_here() if other is not algorithm for preset in other.presets
    }
    for preset in algorithm.presets:
        if preset in taken:
            raise UsageError(f"a preset called '{preset}' is already there: choose another name")
    _registered[name] = algorithm
    return algorithm


def registered() -> list[AnyAlgorithm]:
    """The algorithms registered in this process by ``register_algorithm``."""
    return list(_registered.values())


def names() -> list[str]:
    """The names of all algorithms, sorted."""
    load_files()
    return sorted({*_BUILTIN, *_registered, *_plugins()})


def find(name: str) -> AnyAlgorithm:
    """Find an algorithm by name."""
    if name in _BUILTIN:
        return _builtin(name)
    load_files()
    if name in _registered:
        return _registered[name]
    plugins = _plugins()
    if name in plugins:
        return _load(plugins[name])
    raise spec.unknown_name("algorithm", name, names())


def find_or_none(name: str) -> AnyAlgorithm | None:
    """Find an algorithm by name; None if it is no longer installed or cannot be loaded."""
    try:
        return find(name) if name in names() else None
    except PlayproofError:
        return None


def available(errors: list[PlayproofError] | None = None) -> Iterator[AnyAlgorithm]:
    """Every algorithm that can be loaded, built-in ones first.

    What went wrong with the others is added to ``errors``."""
    load_files()
    yield from _known_here()
    for name, point in _plugins().items():
        if name in _BUILTIN or name in _registered:
            continue
        try:
            yield _load(point)
        except PlayproofError as error:  # a broken plug-in must not take the lab down
            if errors is not None:
                errors.append(error)


def _known_here() -> Iterator[AnyAlgorithm]:
    yield from map(_builtin, _BUILTIN)
    yield from _registered.values()


def _builtin(name: str) -> AnyAlgorithm:
    module, _, attribute = _BUILTIN[name].partition(":")
    algorithm: AnyAlgorithm = getattr(import_module(module), attribute)
    return algorithm


def _plugins() -> dict[str, EntryPoint]:
    return _plugins_on(tuple(sys.path))


@functools.lru_cache(maxsize=1)
def _plugins_on(path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Entry points by name.  Cached: the search takes 10 ms, and a page needs it for every run."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _load(point: EntryPoint) -> AnyAlgorithm:
    try:
        algorithm = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PlayproofError(
            f"the algorithm '{point.name}' of {point.value} cannot be loaded: {one_line(error)}"
        ) from error
    if not isinstance(algorithm, Algorithm):
        raise PlayproofError(
            f"the algorithm '{point.name}' of {point.value} is not a playproof Algorithm"
        )
    if algorithm.name != point.name:
        raise PlayproofError(
            f"the algorithm '{point.name}' of {point.value} calls itself '{algorithm.name}'"
        )
    return algorithm
