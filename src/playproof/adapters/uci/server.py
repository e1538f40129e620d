"""A UCI server: one of our agents as a chess engine for any chess program.

One thread reads commands and another one searches, so that ``stop``, ``isready`` and ``quit`` work
during a search.  No command but ``quit`` ends the server: what cannot be understood is answered by
``info string`` and changes nothing.
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

_WARM_UP_SECONDS = 0.05  # of a first search, so that compiling does not cost time on a clock
_PONDERHIT_SECONDS = 1.0  # to decide after a ponderhit without a clock
_QUIT_SECONDS = 2.0  # for a search to end when the server does


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
        self._lock = threading.Lock()  # so that lines of two threads do not mix
        self._running, self._debug = True, False
        self._thread: threading.Thread | None = None
        self._search: UciSearch | None = None
        self._go_command = GoCommand()
        self._may_answer = threading.Event()  # set once the search may announce its best move
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
            "register": lambda words: self._inform("no registration is needed"),
            "quit": self._quit,
        }

    # The protocol

    def serve(self, lines: Iterable[str], out: TextIO) -> None:
        """Respond to commands until ``quit`` or the end of the input; then stop any search."""
        self._out = out
        for line in lines:
            self.execute(line)
            if not self._running:
                break
        self._quit([])

    @property
    def is_thinking(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def execute(self, line: str) -> None:
        """Execute the command in one line."""
        words = "".join(c if c.isprintable() else " " for c in line).split()
        # UCI: unknown words before a command are ignored.
        place = next((i for i, word in enumerate(words) if word in self._commands), None)
        if not words:
            return
        if place is None:
            self._inform(f"unknown command '{' '.join(words)[:60]}'")
            return
        try:
            self._commands[words[place]](words[place + 1 :])
        except MalformedCommand as malformed:
            self._inform(str(malformed))
        except PlayproofError as error:
            self._inform(one_line(error))
        except Exception as error:  # a bug of ours must not end a game
            self._inform(f"{type(error).__name__}: {one_line(error)}")

    def _write(self, *lines: str) -> None:
        with self._lock:
            try:
                assert self._out is not None
                self._out.write("".join(f"{line}\n" for line in lines))
                self._out.flush()
            except (OSError, ValueError):  # the controller has closed its end
                self._running = False

    def _inform(self, text: str) -> None:
        self._write(f"info string {text}")

    # Setting up

    def _uci(self, words: list[str]) -> None:
        written = self.options.agent.written(self.options.settings)
        self._write(
            f"id name Playproof {__version__} ({written})",
            "id author the authors of Playproof",
            *self.options.declarations(),
            "uciok",
        )

    def _isready(self, words: list[str]) -> None:
        if not self.is_thinking:
            self._prepared_agent()
        self._write("readyok")

    def _prepared_agent(self) -> Agent:
        """The agent, after a first search that compiles what it uses.  It is made again after a
        change of options."""
        if self._agent is None:
            try:
                self._agent = self.options.agent(
                    self.board.game, seed=self._seed, **self.options.settings
                )
                limits = Limits(seconds=_WARM_UP_SECONDS, depth=2)
                UciSearch(self._agent, self.board.game.start(), limits, lambda line: None).decide()
            except Exception as error:
                if self._agent is None:
                    raise
                self._inform(f"{type(error).__name__}: {one_line(error)}")
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
            old_agent, self._agent = self._agent, None
            try:
                self._prepared_agent()
            except PlayproofError:
                self.options.settings, self._agent = before, old_agent
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

    # Searching

    def _go(self, words: list[str]) -> None:
        self._end_search()
        go = GoCommand.read(words)
        agent, board = self._prepared_agent(), self.board
        actions = board.legal(go.searchmoves)
        if go.searchmoves and not actions:
            raise MalformedCommand("go: none of the searchmoves is legal here")
        side = int(board.free.current_player or 0)
        limits = Limits(
            seconds=math.inf if go.unlimited else go.seconds(side, self.options.overhead),
            depth=go.depth or None,
            nodes=go.nodes or None,
            lines=self.options.lines,
            actions=tuple(actions),
        )
        if self._debug:
            self._inform(f"{board.free.position}, limits {limits}")
        self._go_command, self._may_answer = go, threading.Event()
        if not go.unlimited:
            self._may_answer.set()
        self._search = None
        if board.state is not None:
            self._search = UciSearch(agent, board.state, limits, self._write)
        self._thread = threading.Thread(
            target=self._search_and_answer,
            args=(board.free, self._search, self._may_answer),
            daemon=True,
        )
        self._thread.start()

    def _search_and_answer(
        self, free: State, search: UciSearch | None, may_answer: threading.Event
    ) -> None:
        """Run in the search thread: search, wait for permission to answer, announce the move."""
        legal = free.legal_actions()
        best_move = "(none)"
        if legal:
            best_move = free.name(legal[0])
        if search is None:
            self._write("info depth 0 score " + ("cp 0" if legal else _final_score(free)))
        else:
            decision = self._decide(search)
            if decision is not None:
                names = search.state.names_of(decision.line or (decision.action,))
                best_move = search.state.name(decision.action)
                if len(names) > 1 and decision.line[0] == decision.action:
                    best_move += f" ponder {names[1]}"
        may_answer.wait()
        if search is not None and self._go_command.ponder:
            self._write(*search.last_info)  # a controller may have ignored it before the ponderhit
        self._write(f"bestmove {best_move}")

    def _decide(self, search: UciSearch) -> Decision | None:
        """The agent's decision; None if it fails, after a line with the reason."""
        import numba

        numba.set_num_threads(min(self.options.threads, numba.config.NUMBA_NUM_THREADS))
        try:
            decision = search.decide()
            if decision.action in search.state.legal_actions():
                return decision
            self._inform(f"the agent answered {decision.action}, which is not legal here")
        except Exception as error:  # a third-party agent may raise anything
            self._inform(f"the agent failed: {type(error).__name__}: {one_line(error)}")
        return None

    def _stop(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.stop()
        self._may_answer.set()

    def _ponderhit(self, words: list[str]) -> None:
        """The expected move was played: from now on the engine's clock runs."""
        go = self._go_command
        if not (self.is_thinking and go.ponder):
            raise MalformedCommand("ponderhit: not pondering")
        if self._search is not None and not go.infinite:
            side = int(self._search.state.current_player or 0)
            seconds = go.seconds(side, self.options.overhead)
            if seconds is None and not (go.depth or go.nodes):
                seconds = _PONDERHIT_SECONDS
            if seconds is not None:
                self._search.stop(seconds)
        if not go.infinite:
            self._may_answer.set()

    def _end_search(self) -> None:
        """Stop the search, if there is one, and wait for its answer."""
        if self.is_thinking:
            self._stop([])
            assert self._thread is not None
            self._thread.join()

    def _quit(self, words: list[str]) -> None:
        self._running = False
        self._stop([])
        if self._thread is not None:
            self._thread.join(_QUIT_SECONDS)
        if self._agent is not None:
            with contextlib.suppress(Exception):
                self._agent.close()


def _final_score(free: State) -> str:
    """The score of a position without moves, from the mover's side."""
    return "mate 0" if free.outcome else "cp 0"
