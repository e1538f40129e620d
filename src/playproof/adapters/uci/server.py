"""A UCI server: an agent of ours is a chess engine for any program with boards.

One thread reads lines, another thinks, so that ``stop``, ``isready`` and
``quit`` are heard during a search.  Nothing that a line says ends the server:
what cannot be understood is answered by ``info string`` and changes nothing.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterable
from typing import TextIO

from playproof import __version__
from playproof.adapters.uci.clock import GoCommand, MalformedCommand
from playproof.adapters.uci.options import Options
from playproof.adapters.uci.position import UciBoard
from playproof.adapters.uci.search import UciSearch
from playproof.agents import registry
from playproof.agents.base import Agent, Decision
from playproof.agents.limits import Limits
from playproof.core import spec
from playproof.core.errors import PlayproofError, UsageError, one_line
from playproof.core.state import State

_WARM_UP = 0.05  # seconds of a first look, so that no clock pays for compiling
_PONDERED = 1.0  # seconds after a ponderhit without a clock
_PATIENCE = 2.0  # seconds for a search to end with the server


class Server:
    """The engine's side of the protocol."""

    def __init__(self, agent: str, *, seed: int = 0) -> None:
        name, settings = spec.parse(agent)
        cls = registry.find(name)
        if cls.interactive:
            raise UsageError(f"{agent} asks a person, who is not at a UCI server's keyboard")
        self.options = Options(cls, cls.settled(settings))
        self._seed = seed
        self._agent: Agent | None = None
        self._board: UciBoard | None = None
        self._out: TextIO | None = None
        self._lock = threading.Lock()  # lines are said whole
        self._running, self._debug = True, False
        self._thread: threading.Thread | None = None
        self._search: UciSearch | None = None
        self._asked = GoCommand()
        self._free = threading.Event()  # the search may answer as soon as it has an answer
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "ucinewgame": self._ucinewgame,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "setoption": self._setoption,
            "debug": self._set_debug,
            "register": lambda words: self._tell("no registration is needed"),
            "quit": self._quit,
        }

    # The protocol

    def serve(self, lines: Iterable[str], out: TextIO) -> None:
        """Answer until ``quit`` or the end of the input; a search is ended then."""
        self._out = out
        for line in lines:
            self.hear(line)
            if not self._running:
                break
        self._quit([])

    @property
    def is_thinking(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def hear(self, line: str) -> None:
        """Do what one line says."""
        words = "".join(c if c.isprintable() else " " for c in line).split()
        # UCI: what is not known before a command is passed over.
        known = next((i for i, word in enumerate(words) if word in self._commands), None)
        if not words:
            return
        if known is None:
            self._tell(f"unknown command '{' '.join(words)[:60]}'")
            return
        try:
            self._commands[words[known]](words[known + 1 :])
        except MalformedCommand as malformed:
            self._tell(str(malformed))
        except PlayproofError as error:
            self._tell(one_line(error))
        except Exception as error:  # a mistake of ours must not end a game
            self._tell(f"{type(error).__name__}: {one_line(error)}")

    def _say(self, *lines: str) -> None:
        with self._lock:
            try:
                assert self._out is not None
                self._out.write("".join(f"{line}\n" for line in lines))
                self._out.flush()
            except (OSError, ValueError):  # nobody listens any more
                self._running = False

    def _tell(self, text: str) -> None:
        self._say(f"info string {text}")

    # Setting up

    def _uci(self, words: list[str]) -> None:
        written = self.options.agent.written(self.options.settings)
        self._say(
            f"id name Playproof {__version__} ({written})",
            "id author the authors of Playproof",
            *self.options.declarations(),
            "uciok",
        )

    def _isready(self, words: list[str]) -> None:
        if not self.is_thinking:
            self._ready()
        self._say("readyok")

    def _ready(self) -> Agent:
        """The agent, which has looked at a board once; made anew after a change of options."""
        if self._agent is None:
            try:
                self._agent = self.options.agent(
                    self.board.game, seed=self._seed, **self.options.settings
                )
                limits = Limits(seconds=_WARM_UP, depth=2)
                UciSearch(self._agent, self.board.game.start(), limits, lambda line: None).decide()
            except Exception as error:
                if self._agent is None:
                    raise
                self._tell(f"{type(error).__name__}: {one_line(error)}")
        return self._agent

    @property
    def board(self) -> UciBoard:
        if self._board is None:
            self._board = UciBoard()
        return self._board

    def _setoption(self, words: list[str]) -> None:
        if self.is_thinking:
            raise MalformedCommand("setoption: not while thinking")
        before = dict(self.options.settings)
        if self.options.set(words) and self.options.settings != before:
            kept, self._agent = self._agent, None
            try:
                self._ready()
            except PlayproofError:
                self.options.settings, self._agent = before, kept
                raise

    def _set_debug(self, words: list[str]) -> None:
        if words not in (["on"], ["off"]):
            raise MalformedCommand("debug: want on or off")
        self._debug = words == ["on"]

    def _ucinewgame(self, words: list[str]) -> None:
        self._end_search()
        if self._agent is not None:
            self._agent.new_game()

    def _position(self, words: list[str]) -> None:
        self.board.set(words)

    # Thinking

    def _go(self, words: list[str]) -> None:
        self._end_search()
        go = GoCommand.read(words)
        agent, board = self._ready(), self.board
        only = board.legal(go.searchmoves)
        if go.searchmoves and not only:
            raise MalformedCommand("go: none of the searchmoves is legal here")
        side = int(board.free.current_player or 0)
        limits = Limits(
            seconds=math.inf if go.unlimited else go.seconds(side, self.options.overhead),
            depth=go.depth or None,
            nodes=go.nodes or None,
            lines=self.options.lines,
            actions=tuple(only),
        )
        if self._debug:
            self._tell(f"{board.free.position}, limits {limits}")
        self._asked, self._free = go, threading.Event()
        if not go.unlimited:
            self._free.set()
        self._search = None
        if board.state is not None:
            self._search = UciSearch(agent, board.state, limits, self._say)
        self._thread = threading.Thread(
            target=self._think, args=(board.free, self._search, self._free), daemon=True
        )
        self._thread.start()

    def _think(self, free: State, search: UciSearch | None, may_answer: threading.Event) -> None:
        """The other thread: think, wait to be asked if need be, answer."""
        legal = free.legal_actions()
        answer = "(none)"
        if legal:
            answer = free.name(legal[0])
        if search is None:
            self._say("info depth 0 score " + ("cp 0" if legal else _ended(free)))
        else:
            decision = self._decide(search)
            if decision is not None:
                names = search.state.names_of(decision.line or (decision.action,))
                answer = search.state.name(decision.action)
                if len(names) > 1 and decision.line[0] == decision.action:
                    answer += f" ponder {names[1]}"
        may_answer.wait()
        if search is not None and self._asked.ponder:
            self._say(*search.last_said)  # what was said before the hit may have been passed over
        self._say(f"bestmove {answer}")

    def _decide(self, search: UciSearch) -> Decision | None:
        """The agent's decision; None, and why, if it fails."""
        import numba

        numba.set_num_threads(min(self.options.threads, numba.config.NUMBA_NUM_THREADS))
        try:
            decision = search.decide()
            if decision.action in search.state.legal_actions():
                return decision
            self._tell(f"the agent answered {decision.action}, which is not legal here")
        except Exception as error:  # somebody's agent
            self._tell(f"the agent failed: {type(error).__name__}: {one_line(error)}")
        return None

    def _stop(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.hurry()
        self._free.set()

    def _ponderhit(self, words: list[str]) -> None:
        """The expected move was played: from now on our clock runs."""
        if not (self.is_thinking and self._asked.ponder):
            raise MalformedCommand("ponderhit: not pondering")
        if self._search is not None and not self._asked.infinite:
            side = int(self._search.state.current_player or 0)
            seconds = self._asked.seconds(side, self.options.overhead)
            if seconds is None and not (self._asked.depth or self._asked.nodes):
                seconds = _PONDERED
            if seconds is not None:
                self._search.hurry(seconds)
        if not self._asked.infinite:
            self._free.set()

    def _end_search(self) -> None:
        """Have a search answer, and wait for that."""
        if self.is_thinking:
            self._stop([])
            assert self._thread is not None
            self._thread.join()

    def _quit(self, words: list[str]) -> None:
        self._running = False
        self._stop([])
        if self._thread is not None:
            self._thread.join(_PATIENCE)
        if self._agent is not None:
            with contextlib.suppress(Exception):
                self._agent.close()


def _ended(free: State) -> str:
    """The score of a position without moves, from the mover's side."""
    return "mate 0" if free.outcome else "cp 0"
