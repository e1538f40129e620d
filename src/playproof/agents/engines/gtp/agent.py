"""The agent ``gtp``: a Go engine that speaks GTP, such as GNU Go.

A row of a batch does not hold its moves, but it has the hashes of its past positions.  The moves
are reconstructed from those, so the engine sees the real game with its kos.  If a game started
from a set-up position, the stones are placed one by one.  Any order will do, since in every subset
of a position's stones each chain has a liberty.
"""

from __future__ import annotations

import os
import shlex
import time
from typing import TYPE_CHECKING, Any, cast

from playproof.agents.base import Agent, Decision, OnProgress
from playproof.agents.engines.gtp.client import EngineFailure, EngineRefusal, GtpEngine, short
from playproof.agents.engines.process import command_digest, find_program, program_digest
from playproof.agents.identity import FileOption
from playproof.agents.limits import Limits, least
from playproof.core.errors import UsageError, one_of
from playproof.core.spec import Option

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag

_COLOURS = "bw"
_MAX_STATES = 4096  # positions whose moves are remembered


def gnugo_command(options: dict[str, Any], level: int, *, clocked: bool) -> list[str]:
    """The command line of GNU Go for the rules of a game.

    It plays on until all dead stones are captured, since Tromp and Taylor count every stone on the
    board as alive.
    """
    command = ["gnugo", "--mode", "gtp", "--quiet", "--never-resign", "--level", str(level)]
    if options["scoring"] == "area":
        command += ["--chinese-rules", "--play-out-aftermath", "--capture-all-dead"]
    else:
        command += ["--japanese-rules"]
    command += ["--allow-all-suicide"] if options["suicide"] else ["--forbid-suicide"]
    command += ["--positional-superko"] if options["ko"] == "superko" else ["--simple-ko"]
    return command + (["--autolevel"] if clocked else [])


class GtpAgent(Agent):
    name = "gtp"
    summary = "a Go engine that speaks GTP: gtp:gnugo"
    first_word = "engine"
    option_fields = (
        FileOption("engine", "", "a known engine: gnugo", digest=program_digest),
        Option("level", 10, "strength of gnugo", minimum=0, maximum=20),
        Option("time", 0.0, "seconds for a move, 0 for the engine's own pace", minimum=0.0),
        Option("limit", 60.0, "seconds after which an engine counts as hung", minimum=0.1),
        FileOption(
            "command", "", "how to start any other engine, without commas", digest=command_digest
        ),
    )

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        super().__init__(game, seed=seed, **options)
        if game.name != "go":
            raise UsageError(f"gtp plays go, not {game.name}")
        self.go = cast(Any, game)
        if self.go.width != self.go.height:
            raise UsageError(f"gtp plays on square boards, not on {game.options['board']}")
        self._command = self._find_command()
        self._engine: GtpEngine | None = None
        self._commands: set[str] = set()
        # The plays that the engine has had since its board was empty; None if that is unknown.
        self._sent_plays: list[str] | None = None
        self._states: dict[bytes, State] = {}  # with their moves, by all hashes up to the position

    @property
    def label(self) -> str:
        return f"gtp:{os.path.basename(self._command[0])}"

    def _find_command(self) -> list[str]:
        engine, text = self.options["engine"], self.options["command"]
        if bool(engine) == bool(text):
            raise UsageError("gtp: name one engine, as in gtp:gnugo or gtp:command=myengine --gtp")
        if engine not in ("", "gnugo"):
            raise UsageError(f"gtp: {engine} is not {one_of(['gnugo', 'command=...'])}")
        try:
            level, clocked = self.options["level"], self.options["time"] > 0.0
            command = shlex.split(text) or gnugo_command(self.game.options, level, clocked=clocked)
        except ValueError as error:
            raise UsageError(f"gtp: command={text} cannot be read: {error}") from None
        program = find_program(command[0])
        if program is None:
            debian = " (Debian: apt-get install gnugo)"
            hint = debian if engine == "gnugo" else ": name a program, or its path"
            raise UsageError(f"gtp: the program {command[0]} is not installed{hint}")
        return [os.path.abspath(program), *command[1:]]

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        words = batch.words(self.seed)
        seconds = least(self.options["time"] or None, limits.thinking_seconds)
        return [self._choose(batch[row], int(words[row]), seconds) for row in range(len(batch))]

    def _choose(self, state: State, word: int, seconds: float | None) -> Decision:
        started = time.perf_counter()
        colour = _COLOURS[state.current_player or 0]
        try:
            engine = self._start_engine()
            self._send_plays(engine, self._plays(state))
            if "set_random_seed" in self._commands:
                engine.request(f"set_random_seed {word % 2**31}")
            if seconds is not None and "time_left" in self._commands:
                engine.request(f"time_left {colour} {max(1, round(seconds))} 1")
            vertex = engine.request(f"genmove {colour}")
        except EngineFailure:
            self._sent_plays = None  # the state of the engine's board is unknown now
            raise
        action = self._action(state, vertex, f"play {colour} {vertex}")
        elapsed = time.perf_counter() - started
        return Decision(action, statistics={"seconds": elapsed, "engine": engine.name})

    def _action(self, state: State, vertex: str, play: str) -> int:
        """The action of the engine's move, which must be legal; a resignation becomes a pass."""
        has_resigned = vertex.lower() == "resign"
        action = self.go.pass_action if has_resigned else self.go.points.find(vertex)
        if action is None or action not in state.legal_actions():
            self._sent_plays = None
            kind = "is no move" if action is None else "is not legal"
            raise EngineFailure(f"{self.label} answered {short(vertex)}, which {kind} here")
        if self._sent_plays is not None:
            self._sent_plays.append(play)
        if has_resigned:
            self._sent_plays = None
        return int(action)

    def close(self) -> None:
        """End the engine; the next decision starts it again."""
        if self._engine is not None:
            self._engine.close()
        self._engine = self._sent_plays = None

    # The engine

    def _start_engine(self) -> GtpEngine:
        """The running engine, its board set up for the game if it was not before."""
        if self._engine is None or not self._engine.is_running:
            self.close()
            self._engine = GtpEngine(self._command, name=self.label, limit=self.options["limit"])
        engine = self._engine
        if self._sent_plays is None:
            self._commands = set(engine.request("list_commands").split())
            engine.request(f"boardsize {self.go.width}")
            engine.request("clear_board")
            engine.request(f"komi {self.game.options['komi']:g}")
            if self.options["time"] > 0.0 and "time_settings" in self._commands:
                engine.request(f"time_settings 0 {max(1, round(self.options['time']))} 1")
            self._sent_plays = []
        return engine

    def _send_plays(self, engine: GtpEngine, plays: list[str]) -> None:
        """Bring the engine's board to the position after ``plays``."""
        sent = self._sent_plays or []
        if plays[: len(sent)] != sent:
            engine.request("clear_board")
            sent = []
        self._sent_plays = None  # until the last of them is sent
        for play in plays[len(sent) :]:
            try:
                engine.request(play)
            except EngineRefusal:
                self.close()
                raise
        self._sent_plays = list(plays)

    # The game as commands

    def _plays(self, state: State) -> list[str]:
        """Commands that lead from the empty board to ``state``."""
        retraced = self._retrace(state)
        if retraced is None:
            return self._stones(state)
        names = [self.go.points.names[point] for point in self.go.start_stones]
        plays = [f"play b {name}" for name in names]
        side = 1 if names else 0
        for action in retraced.actions:
            plays.append(f"play {_COLOURS[side]} {self.game.action_name(action)}")
            side = 1 - side
        return plays

    def _retrace(self, state: State) -> State | None:
        """The same position with its moves from the start, reconstructed from the hashes of its
        past; None if it does not descend from the start."""
        import numpy as np

        game = self.game
        here = game.kernels.hash(game.option_words, state.row.copy())
        past = np.append(state.history, np.uint64(here))
        start = game.start()
        if int(past[0]) != int(game.kernels.hash(game.option_words, start.row.copy())):
            return None
        length, reached = 0, start
        for known_length in range(len(past) - 1, 0, -1):
            if past[: known_length + 1].tobytes() in self._states:
                length, reached = known_length, self._states[past[: known_length + 1].tobytes()]
                break
        for target in past[length + 1 :]:
            action = self._step(reached, int(target))
            if action is None:
                return None
            reached = reached.apply(action)
        if reached.position_words != state.position_words:
            return None
        if len(self._states) >= _MAX_STATES:
            self._states.clear()
        self._states[past.tobytes()] = reached
        return reached

    def _step(self, state: State, target: int) -> int | None:
        """The action that leads to the position with the hash ``target``, if there is one."""
        game = self.game
        for action in state.legal_actions():
            row = state.row.copy()
            game.kernels.apply(game.option_words, game.tables, row, state.history, action)
            if int(game.kernels.hash(game.option_words, row)) == target:
                return action
        return None

    def _stones(self, state: State) -> list[str]:
        """Commands that place the stones one by one; a capture that made a ko comes last."""
        names = self.go.points.names
        sides = [set(stones) for stones in self.go.stones(state.row)]
        last = []
        ko = state.position.split()[3]
        if ko != "-":
            mover, point = state.current_player or 0, self.go.points.numbers[ko]
            capturing = self._capturing_stone(sides[1 - mover], sides[mover], point)
            if capturing is not None:
                sides[1 - mover].remove(capturing)
                last = [f"play {_COLOURS[mover]} {ko}"]
                last += [f"play {_COLOURS[1 - mover]} {names[capturing]}"]
        plays = [
            f"play {colour} {names[point]}"
            for colour, stones in zip(_COLOURS, sides, strict=True)
            for point in sorted(stones)
        ]
        return plays + last

    def _capturing_stone(self, own: set[int], enemy: set[int], ko: int) -> int | None:
        """The stone that took the ko: a single stone whose only liberty is the ko point."""
        for stone in self._neighbours(ko) & own:
            if self._neighbours(stone) - {ko} <= enemy:
                return stone
        return None

    def _neighbours(self, point: int) -> set[int]:
        width, column = self.go.width, point % self.go.width
        points = {point - width, point + width}
        points |= {point - 1} if column > 0 else set()
        points |= {point + 1} if column < width - 1 else set()
        return {p for p in points if 0 <= p < self.go.points.count}
