"""The agent ``uci``: a chess engine that speaks UCI, such as Stockfish.

The value is in pawns; a mate that the engine announces counts as 10,000 less the moves to it.  The
engine's version is part of the spec string, so results of different versions are never mixed.  If
the spec does not name a version, the engine is asked for it.
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
_MOVETIME = 100  # milliseconds, if no limit is given
_START_SECONDS = 30.0  # for an engine to introduce itself
_POSITIONS_PER_ENGINE = 4  # for fewer, another engine is not worth its start


def _set_digest(text: str, game: Game) -> str:
    """The digest of the option ``set`` if it names files (EvalFile=..., a book), else empty."""
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
        Option("version", "", "its name and version; the engine is asked if not given"),
        Option("elo", 0, "play as if rated so, by UCI_Elo; 0 for full strength", minimum=0),
        Option("skill", -1, "Stockfish's skill level, -1 for its own", minimum=-1, maximum=20),
        Option("movetime", 0, "milliseconds for a move; 100 without another limit", minimum=0),
        TIME_CONTROL,
        Option("depth", 0, "plies to search, 0 for no limit", minimum=0, maximum=245),
        Option("nodes", 0, "nodes for a move, 0 for no limit", minimum=0),
        Option("threads", 1, "that the engine thinks with", minimum=1, maximum=1024),
        Option("hash", 16, "megabytes of the engine's memory", minimum=1, maximum=1 << 20),
        Option(
            "limit",
            60.0,
            "seconds beyond its own after which an engine counts as hung",
            minimum=0.1,
        ),
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
        self._further_options = _read_set(self.options["set"])
        self._command = _command(self.options)
        self._engine: UciEngine | None = None
        self._last_position = ""  # the last position command that the engine searched
        self._line_count = 1  # of the option MultiPV ...
        self._line_count_engine: UciEngine | None = None  # ... in this engine
        self._helpers: list[UciAgent] = []  # that share the work of a large batch
        from playproof.agents.engines.uci.position_command import PositionCommands

        self._positions = PositionCommands(game)
        self.engine()  # so that a wrong option is refused now, and does not lose a game later

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
        """The engine's limits if nobody sets others, as words after ``go``."""
        o = self.options
        limits = [(key, o[key]) for key in ("tc", "movetime", "depth", "nodes") if o[key]]
        return " ".join(f"{key} {value}" for key, value in limits or [("movetime", _MOVETIME)])

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
            engine = UciEngine(self._command, name=self.label, limit=max(limit, 1.0))
            self._check_version(engine)
            try:
                self._set_up(engine)
            except EngineFailure:
                engine.close()
                raise
            self._engine = engine
        return self._engine

    def close(self) -> None:
        """End the engine; the next decision starts it again."""
        for helper in self._helpers:
            helper.close()
        self._helpers.clear()
        if self._engine is not None:
            self._engine.close()
        self._engine, self._last_position = None, ""

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        """Without a clock, many positions are shared among as many engines as there are cores."""
        import numba

        states = [batch[row] for row in range(len(batch))]
        requests = [self._request(state, limits, stop) for state in states]
        count = min(len(batch) // _POSITIONS_PER_ENGINE, numba.get_num_threads())
        if requests[0].seconds is not None or self.options["threads"] > 1 or count < 2:
            return [
                self._decide(request, on_progress and functools.partial(on_progress, row))
                for row, request in enumerate(requests)
            ]
        agents = self._with_helpers(count)
        with ThreadPoolExecutor(count) as pool:
            parts = [
                pool.submit(agent._decide_all, requests[k::count]) for k, agent in enumerate(agents)
            ]
            decisions: list[Decision | None] = [None] * len(batch)
            for k, part in enumerate(parts):
                decisions[k::count] = part.result()
        return [decision for decision in decisions if decision is not None]

    def _with_helpers(self, count: int) -> list[UciAgent]:
        """This agent and others like it, ``count`` in all, each with its own engine."""
        while len(self._helpers) < count - 1:
            self._helpers.append(type(self)(self.game, seed=self.seed, **self.options))
        return [self, *self._helpers[: count - 1]]

    def _request(self, state: State, limits: Limits, stop: StopFlag | None) -> _SearchRequest:
        words, seconds = self._go_words(limits, stop)
        if limits.actions:
            names = [state.name(action) for action in limits.actions]
            words += f" searchmoves {' '.join(names)}"
        position = self._positions.command(state)
        return _SearchRequest(state, position, words, seconds, limits.lines, stop)

    def _go_words(self, limits: Limits, stop: StopFlag | None) -> tuple[str, float | None]:
        """The words after ``go``, and the seconds that they allow (None if they do not say)."""
        o = self.options
        depth = least(o["depth"] or None, limits.depth)
        nodes = least(o["nodes"] or None, limits.nodes)
        words = [
            f"{key} {int(value)}" for key, value in (("depth", depth), ("nodes", nodes)) if value
        ]
        if limits.clock is not None:
            # The opponent's clock is unknown here, so the engine gets its own for both sides.
            left = max(1, int(1000 * limits.clock.left))
            more = round(1000 * limits.clock.increment)
            words.insert(0, f"wtime {left} btime {left} winc {more} binc {more}")
            return " ".join(words), limits.clock.left
        finite = None if limits.seconds in (None, math.inf) else limits.seconds
        seconds = least(o["movetime"] / 1000 or None, finite)
        if seconds is not None:
            words.insert(0, f"movetime {max(1, round(1000 * seconds))}")
        elif not words and limits.seconds == math.inf and stop is not None:
            return "infinite", math.inf
        elif not words:
            seconds = _MOVETIME / 1000
            words = [f"movetime {_MOVETIME}"]
        return " ".join(words), seconds

    def _decide_all(self, requests: list[_SearchRequest]) -> list[Decision]:
        return [self._decide(request, None) for request in requests]

    def _decide(
        self, request: _SearchRequest, on_progress: Callable[[Decision], None] | None
    ) -> Decision:
        state, position = request.state, request.position
        started = time.perf_counter()
        try:
            engine = self.engine()
            self._set_line_count(engine, request.lines)
            # Without a clock, a decision may not depend on earlier ones.  With a clock, the
            # engine may keep what it remembers of this very game.
            timed = request.seconds is not None
            if not (timed and self._last_position and position.startswith(self._last_position)):
                engine.send("ucinewgame")
            engine.wait_until_ready()  # clearing its memory does not count as thinking
            started = time.perf_counter()

            def report_progress(lines: list[EngineLine]) -> None:
                assert on_progress is not None
                seconds = time.perf_counter() - started
                with suppress(EngineFailure):
                    on_progress(self._decision(state, lines, request.lines, engine.title, seconds))

            lines = engine.search_lines(
                position, request.words, self.options["limit"] + (request.seconds or 0.0),
                stop=request.stop, on_progress=on_progress and report_progress,
            )  # fmt: skip
        except EngineFailure:
            self._last_position = ""
            raise
        self._last_position = position
        seconds = time.perf_counter() - started
        return self._decision(state, lines, request.lines, engine.title, seconds)

    def _set_line_count(self, engine: UciEngine, count: int) -> None:
        """Set how many lines the engine reports, if it has the option MultiPV."""
        if engine is not self._line_count_engine:
            self._line_count_engine, self._line_count = engine, 1
        if count != self._line_count and "multipv" in engine.options:
            most = engine.options["multipv"].maximum or count
            engine.set("MultiPV", str(min(count, most)))
            self._line_count = count

    def _decision(
        self, state: State, lines: list[EngineLine], count: int, title: str, seconds: float
    ) -> Decision:
        """The decision from an engine's best lines; the first has the move that it plays."""
        best = lines[0]
        action = self._read_move(state, best.move)
        line = self._read_line(state, best, action)
        statistics: Statistics = {
            "depth": best.depth,
            "nodes": best.nodes,
            "seconds": seconds,
            "engine": title,
        }
        reports = []
        for one in lines[:count] if count > 1 else ():
            with suppress(EngineFailure):  # an illegal move in its analysis does not lose the game
                move = one.pv[0] if one.pv else one.move
                first = self._read_move(state, move)
                play = self._read_line(state, replace(one, move=move), first)
                reports.append(MoveReport(first, _value(state, one), line=play))
        return Decision(action, _value(state, best), line, statistics, tuple(reports))

    def _read_move(self, state: State, move: str) -> int:
        """The action of a move, which must be legal."""
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

    def _read_line(self, state: State, reported: EngineLine, action: int) -> tuple[int, ...]:
        """The play that the engine expects, as far as it is legal; the move alone if the line does
        not begin with it."""
        if reported.pv[:1] != (reported.move,):
            return (action,)  # a weakened engine does not play the move that it finds best
        actions = []
        for name in reported.pv:
            try:
                actions.append(self._read_move(state, name))
            except EngineFailure:
                break
            state = state.apply(actions[-1])
        return tuple(actions)

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
        for name, value in self._further_options:
            engine.set(name, value)
        engine.wait_until_ready()

    def _check_version(self, engine: UciEngine) -> None:
        expected = self.options["version"]
        version = _plain(engine.title)
        if expected and version != expected:
            engine.close()
            raise UsageError(f"uci: {self.label} is {version or 'nameless'}, not {expected}")
        self.options["version"] = version


@dataclass(frozen=True)
class _SearchRequest:
    """One search of an engine: a ``position`` command, and the words after ``go``.

    ``seconds`` is the time that these words allow; None if they set no time.
    """

    state: State
    position: str
    words: str
    seconds: float | None
    lines: int
    stop: StopFlag | None


def _value(state: State, line: EngineLine) -> float | None:
    """The value of a line in pawns, from White's side."""
    sign = -1.0 if state.current_player == 1 else 1.0
    if line.mate is not None:
        size = MATE - abs(line.mate)
        return sign * (size if line.mate > 0 else -size)
    return None if line.centipawns is None else sign * line.centipawns / 100.0


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
                f"uci: {words[0]} cannot be run: it is not executable (chmod +x makes it so)"
            )
        hint = " (Debian: apt-get install stockfish)" if engine == "stockfish" else ""
        raise UsageError(f"uci: the program {words[0] if words else text} is not installed{hint}")
    return os.path.abspath(program), *words[1:]


def _label(command: tuple[str, ...]) -> str:
    """The agent's name in error messages."""
    return f"uci:{os.path.basename(command[0])}"


@functools.cache
def _version(*command: str) -> str:
    """An engine's name and version; it is started once to ask for them."""
    engine = UciEngine(command, name=_label(command), limit=_START_SECONDS)
    try:
        return _plain(engine.title)
    finally:
        engine.close()


def _plain(title: str) -> str:
    """A title without the signs that have a meaning in spec strings."""
    return " ".join(title.replace(",", " ").replace("=", " ").split())


def _read_set(text: str) -> list[tuple[str, str]]:
    pairs = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, value = part.partition("=")
        if not name.strip() or not equals:
            raise UsageError(f"uci: set={text} cannot be read: want Name=value;Name=value")
        pairs.append((name.strip(), value.strip()))
    return pairs
