"""Testing a game against every law: ``playproof.conform(game)``, and its report."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from playproof.core import registry
from playproof.core.conformance import batches, play, symmetry, text, views
from playproof.core.conformance.laws import Law, LawBroken, format_value
from playproof.core.conformance.location import Location, location_of_state, location_of_trace
from playproof.core.conformance.random_games import Sampler
from playproof.core.conformance.safety import SAFETY, UnsafeGame, play_games
from playproof.core.conformance.uncompiled import BOUNDS, run_uncompiled
from playproof.core.errors import UsageError, one_line
from playproof.core.game import Game
from playproof.core.parallel.isolated_process import CallFailure, IsolatedProcess

# Tested after the safety laws, in the order in which mistakes are best corrected.
LAWS: tuple[Law, ...] = (
    *play.LAWS, *text.LAWS, *symmetry.LAWS, *views.LAWS, *batches.LAWS,
)  # fmt: skip

GAMES = 3  # random games for each law, by default
GUARDED = 10  # guarded games for each of these
_GUARDED_SECONDS = 20.0  # for all guarded games together
_TIMEOUT = 600.0  # seconds for one law, in a process of its own

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class LawVerdict:
    """Whether a game keeps one law; ``ok`` is None if that was not tested."""

    law: str
    sentence: str
    ok: bool | None
    what: str = ""  # what was seen and expected if it is broken, or why it was not tested
    place: Location | None = None

    def to_json(self) -> dict[str, Any]:
        place = None if self.place is None else self.place.to_json()
        return {
            "law": self.law, "sentence": self.sentence, "ok": self.ok, "what": self.what,
            "place": place,
        }  # fmt: skip


@dataclass(frozen=True)
class ConformanceReport:
    """The verdicts on a game; ``ok`` if it breaks no law."""

    game: str
    seed: int
    games: int  # random games for each law
    verdicts: tuple[LawVerdict, ...]

    @property
    def ok(self) -> bool:
        return not self.broken

    @property
    def broken(self) -> list[LawVerdict]:
        return [verdict for verdict in self.verdicts if verdict.ok is False]

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game, "seed": self.seed, "games": self.games, "ok": self.ok,
            "laws": [verdict.to_json() for verdict in self.verdicts],
        }  # fmt: skip

    def __str__(self) -> str:
        width = max(len(verdict.law) for verdict in self.verdicts)
        lines = []
        for verdict in self.verdicts:
            if verdict.ok is None and not verdict.what:
                continue  # the last line counts them
            sign = {True: "ok    ", False: "BROKEN", None: "-     "}[verdict.ok]
            lines.append(f"{sign}  {verdict.law:<{width}}  {verdict.sentence}")
            indent = " " * (width + 10)
            if verdict.what:
                lines.append(f"{indent}{verdict.what}")
            if verdict.place is not None:
                lines.append(f"{indent}{verdict.place}")
        number, skipped = len(self.broken), sum(v.ok is None for v in self.verdicts)
        kept = len(self.verdicts) - number - skipped
        end = f"{kept} {'law is' if kept == 1 else 'laws are'} kept"
        end += f", {number} {'is' if number == 1 else 'are'} broken" if number else ""
        end += f", {skipped} could not be looked at" if skipped else ""
        return "\n".join([*lines, "", f"{self.game}: {end}."])


class LawChecker:
    """Tests one game against one law at a time, perhaps in a process of its own."""

    def __init__(self, game: Game, games: int, seed: int) -> None:
        self.game, self.games, self.seed = game, games, seed

    def safety(self) -> list[LawVerdict]:
        """The verdicts on the safety laws.  If one is broken, the others are not tested."""
        until = time.perf_counter() + _GUARDED_SECONDS
        try:
            play_games(self.game, GUARDED * self.games, self.seed, until=until)
        except UnsafeGame as error:
            place = location_of_trace(self.game, error.trace)
            return [
                LawVerdict(name, sentence, False, str(error), place)
                if name == error.law
                else LawVerdict(name, sentence, None)
                for name, sentence in SAFETY.items()
            ]
        self.game._is_safe = True
        return [LawVerdict(name, sentence, True) for name, sentence in SAFETY.items()]

    def law(self, number: int) -> LawVerdict:
        """The verdict on ``LAWS[number]``."""
        law = LAWS[number]
        with _registered(self.game):
            for round_ in range(1 if law.games == 1 else self.games):
                rng = Random(f"{self.seed} {law.name} {round_}")
                sampler = Sampler([], rng.randrange(2**32))
                try:
                    law.check(self.game, sampler)
                except Exception as error:
                    place = location_of_state(self.game, sampler.seed, sampler.current)
                    return LawVerdict(law.name, law.sentence, False, _describe_error(error), place)
        return LawVerdict(law.name, law.sentence, True)


def conform(
    game: Game | str,
    *,
    games: int = GAMES,
    seed: int = 0,
    isolated: bool = False,
    on_progress: Progress | None = None,
) -> ConformanceReport:
    """Test a game against the laws that every game must keep, in ``games`` random games for each.

    The safety laws come first: the kernels run under guard and, if the game's file can be imported,
    as plain Python, which checks every index.  A game that breaks one of them is not tested any
    further.  With ``isolated`` it is played in a process of its own, so that a crash is a broken
    law and does not end our process.  ``on_progress(done, total)`` is called after each law.

    >>> import playproof
    >>> report = playproof.conform("othello:size=4", games=1, seed=1, isolated=False)
    >>> report.ok, len(report.verdicts) > 50
    (True, True)
    """
    if games < 1:
        raise UsageError(f"{games} games to a law: want 1 or more")
    subject = registry.resolve_game(game)
    total = 1 + len(SAFETY) + len(LAWS)
    verdicts: list[LawVerdict] = []

    def add(*more: LawVerdict) -> None:
        verdicts.extend(more)
        if on_progress:
            on_progress(len(verdicts), total)

    add(_check_bounds(subject, games, seed))
    with _law_checker(subject, games, seed, isolated) as call:
        add(*_check_safety(call))
        for number, law in enumerate(LAWS):
            if any(verdict.ok is False for verdict in verdicts[: 1 + len(SAFETY)]):
                add(LawVerdict(law.name, law.sentence, None))
                continue
            try:
                add(call("law", number))
            except CallFailure as failure:
                add(LawVerdict(law.name, law.sentence, False, f"its process {failure}"))
    return ConformanceReport(subject.spec, seed, games, tuple(verdicts))


def _check_bounds(game: Game, games: int, seed: int) -> LawVerdict:
    """The verdict on the law that needs the kernels as plain Python."""
    answer = run_uncompiled(game, GUARDED * games, seed)
    name, sentence = BOUNDS
    if answer.get("broken"):
        return LawVerdict(
            name, sentence, False, answer["broken"], Location.of_json(answer["place"])
        )
    skipped = answer.get("skipped")
    return (
        LawVerdict(name, sentence, None, skipped) if skipped else LawVerdict(name, sentence, True)
    )


def _check_safety(call: Callable[..., Any]) -> list[LawVerdict]:
    try:
        return call("safety")  # type: ignore[no-any-return]
    except CallFailure as failure:
        what = f"its process {failure}"
        return [
            LawVerdict(name, sentence, False if name == "arguments" else None, what)
            for name, sentence in SAFETY.items()
        ]


@contextmanager
def _law_checker(game: Game, games: int, seed: int, isolated: bool) -> Iterator[Callable[..., Any]]:
    """``call(method, *arguments)`` for the methods of a LawChecker, here or in another process."""
    if not isolated:
        checker = LawChecker(game, games, seed)
        yield lambda method, *arguments: getattr(checker, method)(*arguments)
        return
    with IsolatedProcess(LawChecker, game, games, seed, threads=2) as process:
        yield lambda method, *arguments: process.call(method, *arguments, limit=_TIMEOUT)


@contextmanager
def _registered(game: Game) -> Iterator[None]:
    """Register the game in here, unless it is, so that ``make`` knows its name."""
    name = game.name
    if name in registry.names():
        yield
        return
    registry.register(type(game))
    try:
        yield
    finally:
        registry._registered.pop(name, None)


def _describe_error(error: Exception) -> str:
    if isinstance(error, LawBroken):
        return str(error)
    # Raised by the game's own code, or by the code that called it.
    frames = traceback.extract_tb(error.__traceback__)
    where = ""
    if frames:
        where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    return f"raises {type(error).__name__}{where}: {format_value(one_line(error))}"
