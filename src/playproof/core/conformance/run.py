"""A game held to every law: ``playproof.conform(game)``, and what it reports."""

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
from playproof.core.conformance.guards import SAFETY, Stray, play_games
from playproof.core.conformance.laws import Broken, Law, shown
from playproof.core.conformance.plain import BOUNDS, run_plainly
from playproof.core.conformance.walks import Dice
from playproof.core.conformance.where import Place, place_of_state, place_of_walk
from playproof.core.errors import UsageError, one_line
from playproof.core.game import Game
from playproof.core.parallel.isolated_process import Failure, Watched

# After the safety laws, in the order in which a game is best mended.
LAWS: tuple[Law, ...] = (
    *play.LAWS, *text.LAWS, *symmetry.LAWS, *views.LAWS, *batches.LAWS,
)  # fmt: skip

GAMES = 3  # random games to a law, unless told
GUARDED = 10  # guarded games for each of these
_GUARDED_SECONDS = 20.0  # for the guarded games together
_PATIENCE = 600.0  # seconds for one law, in a process of its own

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Verdict:
    """What was seen of one law.  ``ok`` is None if it could not be looked at; ``what`` says why."""

    law: str
    sentence: str
    ok: bool | None
    what: str = ""  # found and expected, where it is broken
    place: Place | None = None

    def to_json(self) -> dict[str, Any]:
        place = None if self.place is None else self.place.to_json()
        return {
            "law": self.law, "sentence": self.sentence, "ok": self.ok, "what": self.what,
            "place": place,
        }  # fmt: skip


@dataclass(frozen=True)
class ConformanceReport:
    """All verdicts on a game; ``ok`` if none is a broken law."""

    game: str
    seed: int
    games: int  # random games to a law
    verdicts: tuple[Verdict, ...]

    @property
    def ok(self) -> bool:
        return not self.broken

    @property
    def broken(self) -> list[Verdict]:
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


class Court:
    """Holds one game to one law after the other; in a process of its own, if wanted."""

    def __init__(self, game: Game, games: int, seed: int) -> None:
        self.game, self.games, self.seed = game, games, seed

    def safety(self) -> list[Verdict]:
        """The laws that memory depends on.  Where one is broken the others are not judged."""
        until = time.perf_counter() + _GUARDED_SECONDS
        try:
            play_games(self.game, GUARDED * self.games, self.seed, until=until)
        except Stray as stray:
            place = place_of_walk(self.game, stray.walk)
            return [
                Verdict(name, sentence, False, str(stray), place)
                if name == stray.law
                else Verdict(name, sentence, None)
                for name, sentence in SAFETY.items()
            ]
        self.game._is_safe = True
        return [Verdict(name, sentence, True) for name, sentence in SAFETY.items()]

    def law(self, place: int) -> Verdict:
        """One of ``LAWS``."""
        law = LAWS[place]
        with _known(self.game):
            for number in range(1 if law.games == 1 else self.games):
                rng = Random(f"{self.seed} {law.name} {number}")
                dice = Dice([], rng.randrange(2**32))
                try:
                    law.check(self.game, dice)
                except Exception as error:
                    where = place_of_state(self.game, dice.seed, dice.here)
                    return Verdict(law.name, law.sentence, False, _complaint(error), where)
        return Verdict(law.name, law.sentence, True)


def conform(
    game: Game | str,
    *,
    games: int = GAMES,
    seed: int = 0,
    isolated: bool = False,
    on_progress: Progress | None = None,
) -> ConformanceReport:
    """Hold a game to the laws that every game keeps, in ``games`` random games to a law.

    Kernels run under guard first, and as plain Python, which checks every index, where the game's
    file can be imported.  A game that breaks a law there is not played any further.  ``isolated``
    plays in a process of its own, so that a crash is a broken law and not ours.
    ``on_progress(done, total)`` is called after each law.

    >>> import playproof
    >>> report = playproof.conform("othello:size=4", games=1, seed=1, isolated=False)
    >>> report.ok, len(report.verdicts) > 50
    (True, True)
    """
    if games < 1:
        raise UsageError(f"{games} games to a law: want 1 or more")
    subject = registry.resolve_game(game)
    total = 1 + len(SAFETY) + len(LAWS)
    verdicts: list[Verdict] = []

    def add(*more: Verdict) -> None:
        verdicts.extend(more)
        if on_progress:
            on_progress(len(verdicts), total)

    add(_bounds(subject, games, seed))
    with _court(subject, games, seed, isolated) as ask:
        add(*_guarded(ask))
        for number, law in enumerate(LAWS):
            if any(verdict.ok is False for verdict in verdicts[: 1 + len(SAFETY)]):
                add(Verdict(law.name, law.sentence, None))
                continue
            try:
                add(ask("law", number))
            except Failure as failure:
                add(Verdict(law.name, law.sentence, False, f"its process {failure}"))
    return ConformanceReport(subject.spec, seed, games, tuple(verdicts))


def _bounds(game: Game, games: int, seed: int) -> Verdict:
    """The game as plain Python."""
    answer = run_plainly(game, GUARDED * games, seed)
    name, sentence = BOUNDS
    if answer.get("broken"):
        return Verdict(name, sentence, False, answer["broken"], Place.of_json(answer["place"]))
    skipped = answer.get("skipped")
    return Verdict(name, sentence, None, skipped) if skipped else Verdict(name, sentence, True)


def _guarded(ask: Callable[..., Any]) -> list[Verdict]:
    try:
        return ask("safety")  # type: ignore[no-any-return]
    except Failure as failure:
        what = f"its process {failure}"
        return [
            Verdict(name, sentence, False if name == "arguments" else None, what)
            for name, sentence in SAFETY.items()
        ]


@contextmanager
def _court(game: Game, games: int, seed: int, isolated: bool) -> Iterator[Callable[..., Any]]:
    if not isolated:
        court = Court(game, games, seed)
        yield lambda method, *arguments: getattr(court, method)(*arguments)
        return
    with Watched(Court, game, games, seed, threads=2) as away:
        yield lambda method, *arguments: away.call(method, *arguments, limit=_PATIENCE)


@contextmanager
def _known(game: Game) -> Iterator[None]:
    """The game can be made by its name while this lasts."""
    name = game.name
    if name in registry.names():
        yield
        return
    registry.register(type(game))
    try:
        yield
    finally:
        registry._registered.pop(name, None)


def _complaint(error: Exception) -> str:
    if isinstance(error, Broken):
        return str(error)
    # Not what a law expected: the game's own code raised it, or that which called it.
    frames = traceback.extract_tb(error.__traceback__)
    where = ""
    if frames:
        where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    return f"raises {type(error).__name__}{where}: {shown(one_line(error))}"
