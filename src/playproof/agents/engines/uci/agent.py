"""``uci``: a chess engine that speaks UCI plays for us, Stockfish for one.

The value is in pawns; a mate that the engine announces is 10,000 less the
moves to it.  The engine's version is part of the spec string, found out when
it is not given: results of one version are never mixed with another's.
"""

from __future__ import annotations

import functools
import math
import os
import shlex
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport, OnProgress, Statistics
from playproof.agents.engines.process import command_digest, find_program, program_digest, short
from playproof.agents.engines.uci.client import EngineFailure, EngineLine, UciEngine
from playproof.agents.game_clocks import TIME_CONTROL
from playproof.agents.identity import FileOption, digest_of, path_digest
from playproof.agents.limits import Limits, least
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag

MATE = 10_000.0  # as alpha-beta counts a won game
_MOVETIME = 100  # milliseconds, where no limit is given
_STARTING = 30.0  # seconds to say who it is
_EACH = 4  # positions, or another engine is not worth its start


def _set_digest(text: str, game: Game) -> str:
    """Of the options, and of the files that they name: EvalFile=..., a book."""
    pairs = _read_set(text)
    digests = [path_digest(value, game) if value else "" for _, value in pairs]
    if not any(digests):
        return ""
    words = [
        f"{name}={digest or value}" for (name, value), digest in zip(pairs, digests, strict=True)
    ]
    return digest_of(*(word.encode() for word in words))


class UciAgent(Agent):
    takes_actions = True
    name = "uci"
    summary = "a chess engine that speaks UCI: uci:stockfish,elo=1500,movetime=20"
    first_word = "engine"
    unit = "pawns"
    option_fields = (
        FileOption(
            "engine", "", "its program: stockfish, or the path of one", digest=program_digest
        ),
        Option("version", "", "its name and version; found out if not given"),
        Option("elo", 0, "play as if rated so, by UCI_Elo; 0 for full strength", minimum=0),
        Option("skill", -1, "Stockfish's skill level, -1 for its own", minimum=-1, maximum=20),
        Option("movetime", 0, "milliseconds for a move; 100 without another limit", minimum=0),
        TIME_CONTROL,
        Option("depth", 0, "plies to search, 0 for no limit", minimum=0, maximum=245),
        Option("nodes", 0, "nodes for a move, 0 for no limit", minimum=0),
        Option("threads", 1, "that the engine thinks with", minimum=1, maximum=1024),
        Option("hash", 16, "megabytes of the engine's memory", minimum=1, maximum=1 << 20),
        Option("limit", 60.0, "seconds beyond its own until an engine has hung", minimum=0.1),
        FileOption(
            "set", "", "further options of the engine: Name=value;Name=value", digest=_set_digest
        ),
        FileOption(
            "command",
            "",
            "how to start an engine with arguments, without commas",
            digest=command_digest,
        ),
    )

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        super().__init__(game, seed=seed, **options)
        if game.name != "chess":
            raise UsageError(f"uci plays chess, not {game.name}")
        if self.options["elo"] and self.options["skill"] >= 0:
            raise UsageError("uci: elo and skill both set the strength: give one of them")
        if self._clocks is not None and self.options["movetime"]:
            raise UsageError("uci: tc and movetime both set the time: give one of them")
        self._further = _read_set(self.options["set"])
        self._command = _command(self.options)
        self._engine: UciEngine | None = None
        self._last = ""  # the position that was told last
        self._told_engine: UciEngine | None = None  # which was told how many lines are wanted
        self._lines = 1
        self._others: list[UciAgent] = []  # that share the work of a large batch
        from playproof.agents.engines.uci.position_command import PositionCommands

        self._games = PositionCommands(game)
        self.engine()  # a wrong option is refused now, not a lost game later

    @classmethod
    def settled(cls, settings: Mapping[str, str]) -> dict[str, Any]:
        options = super().settled(settings)
        if not options["version"]:
            options["version"] = _version(*_command(options))
        return options

    @property
    def label(self) -> str:
        return _label(self._command)

    @property
    def pace(self) -> str:
        """What the engine is told to think where nobody gives limits: the words after ``go``."""
        o = self.options
        given = [(key, o[key]) for key in ("tc", "movetime", "depth", "nodes") if o[key]]
        return " ".join(f"{key} {value}" for key, value in given or [("movetime", _MOVETIME)])

    @property
    def timed(self) -> bool:
        """Whether the pace is in seconds, so that strength depends on the machine."""
        return "movetime" in self.pace or self._clocks is not None

    @classmethod
    def time_control(cls, options: Mapping[str, Any]) -> str:
        if options["tc"]:
            return super().time_control(options)
        limited = options["depth"] or options["nodes"]
        seconds = (options["movetime"] or (0 if limited else _MOVETIME)) / 1000
        return f"1/{seconds:g}" if seconds else "-"

    def engine(self) -> UciEngine:
        """The engine, started and set up if it is not running."""
        if self._engine is None or not self._engine.is_running:
            self.close()
            limit = self.options["limit"]
            made = UciEngine(self._command, name=self.label, limit=max(limit, 1.0))
            self._check(made)
            try:
                self._set_up(made)
            except EngineFailure:
                made.close()
                raise
            self._engine = made
        return self._engine

    def close(self) -> None:
        """End the engine; the next decision starts it again."""
        for other in self._others:
            other.close()
        self._others.clear()
        if self._engine is not None:
            self._engine.close()
        self._engine, self._last = None, ""

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        """Without a clock, many positions go to as many engines as there are cores to use."""
        import numba

        states = [batch[row] for row in range(len(batch))]
        asked = [self._ask(state, limits, stop) for state in states]
        count = min(len(batch) // _EACH, numba.get_num_threads())
        if asked[0].seconds is not None or self.options["threads"] > 1 or count < 2:
            hearers = [
                on_progress and functools.partial(on_progress, row) for row in range(len(batch))
            ]
            return [self._answer(one, hear) for one, hear in zip(asked, hearers, strict=True)]
        helpers = self._helpers(count)
        with ThreadPoolExecutor(count) as pool:
            parts = [
                pool.submit(helper._answers, asked[k::count]) for k, helper in enumerate(helpers)
            ]
            found: list[Decision | None] = [None] * len(batch)
            for k, part in enumerate(parts):
                found[k::count] = part.result()
        return [decision for decision in found if decision is not None]

    def _helpers(self, count: int) -> list[UciAgent]:
        """This agent and others like it, each with an engine of its own."""
        while len(self._others) < count - 1:
            self._others.append(type(self)(self.game, seed=self.seed, **self.options))
        return [self, *self._others[: count - 1]]

    def _ask(self, state: State, limits: Limits, stop: StopFlag | None) -> _Asked:
        """What the engine is told: the position, and the words after ``go``."""
        words, seconds = self._go(limits, stop)
        if limits.actions:
            names = [state.name(action) for action in limits.actions]
            words += f" searchmoves {' '.join(names)}"
        position = self._games.position(state)
        return _Asked(state, position, words, seconds, limits.lines, stop)

    def _go(self, limits: Limits, stop: StopFlag | None) -> tuple[str, float | None]:
        """The words after ``go``, and the seconds that they give, if any."""
        o = self.options
        depth = least(o["depth"] or None, limits.depth)
        nodes = least(o["nodes"] or None, limits.nodes)
        words = [
            f"{key} {int(value)}" for key, value in (("depth", depth), ("nodes", nodes)) if value
        ]
        if limits.clock is not None:
            # The other's clock is not ours to see, so it is told ours.
            left = max(1, int(1000 * limits.clock.left))
            more = round(1000 * limits.clock.increment)
            words.insert(0, f"wtime {left} btime {left} winc {more} binc {more}")
            return " ".join(words), limits.clock.left
        given = None if limits.seconds in (None, math.inf) else limits.seconds
        seconds = least(o["movetime"] / 1000 or None, given)
        if seconds is not None:
            words.insert(0, f"movetime {max(1, round(1000 * seconds))}")
        elif not words and limits.seconds == math.inf and stop is not None:
            return "infinite", math.inf
        elif not words:
            seconds = _MOVETIME / 1000
            words = [f"movetime {_MOVETIME}"]
        return " ".join(words), seconds

    def _answers(self, asked: list[_Asked]) -> list[Decision]:
        return [self._answer(one, None) for one in asked]

    def _answer(self, asked: _Asked, on_progress: Callable[[Decision], None] | None) -> Decision:
        state, position = asked.state, asked.position
        began = time.perf_counter()
        try:
            engine = self.engine()
            self._tell_lines(engine, asked.lines)
            # Without a clock a decision is not to depend on earlier ones; with one, an
            # engine may keep what it knows of this very game.
            timed = asked.seconds is not None
            if not (timed and self._last and position.startswith(self._last)):
                engine.send("ucinewgame")
            engine.wait_until_ready()  # clearing its memory is not thinking
            began = time.perf_counter()

            def hear(lines: list[EngineLine]) -> None:
                assert on_progress is not None
                seconds = time.perf_counter() - began
                with suppress(EngineFailure):
                    on_progress(self._decision(state, lines, asked.lines, engine.title, seconds))

            lines = engine.search_lines(
                position, asked.words, self.options["limit"] + (asked.seconds or 0.0),
                stop=asked.stop, on_progress=on_progress and hear,
            )  # fmt: skip
        except EngineFailure:
            self._last = ""
            raise
        self._last = position
        seconds = time.perf_counter() - began
        return self._decision(state, lines, asked.lines, engine.title, seconds)

    def _tell_lines(self, engine: UciEngine, lines: int) -> None:
        """How many lines are wanted, where the engine can tell of several."""
        if engine is not self._told_engine:
            self._told_engine, self._lines = engine, 1
        if lines != self._lines and "multipv" in engine.options:
            most = engine.options["multipv"].maximum or lines
            engine.set("MultiPV", str(min(lines, most)))
            self._lines = lines

    def _decision(
        self, state: State, lines: list[EngineLine], count: int, title: str, seconds: float
    ) -> Decision:
        """What the engine says of its best lines; the first has the move that it plays."""
        best = lines[0]
        action = self._read(state, best.move)
        line = self._line(state, best, action)
        statistics: Statistics = {
            "depth": best.depth,
            "nodes": best.nodes,
            "seconds": seconds,
            "engine": title,
        }
        reports = []
        for found in lines[:count] if count > 1 else ():
            with suppress(EngineFailure):  # what it only thinks of cannot lose it the game
                move = found.line[0] if found.line else found.move
                first = self._read(state, move)
                after = self._line(state, replace(found, move=move), first)
                reports.append(MoveReport(first, _value(state, found), line=after))
        return Decision(action, _value(state, best), line, statistics, tuple(reports))

    def _read(self, state: State, move: str) -> int:
        from playproof.core.errors import PlayproofError
        from playproof.games.chess.move_names import read_uci

        try:
            action = read_uci(state.row, move)
        except PlayproofError:
            action = None
        if action is None or action not in state.legal_actions():
            kind = "is no move" if action is None else "is not legal"
            answer = short(move) or "nothing"
            raise EngineFailure(f"{self.label} answered {answer}, which {kind} here")
        return action

    def _line(self, state: State, found: EngineLine, action: int) -> tuple[int, ...]:
        """The play that the engine expects, as far as it fits the move it plays."""
        if found.line[:1] != (found.move,):
            return (action,)  # a weakened engine does not play what it thinks best
        line = []
        for name in found.line:
            try:
                line.append(self._read(state, name))
            except EngineFailure:
                break
            state = state.apply(line[-1])
        return tuple(line)

    def _set_up(self, engine: UciEngine) -> None:
        o = self.options
        if o["threads"] > 1 or "threads" in engine.options:
            engine.set("Threads", str(o["threads"]))
        if "hash" in engine.options:
            engine.set("Hash", str(o["hash"]))
        if o["elo"]:
            engine.set("UCI_LimitStrength", "true")
            engine.set("UCI_Elo", str(o["elo"]))
        if o["skill"] >= 0:
            engine.set("Skill Level", str(o["skill"]))
        for name, value in self._further:
            engine.set(name, value)
        engine.wait_until_ready()

    def _check(self, engine: UciEngine) -> None:
        wanted = self.options["version"]
        said = _plain(engine.title)
        if wanted and said != wanted:
            engine.close()
            raise UsageError(f"uci: {self.label} is {said or 'nameless'}, not {wanted}")
        self.options["version"] = said


@dataclass(frozen=True)
class _Asked:
    """A position before the engine; ``seconds`` are those that its words give, None for none."""

    state: State
    position: str
    words: str
    seconds: float | None
    lines: int
    stop: StopFlag | None


def _value(state: State, found: EngineLine) -> float | None:
    """From White's side."""
    sign = -1.0 if state.current_player == 1 else 1.0
    if found.mate is not None:
        far = MATE - abs(found.mate)
        return sign * (far if found.mate > 0 else -far)
    return None if found.centipawns is None else sign * found.centipawns / 100.0


def _command(options: Mapping[str, Any]) -> tuple[str, ...]:
    engine, text = str(options["engine"]), str(options["command"])
    if bool(engine) == bool(text):
        raise UsageError("uci: name one engine, as in uci:stockfish or uci:command=myengine -x")
    try:
        words = [engine] if engine else shlex.split(text)
    except ValueError as error:
        raise UsageError(f"uci: command={text} cannot be read: {error}") from None
    program = find_program(os.path.expanduser(words[0])) if words else None
    if program is None:
        if words and os.path.isfile(os.path.expanduser(words[0])):
            raise UsageError(
                f"uci: {words[0]} cannot be run: it is no program (chmod +x makes one)"
            )
        hint = " (Debian: apt-get install stockfish)" if engine == "stockfish" else ""
        raise UsageError(f"uci: the program {words[0] if words else text} is not installed{hint}")
    return os.path.abspath(program), *words[1:]


def _label(command: tuple[str, ...]) -> str:
    """What errors call it."""
    return f"uci:{os.path.basename(command[0])}"


@functools.cache
def _version(*command: str) -> str:
    """Name and version, asked for once."""
    engine = UciEngine(command, name=_label(command), limit=_STARTING)
    try:
        return _plain(engine.title)
    finally:
        engine.close()


def _plain(title: str) -> str:
    """A title that a spec string can hold."""
    return " ".join(title.replace(",", " ").replace("=", " ").split())


def _read_set(text: str) -> list[tuple[str, str]]:
    pairs = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, value = part.partition("=")
        if not name.strip() or not equals:
            raise UsageError(f"uci: set={text} cannot be read: want Name=value;Name=value")
        pairs.append((name.strip(), value.strip()))
    return pairs
