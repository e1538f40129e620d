"""``uci``: a chess engine that speaks UCI plays for us, Stockfish for one.

The value is in pawns; a mate that the engine announces is 10,000 less the
moves to it.  The engine's version is part of the spec string, found out when
it is not given: results of one version are never mixed with another's.
"""

from __future__ import annotations

import functools
import os
import shlex
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision
from playproof.agents.engine_process import command_digest, find_program, program_digest, short
from playproof.agents.game_clocks import GameClock, GameClocks, TimeControl
from playproof.agents.identity import FileOption, digest_of, path_digest
from playproof.agents.uci_engine import Engine, EngineFailure, Found
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State

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
    name = "uci"
    summary = "a chess engine that speaks UCI: uci:stockfish,elo=1500,movetime=20"
    first_word = "engine"
    option_fields = (
        FileOption(
            "engine", "", "its program: stockfish, or the path of one", digest=program_digest
        ),
        Option("version", "", "its name and version; found out if not given"),
        Option("elo", 0, "play as if rated so, by UCI_Elo; 0 for full strength", minimum=0),
        Option("skill", -1, "Stockfish's skill level, -1 for its own", minimum=-1, maximum=20),
        Option("movetime", 0, "milliseconds for a move; 100 without another limit", minimum=0),
        Option("tc", "", "seconds for the game and seconds a move: 60+0.6"),
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
        self._clocks = _clocks(self.options)
        self._further = _read_set(self.options["set"])
        self._command = _command(self.options)
        self._label = _label(self._command)
        self._engine: Engine | None = None
        self._last = ""  # the position that was told last
        self._others: list[UciAgent] = []  # that share the work of a large batch
        from playproof.agents.uci_game import Games

        self._games = Games(game)
        self.engine()  # a wrong option is refused now, not a lost game later

    @classmethod
    def settled(cls, settings: Mapping[str, str]) -> dict[str, Any]:
        options = super().settled(settings)
        if not options["version"]:
            options["version"] = _version(*_command(options))
        return options

    @property
    def limits(self) -> str:
        """What the engine is told to think: the words after ``go``."""
        o = self.options
        given = [(key, o[key]) for key in ("tc", "movetime", "depth", "nodes") if o[key]]
        return " ".join(f"{key} {value}" for key, value in given or [("movetime", _MOVETIME)])

    @property
    def timed(self) -> bool:
        """Whether the limit is in seconds, so that strength depends on the machine."""
        return "movetime" in self.limits or self._clocks is not None

    @classmethod
    def time_control(cls, options: Mapping[str, Any]) -> str:
        if options["tc"]:
            return str(TimeControl.parse(cls.name, options["tc"]))
        limited = options["depth"] or options["nodes"]
        seconds = (options["movetime"] or (0 if limited else _MOVETIME)) / 1000
        return f"1/{seconds:g}" if seconds else "-"

    def engine(self) -> Engine:
        """The engine, started and set up if it is not running."""
        if self._engine is None or not self._engine.is_running:
            self.close()
            limit = self.options["limit"]
            made = Engine(self._command, name=self._label, limit=max(limit, 1.0))
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

    def choose(self, batch: Batch) -> list[Decision]:
        """Without a clock, many positions go to as many engines as there are cores to use."""
        import numba

        count = min(len(batch) // _EACH, numba.get_num_threads())
        if self.timed or self.options["threads"] > 1 or count < 2:
            seeds = batch.seeds.tolist()
            return [self._choose(batch[row], seeds[row]) for row in range(len(batch))]
        states = [batch[row] for row in range(len(batch))]
        positions = [self._games.position(state) for state in states]
        helpers = self._helpers(count)
        with ThreadPoolExecutor(count) as pool:
            parts = [
                pool.submit(helper._answers, states[k::count], positions[k::count])
                for k, helper in enumerate(helpers)
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

    def _answers(self, states: list[State], positions: list[str]) -> list[Decision]:
        pairs = zip(states, positions, strict=True)
        return [self._asked(state, position) for state, position in pairs]

    def _choose(self, state: State, seed: int) -> Decision:
        position = self._games.position(state)
        clock = None if self._clocks is None else self._clocks.clock(seed, position)
        return self._asked(state, position, clock)

    def _asked(self, state: State, position: str, clock: GameClock | None = None) -> Decision:
        if clock is not None and position == clock.position:
            # Asked again, as a referee does whom another game's failure left without an answer.
            if clock.decision is None:
                raise self._lost_on_time(clock)
            return clock.decision
        began = time.perf_counter()
        try:
            engine = self.engine()
            # Without a clock a decision is not to depend on earlier ones; with one, an
            # engine may keep what it knows of this very game.
            if not (self.timed and self._last and position.startswith(self._last)):
                engine.send("ucinewgame")
            seconds = self.options["limit"] + self.options["movetime"] / 1000
            if clock is None:
                found = engine.search(position, self.limits, seconds)
            else:
                engine.ready()  # clearing its memory is not thinking
                began = time.perf_counter()
                found = engine.search(position, self._go(clock), clock.left + seconds)
        except EngineFailure:
            self._last = ""
            raise
        self._last, spent = position, time.perf_counter() - began
        if clock is not None and not self._clocked().press(clock, position, spent):
            raise self._lost_on_time(clock)
        decision = self._decision(state, found, engine.title, spent)
        if clock is not None:
            clock.decision = decision
        return decision

    def _clocked(self) -> GameClocks:
        assert self._clocks is not None
        return self._clocks

    def _go(self, clock: GameClock) -> str:
        """The words after ``go``: the other's clock is not ours to see, so it is told ours."""
        left, more = clock.milliseconds(), round(1000 * self._clocked().control.increment)
        words = [f"wtime {left} btime {left} winc {more} binc {more}"]
        words += [f"{key} {self.options[key]}" for key in ("depth", "nodes") if self.options[key]]
        return " ".join(words)

    def _lost_on_time(self, clock: GameClock) -> EngineFailure:
        return EngineFailure(
            f"{self._label} lost on time: its move came {-clock.left:.2f} s too late "
            f"(tc={self._clocked().control})"
        )

    def _decision(self, state: State, found: Found, title: str, seconds: float) -> Decision:
        action = self._read(state, found.move)
        line = self._line(state, found, action)
        statistics = {
            "depth": found.depth,
            "nodes": found.nodes,
            "seconds": seconds,
            "engine": title,
        }
        return Decision(action, _value(state, found), line, statistics)

    def _read(self, state: State, move: str) -> int:
        from playproof.core.errors import PlayproofError
        from playproof.games.chess_names import read_uci

        try:
            action = read_uci(state.row, move)
        except PlayproofError:
            action = None
        if action is None or action not in state.legal_actions():
            kind = "is no move" if action is None else "is not legal"
            answer = short(move) or "nothing"
            raise EngineFailure(f"{self._label} answered {answer}, which {kind} here")
        return action

    def _line(self, state: State, found: Found, action: int) -> tuple[int, ...]:
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

    def _set_up(self, engine: Engine) -> None:
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
        engine.ready()

    def _check(self, engine: Engine) -> None:
        wanted = self.options["version"]
        said = _plain(engine.title)
        if wanted and said != wanted:
            engine.close()
            raise UsageError(f"uci: {self._label} is {said or 'nameless'}, not {wanted}")
        self.options["version"] = said


def _clocks(options: Mapping[str, Any]) -> GameClocks | None:
    if not options["tc"]:
        return None
    if options["movetime"]:
        raise UsageError("uci: tc and movetime both set the time: give one of them")
    return GameClocks(TimeControl.parse("uci", options["tc"]))


def _value(state: State, found: Found) -> float | None:
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
    engine = Engine(command, name=_label(command), limit=_STARTING)
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
