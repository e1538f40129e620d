"""A GTP 2 server: one of our agents plays Go, or Quantum Go, for any GTP controller.

It reads commands line by line and writes responses.  No command, and nothing that the agent does
short of ending the process, ends the server: it responds ``? message`` and reads on.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from playproof import __version__
from playproof.adapters.gtp.board import CommandRefused, GtpBoard
from playproof.adapters.gtp.clock import GtpClock
from playproof.agents.base import Agent
from playproof.agents.limits import Limits
from playproof.agents.registry import make_agent
from playproof.core.errors import PlayproofError, UsageError, one_line
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.state import State
from playproof.formats import terminal
from playproof.formats.any_text import read_state
from playproof.games.go.game import Go
from playproof.games.quantum_go.game import QuantumGo

_COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
_LARGEST_ID = 2**31
_WARM_UP = Limits(seconds=0.05, simulations=2)


class Server:
    """The engine's side of the protocol."""

    def __init__(self, game: Game, agent: str, *, seed: int = 0) -> None:
        if not isinstance(game, Go | QuantumGo):
            raise UsageError(f"GTP is for go and quantum-go, not for {game.name}")
        self.board = GtpBoard(game, seed)
        self._spec, self._seed = agent, seed
        self._agent: Agent = make_agent(agent, game, seed=seed)
        if self._agent.interactive:
            raise UsageError(f"{agent} asks a person, who is not at a GTP server's keyboard")
        self._clocks: list[GtpClock | None] = [None, None]
        self._running = True
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: f"Playproof ({self._agent.spec})",
            "version": lambda words: __version__,
            "known_command": lambda words: str(_one(words) in self._commands).lower(),
            "list_commands": lambda words: "\n".join(sorted(self._commands)),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "rectangular_boardsize": self._rectangle,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "showboard": self._showboard,
            "final_score": self._final_score,
            "final_status_list": self._final_status_list,
            "fixed_handicap": self._fixed_handicap,
            "place_free_handicap": self._fixed_handicap,
            "set_free_handicap": self._set_free_handicap,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "loadsgf": self._loadsgf,
            "playproof-asked": lambda words: self.board.question(self.board.state),
            "playproof-choices": lambda words: " ".join(self.board.state.legal_names()),
            "playproof-choose": self._choose,
            "playproof-genchoice": self._genchoice,
            "playproof-pairs": lambda words: "\n".join(self.board.pairs()),
            "playproof-position": lambda words: self.board.state.position,
            "playproof-game": lambda words: self.board.game.spec,
        }

    # The protocol

    def serve(self, lines: Iterable[str], out: TextIO) -> None:
        """Respond to commands until ``quit`` or the end of the input."""
        for line in lines:
            response = self.answer(line)
            if response is not None:
                out.write(response)
                out.flush()
            if not self._running:
                return

    def answer(self, line: str) -> str | None:
        """The response to one line, with the empty line at its end; None for an empty line."""
        words = _words(line)
        if not words:
            return None
        number = ""
        if words[0].isascii() and words[0].isdigit() and int(words[0][:12]) < _LARGEST_ID:
            number = words.pop(0)
        command = self._commands.get(words[0]) if words else None
        if command is None:
            error_text = "unknown command" if words else "syntax error: a number without a command"
            return f"?{number} {error_text}\n\n"
        try:
            text, sign = command(words[1:]), "="
        except CommandRefused as refused:
            text, sign = one_line(refused), "?"
        except PlayproofError as error:
            text, sign = one_line(error), "?"
        except Exception as error:  # a bug of ours must not end a game
            text, sign = f"{type(error).__name__}: {one_line(error)}", "?"
        # An empty line would end the response.
        text = "\n".join(line for line in text.splitlines() if line.strip())
        return f"{sign}{number} {text}\n\n" if text else f"{sign}{number}\n\n"

    def warm_up(self) -> None:
        """Have the agent decide once, so that compiling does not cost time on a clock."""
        with contextlib.suppress(Exception):  # an error will show again when a move is asked for
            self._agent.decide(self.board.state, limits=_WARM_UP)

    # Setting up

    def _quit(self, words: list[str]) -> str:
        self._running = False
        return ""

    def _new_game(self, **options: object) -> None:
        try:
            self.board.new_game(**options)
        except PlayproofError as error:
            raise CommandRefused(f"unacceptable size: {error}") from None
        self._fit_agent()

    def _fit_agent(self) -> None:
        """Make the agent again if the board's game has other options."""
        if self._agent.game != self.board.game:
            self._agent = make_agent(self._spec, self.board.game, seed=self._seed)

    def _boardsize(self, words: list[str]) -> str:
        size = _whole(words)
        self._new_game(board=f"{size}x{size}", handicap=0)
        return ""

    def _rectangle(self, words: list[str]) -> str:
        if len(words) != 2:
            raise CommandRefused("syntax error: want columns and rows")
        self._new_game(board=f"{_whole(words[:1])}x{_whole(words[1:])}", handicap=0)
        return ""

    def _clear_board(self, words: list[str]) -> str:
        self._new_game()
        return ""

    def _komi(self, words: list[str]) -> str:
        self.board.set_komi(_number(words))
        self._fit_agent()
        return ""

    def _fixed_handicap(self, words: list[str]) -> str:
        names = self.board.fixed_handicap(_whole(words))
        self.board.set_handicap(names)
        return " ".join(names)

    def _set_free_handicap(self, words: list[str]) -> str:
        self.board.set_handicap(words)
        return ""

    def _loadsgf(self, words: list[str]) -> str:
        """Load a game, up to the position before a move if its number is given."""
        if not words:
            raise CommandRefused("syntax error: want a file")
        before = None
        if len(words) > 1 and words[-1].isdecimal():
            before = int(words.pop()[:6])
        name = " ".join(words)
        if Path(name).suffix.lower() != ".sgf":
            raise CommandRefused("cannot load file: its name does not end in .sgf")
        try:
            state = read_state(make(self.board.game.name), name)
        except PlayproofError as error:
            raise CommandRefused(f"cannot load file: {error}") from None
        if before is not None and 0 < before <= len(state.actions):
            state = state.before(len(state.actions) - before + 1)
        self.board.load(state)
        self._fit_agent()
        return ""

    # Moves

    def _play(self, words: list[str]) -> str:
        if len(words) < 2:
            raise CommandRefused("syntax error: want a colour and a vertex")
        before = self.board.with_turn_of(_colour(words[0]))
        names = self._decisions(" ".join(words[1:]))
        self.board.push(self.board.play(before, names))
        return ""

    def _decisions(self, text: str) -> list[str]:
        names = self.board.game.split_moves(text)
        if not names or (isinstance(self.board.game, Go) and len(names) != 1):
            raise CommandRefused("syntax error: want one vertex")
        return names

    def _genmove(self, words: list[str]) -> str:
        before, after = self._generate(words)
        self.board.push(after)
        return self.board.turn_text(before, after)

    def _reg_genmove(self, words: list[str]) -> str:
        return self.board.turn_text(*self._generate(words))

    def _generate(self, words: list[str]) -> tuple[State, State]:
        """The positions before and after the agent's decisions, up to the end of its turn or of its
        part in the turn."""
        side = _colour(_one(words))
        before = state = self.board.with_turn_of(side)
        started = time.monotonic()
        while state is before or (
            state.current_player == side and not self.board.begins_turn(state)
        ):
            state = self.board.play(self._decide(state, side), [])
        clock = self._clocks[side]
        if clock is not None:
            clock.spend(time.monotonic() - started)
        return before, state

    def _decide(self, state: State, side: int) -> State:
        """The position after one decision of the agent, made within its time."""
        clock, limits = self._clocks[side], Limits()
        if clock is not None:
            seconds = clock.budget(self._count_empty(state))
            # A turn of Quantum Go has three decisions: two points, and which of them is kept.
            limits = Limits(seconds=seconds if isinstance(state.game, Go) else seconds / 3)
        try:
            return state.apply(self._agent.decide(state, seed=self._seed, limits=limits).action)
        except Exception as error:  # a third-party agent may raise anything
            raise CommandRefused(f"the agent {self._spec} failed: {one_line(error)}") from None

    def _count_empty(self, state: State) -> int:
        game = self.board.game
        occupied = sum(map(len, game.stones(state.row)))
        if isinstance(game, QuantumGo):
            occupied += sum(map(len, game.entangled(state.row)))
        return game.points.count - occupied

    def _choose(self, words: list[str]) -> str:
        state = self.board.state
        if state.is_terminal:
            raise CommandRefused("illegal move: the game is over")
        self.board.push(self.board.play(state, [_one(words)]))
        return ""

    def _genchoice(self, words: list[str]) -> str:
        state = self.board.state
        if state.current_player not in (0, 1):
            raise CommandRefused("illegal move: the game is over")
        after = self.board.play(self._decide(state, state.current_player or 0), [])
        self.board.push(after)
        return state.name(after.actions[len(state.actions)])

    def _undo(self, words: list[str]) -> str:
        self.board.undo()
        return ""

    # Clocks

    def _time_settings(self, words: list[str]) -> str:
        if len(words) != 3:
            raise CommandRefused("syntax error: want main time, byo-yomi time and stones")
        main, period = _seconds(words[:1]), _seconds(words[1:2])
        stones = _whole(words[2:])
        self._clocks = [GtpClock.of(main, period, stones) for _ in range(2)]
        return ""

    def _time_left(self, words: list[str]) -> str:
        if len(words) != 3:
            raise CommandRefused("syntax error: want a colour, seconds and stones")
        side, left, stones = _colour(words[0]), _seconds(words[1:2]), _whole(words[2:])
        clock = self._clocks[side] or GtpClock(left, 0.0, 0)
        clock.update(left, stones)
        self._clocks[side] = clock
        return ""

    # The board

    def _showboard(self, words: list[str]) -> str:
        picture = terminal.render(self.board.state.view(), colour=False, unicode=False)
        return "\n" + picture

    def _final_score(self, words: list[str]) -> str:
        """The score of the board as it stands: all stones count as alive."""
        margin = self.board.state.score
        if margin == 0:
            return "0"
        return f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"

    def _final_status_list(self, words: list[str]) -> str:
        status = _one(words)
        if status not in ("alive", "dead", "seki"):
            raise CommandRefused("syntax error: want alive, dead or seki")
        stones = [name for names in self.board.stone_names() for name in names]
        return " ".join(stones) if status == "alive" else ""


# Parsing of arguments


def _words(line: str) -> list[str]:
    """The words of a line, without comment and control characters."""
    line = line.partition("#")[0].replace("\t", " ")
    return "".join(c for c in line if c == " " or c.isprintable()).split()


def _one(words: list[str]) -> str:
    if len(words) != 1:
        raise CommandRefused(f"syntax error: want one argument, not {len(words)}")
    return words[0]


def _colour(word: str) -> int:
    if word.lower() not in _COLOURS:
        raise CommandRefused(f"syntax error: {word[:20]} is not black or white")
    return _COLOURS[word.lower()]


def _number(words: list[str]) -> float:
    word = _one(words)
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise CommandRefused(f"syntax error: {word[:20]} is not a number")
    return value


def _seconds(words: list[str]) -> float:
    value = _number(words)
    if not 0.0 <= value <= 1e9:
        raise CommandRefused(f"syntax error: {words[0][:20]} is no time in seconds")
    return value


def _whole(words: list[str]) -> int:
    word = _one(words)
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise CommandRefused(f"syntax error: {word[:20]} is not a whole number")
    return int(word)
