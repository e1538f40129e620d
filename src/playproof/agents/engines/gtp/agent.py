"""``gtp``: a Go engine that speaks GTP plays for us, GNU Go for one.

A batch row does not know its moves, but it has the hashes of its past: the
moves are found again from those, so the engine sees the real game with its
kos.  Where a game began from a position that was set up, the stones are put
down one by one; any order will do, since every subset of a position's stones
leaves each chain a liberty.
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
_KNOWN_GAMES = 4096  # positions whose moves are remembered


def gnugo_command(options: dict[str, Any], level: int, *, clocked: bool) -> list[str]:
    """GNU Go with the rules of our game.  It plays until nothing dead is left on the
    board, since Tromp and Taylor count what stands."""
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
        FileOption("engine", "", "one that is known: gnugo", digest=program_digest),
        Option("level", 10, "strength of gnugo", minimum=0, maximum=20),
        Option("time", 0.0, "seconds for a move, 0 for the engine's own pace", minimum=0.0),
        Option("limit", 60.0, "seconds until an engine is taken for hung", minimum=0.1),
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
        self._told: list[str] | None = None  # what was played since the board was empty
        self._games: dict[bytes, State] = {}

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
            hint = " (Debian: apt-get install gnugo)" if engine == "gnugo" else ""
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
        began = time.perf_counter()
        colour = _COLOURS[state.current_player or 0]
        try:
            engine = self._ready()
            self._tell(engine, self._plays(state))
            if "set_random_seed" in self._commands:
                engine.request(f"set_random_seed {word % 2**31}")
            if seconds is not None and "time_left" in self._commands:
                engine.request(f"time_left {colour} {max(1, round(seconds))} 1")
            answer = engine.request(f"genmove {colour}")
        except EngineFailure:
            self._told = None  # whatever the engine knows now, it is told anew
            raise
        action = self._action(state, answer, f"play {colour} {answer}")
        spent = time.perf_counter() - began
        return Decision(action, statistics={"seconds": spent, "engine": engine.name})

    def _action(self, state: State, answer: str, played: str) -> int:
        """The engine's move, if it is one; who resigns passes."""
        given_up = answer.lower() == "resign"
        action = self.go.pass_action if given_up else self.go.points.find(answer)
        if action is None or action not in state.legal_actions():
            self._told = None
            kind = "is no move" if action is None else "is not legal"
            raise EngineFailure(f"{self.label} answered {short(answer)}, which {kind} here")
        if self._told is not None:
            self._told.append(played)
        if given_up:
            self._told = None
        return int(action)

    def close(self) -> None:
        """End the engine; the next decision starts it again."""
        if self._engine is not None:
            self._engine.close()
        self._engine = self._told = None

    # The engine

    def _ready(self) -> GtpEngine:
        """The engine with an empty board of our size, or as it was left."""
        if self._engine is None or not self._engine.is_running:
            self.close()
            self._engine = GtpEngine(self._command, name=self.label, limit=self.options["limit"])
        engine = self._engine
        if self._told is None:
            self._commands = set(engine.request("list_commands").split())
            engine.request(f"boardsize {self.go.width}")
            engine.request("clear_board")
            engine.request(f"komi {self.game.options['komi']:g}")
            if self.options["time"] > 0.0 and "time_settings" in self._commands:
                engine.request(f"time_settings 0 {max(1, round(self.options['time']))} 1")
            self._told = []
        return engine

    def _tell(self, engine: GtpEngine, plays: list[str]) -> None:
        told = self._told or []
        if plays[: len(told)] != told:
            engine.request("clear_board")
            told = []
        self._told = None  # until all of it is told
        for play in plays[len(told) :]:
            try:
                engine.request(play)
            except EngineRefusal:
                self.close()
                raise
        self._told = list(plays)

    # What it is told

    def _plays(self, state: State) -> list[str]:
        """Commands that lead from the empty board to ``state``."""
        found = self._retrace(state)
        if found is None:
            return self._stones(state)
        names = [self.go.points.names[point] for point in self.go.start_stones]
        plays = [f"play b {name}" for name in names]
        side = 1 if names else 0
        for action in found.actions:
            plays.append(f"play {_COLOURS[side]} {self.game.action_name(action)}")
            side = 1 - side
        return plays

    def _retrace(self, state: State) -> State | None:
        """The same position as reached from the start, found by the hashes of its past."""
        import numpy as np

        game = self.game
        here = game.kernels.hash(game.option_words, state.row.copy())
        past = np.append(state.history, np.uint64(here))
        start = game.start()
        if int(past[0]) != int(game.kernels.hash(game.option_words, start.row.copy())):
            return None
        known, found = 0, start
        for length in range(len(past) - 1, 0, -1):
            if past[: length + 1].tobytes() in self._games:
                known, found = length, self._games[past[: length + 1].tobytes()]
                break
        for wanted in past[known + 1 :]:
            action = self._step(found, int(wanted))
            if action is None:
                return None
            found = found.apply(action)
        if found.position_words != state.position_words:
            return None
        if len(self._games) >= _KNOWN_GAMES:
            self._games.clear()
        self._games[past.tobytes()] = found
        return found

    def _step(self, state: State, wanted: int) -> int | None:
        """The action that leads to a position with this hash."""
        game = self.game
        for action in state.legal_actions():
            row = state.row.copy()
            game.kernels.apply(game.option_words, game.tables, row, state.history, action)
            if int(game.kernels.hash(game.option_words, row)) == wanted:
                return action
        return None

    def _stones(self, state: State) -> list[str]:
        """The stones one by one; the capture that made a ko, if there is one, last."""
        names = self.go.points.names
        sides = [set(stones) for stones in self.go.stones(state.row)]
        last = []
        ko = state.position.split()[3]
        if ko != "-":
            mover, point = state.current_player or 0, self.go.points.numbers[ko]
            taker = self._taker(sides[1 - mover], sides[mover], point)
            if taker is not None:
                sides[1 - mover].remove(taker)
                last = [f"play {_COLOURS[mover]} {ko}"]
                last += [f"play {_COLOURS[1 - mover]} {names[taker]}"]
        plays = [
            f"play {colour} {names[point]}"
            for colour, stones in zip(_COLOURS, sides, strict=True)
            for point in sorted(stones)
        ]
        return plays + last

    def _taker(self, own: set[int], enemy: set[int], ko: int) -> int | None:
        """The stone that took the ko: a lone one whose last liberty is the ko point."""
        for stone in self._beside(ko) & own:
            if self._beside(stone) - {ko} <= enemy:
                return stone
        return None

    def _beside(self, point: int) -> set[int]:
        width, column = self.go.width, point % self.go.width
        found = {point - width, point + width}
        found |= {point - 1} if column > 0 else set()
        found |= {point + 1} if column < width - 1 else set()
        return {p for p in found if 0 <= p < self.go.points.count}
