"""A game in the terminal: people and agents take turns, with undo and hints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO

from playproof.agents.base import Agent
from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.errors import PlayproofError
from playproof.core.kernels import CHANCE
from playproof.core.state import State
from playproof.formats import terminal
from playproof.formats.record import Record, append_record

HELP = """\
  f5, C3, ...   play a move by its name        ?           the legal moves
  undo          take your last move back       hint        what an agent would play
  save FILE     add the game to a file         resign      give the game up
  board         draw the board again           quit        leave the game"""


class PlayerLeft(Exception):
    """A player left before the end of the game."""


class TerminalGame:
    """One game from ``start``, until it is over or a player resigns or leaves."""

    def __init__(self, start: State, specs: tuple[str, str], *, seed: int, out: TextIO) -> None:
        self.state = start
        self.specs = specs
        self.seed = seed
        self.out = out
        self.result: str | None = None
        self.reason: str | None = None
        game = start.game
        self.agents: list[Agent] = [
            make_agent(spec, game, seed=derive_seed(seed, 1 + side))
            for side, spec in enumerate(specs)
        ]
        self._hinter = make_agent("greedy", game, seed=derive_seed(seed, 3))
        self._commands: dict[str, Callable[[int, str], None]] = {
            "undo": self._undo,
            "hint": self._hint,
            "save": self._save,
            "resign": self._resign,
            "board": lambda side, rest: self._draw(),
            "quit": self._quit,
            "help": lambda side, rest: self._print(HELP),
            "?": self._list,
        }

    def run(self) -> None:
        """Play until the game is over; raises PlayerLeft if someone leaves."""
        while not self.state.is_terminal and self.result is None:
            side = self.state.current_player
            if side == CHANCE:
                action = int(Batch.of([self.state], seed=self.seed).random_actions()[0])
                self._play(action, "chance")
            elif self.agents[side or 0].interactive:
                self._read_turn(side or 0)
            else:
                agent = self.agents[side or 0]
                decision = agent.decide(self.state, seed=self.seed)
                self._play(decision.action, f"{self._player(side or 0)} ({agent.spec})")
        if self.state.is_terminal:
            self._draw()

    @property
    def has_human(self) -> bool:
        return any(agent.interactive for agent in self.agents)

    def record(self) -> Record:
        return Record.of(
            self.state, self.specs, seed=self.seed, result=self.result, reason=self.reason
        )

    # A person's turn

    def _read_turn(self, side: int) -> None:
        self._draw()
        before = self.state
        while self.state is before and self.result is None:
            line = self._read(f"{self._player(side)}, your move (? for help): ").strip()
            word, _, rest = line.partition(" ")
            try:
                if word.lower() in self._commands:
                    self._commands[word.lower()](side, rest.strip())
                elif line:
                    self.state = self.state.apply(line)
            except PlayproofError as error:
                self._print(str(error))

    def _read(self, prompt: str) -> str:
        self.out.write(prompt)
        self.out.flush()
        line = sys.stdin.readline()
        if not line:
            self._print("")
            raise PlayerLeft("the input ended")
        return line

    def _list(self, side: int, rest: str) -> None:
        names = self.state.legal_names()
        self._print(f"{len(names)} legal moves: {' '.join(names)}\n{HELP}")

    def _undo(self, side: int, rest: str) -> None:
        state = self.state
        while state.actions:
            state = state.before()
            player = state.current_player
            if player in (0, 1) and self.agents[player].interactive:
                self.state = state
                return
        self._print("there is no move of yours to take back")

    def _hint(self, side: int, rest: str) -> None:
        decision = self._hinter.decide(self.state, seed=self.seed)
        self._print(f"{self._hinter.spec} would play {self.state.name(decision.action)}")

    def _save(self, side: int, rest: str) -> None:
        if not rest:
            self._print("save where? Write: save FILE")
            return
        append_record(rest, self.record())
        self._print(f"saved to {rest}")

    def _resign(self, side: int, rest: str) -> None:
        self.result = "0-1" if side == 0 else "1-0"
        self.reason = f"{self.state.game.players[side]} resigned"
        self._print(f"{self.reason}.")

    def _quit(self, side: int, rest: str) -> None:
        raise PlayerLeft("the player left")

    # Output

    def _play(self, action: int, player: str) -> None:
        self._print(f"{len(self.state.actions) + 1}. {player}: {self.state.name(action)}")
        self.state = self.state.apply(action)

    def _draw(self) -> None:
        colour, signs = terminal.supports_colour(self.out), terminal.supports_unicode(self.out)
        self._print(terminal.render(self.state.view(), colour=colour, unicode=signs))

    def _player(self, side: int) -> str:
        return self.state.game.players[side]

    def _print(self, text: str) -> None:
        print(text, file=self.out, flush=True)
