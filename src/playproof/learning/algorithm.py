"""The declaration of a learning algorithm: everything commands, runs and pages know about it.

An algorithm is declared as an :class:`Algorithm` and registered by ``register_algorithm`` or an
entry point (``registry.py``).  The declaring module stays light: listing algorithms, presets and
settings must import neither PyTorch nor compiled code, so ``make`` imports the learner.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from playproof.core.errors import UsageError, one_of
from playproof.learning.learner import DataSpeed, Learner, Meter
from playproof.learning.metrics import Metric, Opponent, parse_result_name
from playproof.learning.setting import setting_rules
from playproof.learning.settings import RunSettings

C = TypeVar("C", bound=RunSettings)
L = TypeVar("L", bound=Learner)

_BASE = "playproof.learning.settings.RunSettings"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Recipe:
    """A small run that the Train page can start: a preset with ``changes`` to its settings.

    Metrics are written every ``checkpoint`` iterations and a net is kept every ``keep``; ``most``
    is the largest number of iterations that a user may choose.  ``seconds`` is the time of one
    iteration on two cores of a server, which the page shows until a run has been timed here."""

    id: str
    title: str
    about: str
    preset: str
    iterations: int
    most: int
    seconds: float
    checkpoint: int
    keep: int
    changes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Folds(Generic[C]):
    """Cross-validation: folds of the data, each held out by a run (``train --folds``)."""

    count: Callable[[C], int]  # number of folds in the data that the settings name
    setting: str = "fold"  # the setting with the number of the held-out fold, from 0
    prefix: str = "test_"  # the prefix of the columns measured on held-out data


@dataclass(frozen=True, eq=False)
class Algorithm(Generic[C, L]):
    """A named way of training networks.

    ``make(config, device)`` returns the learner at its start.  ``metrics`` are its columns in the
    order in which the progress line prints them, ``opponents`` are those of its evaluations.  A
    list of runs shows the metric ``listed``, a chart shows ``panels`` (all metrics if empty).  A
    preset is one of ``presets``, or ``NAME:GAME`` where ``preset_for(game)`` makes settings for
    any game."""

    name: str
    summary: str  # one line: how it learns
    config: type[C]
    make: Callable[[C, str], L]
    metrics: tuple[Metric, ...] = ()
    opponents: tuple[Opponent, ...] = ()
    panels: tuple[str, ...] = ()
    listed: str = ""
    presets: Mapping[str, C] = field(default_factory=dict)
    preset_for: Callable[[str], C] | None = None
    recipes: tuple[Recipe, ...] = ()
    needs_torch: bool = False
    devices: tuple[str, ...] = ()  # the devices it runs on; empty: any that PyTorch knows
    device_refusal: str = "--device {device}: {name} runs on {devices} alone"
    # Name prefixes of state arrays that are too large to move to another machine.  A state
    # without them can be restored; the learner rebuilds them there.
    stays_behind: tuple[str, ...] = ()
    stays_behind_note: str = "what is too large to carry stays behind: the run makes it anew"
    # Optional capabilities
    folds: Folds[C] | None = None
    meter: Callable[[L], Meter | None] | None = None
    data_speed: Callable[[C, str, float], DataSpeed] | None = None  # (config, device, seconds)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and _NAME.fullmatch(self.name)):
            raise UsageError(
                f"an algorithm cannot be called {str(self.name)[:80]!r}: want small letters and "
                "digits with hyphens between them"
            )
        problem = _config_problem(self.config) or self._problem()
        if problem:
            raise UsageError(f"algorithm {self.name}: {problem}")

    def _problem(self) -> str:
        """One line about what is wrong with the declaration; empty if nothing is."""
        names = [metric.name for metric in self.metrics]
        opponents = [opponent.name for opponent in self.opponents]
        for metric in self.metrics:
            if metric.problem():
                return metric.problem()
        for name in names:
            if names.count(name) > 1:
                return f"the metric {name} is declared twice: once is enough"
        for name in (*self.panels, *filter(None, [self.listed])):
            result = parse_result_name(name)
            if name not in names and not (result and result[0] in opponents):
                return f"{name} is none of its metrics: want {one_of(names)}"
        for name, settings in self.presets.items():
            if type(settings) is not self.config:
                return f"the preset {name} is no {self.config.__name__}"
        if self.folds and self.folds.setting not in setting_rules(self.config):
            return f"it has folds, but no setting {self.folds.setting}"
        return ""

    @property
    def module(self) -> str:
        """The module that declares it; files given to ``--load`` bring their own algorithms."""
        return self.make.__module__

    def learner(self, config: C, device: str = "cpu") -> L:
        """A learner with these settings, at its start; a UsageError for an unsupported device."""
        if not self.runs_on(device):
            raise UsageError(
                self.device_refusal.format(
                    device=device, name=self.name, devices=one_of(self.devices)
                )
            )
        return self.make(config, device)

    def runs_on(self, device: str) -> bool:
        return not self.devices or device in self.devices

    def settings_for(self, preset: str) -> C | None:
        """The settings of a preset; None if this algorithm has no preset of that name."""
        if preset in self.presets:
            return self.presets[preset]
        head, colon, game = preset.partition(":")
        if self.preset_for is not None and colon and head == self.name:
            return self.preset_for(game)
        return None

    def preset_names(self) -> list[str]:
        """The names of its presets, ``NAME:GAME`` last."""
        return [*self.presets, *([f"{self.name}:GAME"] if self.preset_for is not None else [])]


AnyAlgorithm = Algorithm[Any, Any]


def _config_problem(config: type) -> str:
    """One line about why a class cannot hold a run's settings; empty if it can."""
    if not (isinstance(config, type) and issubclass(config, RunSettings)):
        return f"config={config!r}: want a class derived from {_BASE}"
    # The base is a dataclass too, so look at the class's own attributes only.
    if "__dataclass_fields__" not in vars(config):
        return f"{config.__name__} must be a dataclass: write @dataclass(frozen=True) above it"
    if inspect.isabstract(config):
        missing = sorted(getattr(config, "__abstractmethods__", ()))
        return f"{config.__name__} has no {missing[0]}(): settings need check and architecture"
    rules, defaults = setting_rules(config), config()
    for one in fields(config):
        value: object = getattr(defaults, one.name)
        if one.name not in rules:
            return f"{config.__name__}.{one.name}: want setting(DEFAULT, MEANING)"
        if type(value) not in (int, float, str) and not _is_widths(value):
            kind = type(value).__name__
            return f"{config.__name__}.{one.name} is {kind}: want int, float, str or tuple of int"
    return ""


def _is_widths(value: object) -> bool:
    return isinstance(value, tuple) and all(type(part) is int for part in value)
