"""One game of the lab: its lines, seats, clocks, result and version.

A room knows the rules of playing together: whose decision it is, what may be taken back, when a
version is stale. It starts nothing by itself: agents, timers, connections and saving are the
lab's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from playproof.core.batch import Batch
from playproof.core.errors import PlayproofError
from playproof.core.game import Game
from playproof.core.kernels import CHANCE
from playproof.core.registry import make
from playproof.core.state import State
from playproof.core.view import View
from playproof.formats.record import RESULTS, Record
from playproof.web.catalog import listing as catalog
from playproof.web.game.clock import Clocks
from playproof.web.game.variations import MOST_PLIES, GameLines, Move
from playproof.web.game.views import ViewCache
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Result

OUT_OF_TIME = "ran out of time"
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_CALLED_OFF = MOST_PLIES - 100  # leaves room for chance moves that still have to follow


@dataclass
class Seat:
    """``kind`` is human, open or agent. ``person`` sits there, or the agent ``spec`` plays."""

    kind: Literal["human", "open", "agent"]
    person: str = ""
    spec: str = ""


class Room:
    """A game with its seats; ``analysis`` is one person's board, on which lines may branch."""

    def __init__(self, lines: GameLines, seats: list[Seat], creator: str, *, seed: int = 0) -> None:
        self.id = "".join(secrets.choice(_LETTERS) for _ in range(12))
        self.game: Game = lines.start.game
        self.variant = catalog.variant_of(self.game)
        self.lines = lines
        self.seats = seats
        self.creator = creator
        self.seed = seed
        self.ver = 1
        self.clocks: Clocks | None = None
        self.analysis = False
        self.source: dict[str, Any] | None = None  # who played it, according to its text
        self.shared = any(seat.kind == "open" for seat in seats)
        self.ended: tuple[str, str] | None = None  # result and reason, if no move ended the game
        self.undone: list[Move] = []  # moves that redo would play, the next one last
        self.undone_at = 0, 0  # in an analysis, the line and ply they were taken back at
        self.updated = time.time()
        self.thinking = False  # an agent is choosing its move
        self.connected: set[str] = set()  # persons
        self.last_seen = time.monotonic()  # when somebody last viewed it
        self.deleted = False  # then it must not be saved again
        self.exports: dict[tuple[int, str], tuple[int, str]] = {}  # (line, kind): version, text
        self.view_cache = ViewCache(lines)

    # Questions

    def state_at(self, ply: int | None = None, line: int = 0) -> State:
        """The position after ``ply`` moves of a line, by default the last one."""
        return self.lines.state(line, ply)

    @property
    def state(self) -> State:
        return self.lines.state(0)

    @property
    def result(self) -> Result:
        return cast(Result, self.ended[0] if self.ended else RESULTS[self.state.outcome])

    @property
    def reason(self) -> str | None:
        if self.ended:
            return self.ended[1]
        return self.full_view(0).over if self.state.is_terminal else None

    @property
    def is_over(self) -> bool:
        return self.ended is not None or self.state.is_terminal

    @property
    def to_move(self) -> int | None:
        """The side to move in the last position: 0, 1, CHANCE, or None at the end."""
        return None if self.is_over else self.state.current_player

    def sides_of(self, person: str) -> list[int]:
        return [side for side, seat in enumerate(self.seats) if seat.person == person != ""]

    def may_see(self, person: str) -> bool:
        return self.shared or person == self.creator or bool(self.sides_of(person))

    def may_move(self, person: str) -> bool:
        """Whether a person may move, in a game at the last position."""
        if self.analysis:
            return person == self.creator
        return self.to_move in self.sides_of(person)

    @property
    def agent_to_move(self) -> str | None:
        """The spec of the agent that is to move."""
        side = self.to_move
        if self.analysis or side is None or side == CHANCE:
            return None
        return self.seats[side].spec or None

    def _undo_ply(self, person: str) -> int | None:
        """The ply that an undo would go back to; None if there is nothing to take back."""
        states = self.lines.states(0)
        sides = self.sides_of(person)
        if self.analysis or not sides:
            return None
        against = any(s.kind != "agent" and s.person != person for s in self.seats)
        if against and (self.ended or self.clocks):
            return None  # the result and the clocks belong to both players
        if self.ended and self.ended[1].endswith(OUT_OF_TIME):
            return None
        for ply in range(len(states) - 2, -1, -1):
            side = states[ply].current_player
            if side in sides:
                return ply
            # What another person has decided since must stand.
            if side is not None and side != CHANCE and self.seats[side].kind != "agent":
                return None
        return None

    def may_undo(self, person: str) -> bool:
        return self._undo_ply(person) is not None

    def may_resign(self, person: str) -> bool:
        return not self.analysis and not self.is_over and bool(self.sides_of(person))

    # Changes; each raises a Refusal and changes nothing if it is not allowed

    def check_version(self, ver: int | None) -> None:
        if ver is not None and ver != self.ver:
            raise Refusal("stale", "the game has changed: look at the new position first")

    def action_of(self, line: int, ply: int, clicks: tuple[str, ...]) -> int:
        """The action that clicks stand for in a position."""
        view = self.full_view(line, ply)
        action = view.action_of(clicks)
        if action is not None:
            return action
        if any(move.clicks[: len(clicks)] == clicks for move in view.legal):
            raise Refusal("illegal", f"{' '.join(clicks)} is only the beginning of a move")
        raise Refusal("illegal", str(self.lines.state(line, ply).illegal(" ".join(clicks))))

    def move(
        self,
        person: str,
        clicks: tuple[str, ...] | None,
        action: int | None,
        line: int,
        ply: int | None,
    ) -> tuple[int, int]:
        """Play a move given by its clicks or its action; returns the (line, ply) it leads to."""
        here = self.lines.length(line) if ply is None else ply
        if self.analysis:
            self._check_analyst(person)
        elif here != self.lines.length(0):
            raise Refusal("stale", "this is an earlier position: go to the last one to play")
        state = self.lines.state(line, here)
        if state.is_terminal or (self.is_over and not self.analysis):
            raise Refusal("illegal", f"the game is over: {self.reason or self.result}")
        if not self.analysis and not self.may_move(person):
            raise Refusal("turn", self._whose_turn())
        if state.is_chance and not self.analysis:
            raise Refusal("turn", "chance is to move")
        if clicks is not None:
            action = self.action_of(line, here, clicks)
        if action not in state.legal_actions():
            raise Refusal("illegal", f"action {action} is not legal here")
        return self.play(action, line, here)

    def play(self, action: int, line: int = 0, ply: int | None = None) -> tuple[int, int]:
        """Play a legal action for the side to move, then chance's moves."""
        here = self.lines.length(line) if ply is None else ply
        line, here = self.lines.play(line, here, action)
        self.undone.clear()
        self.play_chance()
        if not self.analysis and not self.is_over and self.lines.length(0) >= _CALLED_OFF:
            self.ended = ("1/2-1/2", f"called off after {_CALLED_OFF} moves")
        self.changed()
        return line, here if self.analysis else self.lines.length(line)

    def play_chance(self) -> None:
        """Make chance's moves.

        They are drawn from the game's seed and the ply, so that taking a move back and playing it
        again does not change them.
        """
        while not self.analysis and (state := self.state).is_chance:
            drawn = Batch.of([state], seed=self.seed).random_actions()[0]
            self.lines.play(0, self.lines.length(0), int(drawn))

    def undo(self, person: str) -> None:
        """Take back moves up to this person's previous decision."""
        ply = self._undo_ply(person)
        if ply is None:
            raise Refusal("illegal", "there is no move of yours to take back")
        removed = self._cut(0, ply)
        self.undone += reversed(removed)
        self.ended = None
        self.changed(pay=False)

    def _cut(self, line: int, ply: int) -> list[Move]:
        self.view_cache.cut()
        return self.lines.cut(line, ply)

    def undo_line(self, person: str, line: int, ply: int | None) -> tuple[int, int]:
        """In an analysis: take back the last move of a line; returns the new (line, ply)."""
        self._check_analyst(person)
        last = self.lines.length(line) if ply is None else ply
        if last == 0:
            raise Refusal("illegal", "there is no move to take back")
        if last < self.lines.length(line):
            raise Refusal("illegal", "go to the end of the line to take its last move back")
        if self.undone_at != (line, last):
            self.undone.clear()
        parent = self.lines.line(line).parent
        self.undone += self._cut(line, last - 1)
        if line not in self.lines.all and parent is not None:
            line = parent
        self.undone_at = line, last - 1
        self.changed()
        return self.undone_at

    def redo_line(self, person: str, line: int, ply: int | None) -> tuple[int, int]:
        """In an analysis: play again the move that was taken back here."""
        self._check_analyst(person)
        here = self.lines.length(line) if ply is None else ply
        if not self.may_redo(person, line, here):
            raise Refusal("illegal", "there is no move to play again")
        self.undone_at = self.lines.play(line, here, self.undone.pop().action)
        self.changed()
        return self.undone_at

    def may_redo(self, person: str, line: int, ply: int) -> bool:
        if not self.undone or not self.may_move(person):
            return False
        return not self.analysis or self.undone_at == (line, ply)

    def _check_analyst(self, person: str) -> None:
        if person != self.creator:
            raise Refusal("access", "only the person who started this analysis can move in it")

    def redo(self, person: str) -> None:
        """Play again what the last undo took back, up to this person's next decision."""
        if not self.undone:
            raise Refusal("illegal", "there is no move to play again")
        if not self.may_move(person):
            raise Refusal("turn", self._whose_turn())
        first = True
        while self.undone and (first or self.state.current_player not in self.sides_of(person)):
            self.lines.play(0, self.lines.length(0), self.undone.pop().action)
            first = False
        self.changed()

    def resign(self, person: str) -> None:
        if not self.may_resign(person):
            raise Refusal("turn", "you can resign only a running game that you are playing in")
        sides = self.sides_of(person)
        side = self.to_move if self.to_move in sides else sides[0]
        assert side is not None
        self.end(1 - side, f"{self.game.players[side]} resigned")

    def end(self, winner: int, reason: str) -> None:
        """End the game with a winner and a reason."""
        self.ended = ("1-0" if winner == 0 else "0-1", reason)
        self.changed()

    def sit(self, person: str, side: int) -> None:
        seat = self.seats[side]
        if seat.person == person:
            return
        if seat.kind != "open":
            raise Refusal("busy", f"the seat of {self.game.players[side]} is taken")
        self.seats[side] = Seat("human", person)
        self.changed()

    def share(self, person: str, on: bool) -> None:
        if person != self.creator:
            raise Refusal("access", "only the person who started a game can share it")
        self.shared = on
        self.changed()

    def changed(self, *, pay: bool = True) -> None:
        """Note a change: a new version, and the clocks of the side to move."""
        self.ver += 1
        self.updated = time.time()
        if self.clocks:
            self.clocks.turn(self._clock_side(), pay=pay)

    def _clock_side(self) -> int | None:
        """The side whose clock runs: time counts once both sit there and a move was made."""
        waiting = any(seat.kind == "open" for seat in self.seats)
        side = self.to_move
        return None if waiting or not self.state.actions or side == CHANCE else side

    def _whose_turn(self) -> str:
        side = self.to_move
        if side is None or side == CHANCE:
            return "no one is to move"
        return f"it is {self.game.players[side]}'s turn, not yours"

    # Views

    def view(self, line: int, ply: int) -> dict[str, Any]:
        """The View of a position as JSON, the same for everyone."""
        return self.view_cache.of(line, ply).data

    def full_view(self, line: int, ply: int | None = None) -> View:
        """The View itself, with all legal moves however many there are."""
        return self.view_cache.of(line, self.lines.length(line) if ply is None else ply).view

    @property
    def is_idle(self) -> bool:
        """Whether nothing happens here until somebody comes."""
        return not (
            self.connected or self.thinking or (self.clocks and self.clocks.running is not None)
        )

    def clear_caches(self) -> None:
        """Drop everything that can be computed again; called when nobody is here."""
        self.view_cache.clear()
        self.exports.clear()

    def record(self, line: int = 0) -> Callable[[], Record]:
        """A function that gives the game's record, callable in any thread."""
        names = [seat.spec or {"human": "human", "open": "?"}[seat.kind] for seat in self.seats]
        players = (names[0], names[1])
        if self.analysis:
            players_of = self.source["players"] if self.source else ("", "")
            players = (players_of[0] or "?", players_of[1] or "?")
        result, reason = self.ended if line == 0 and self.ended else (None, None)
        replay, seed = self.lines.replay(line), self.seed
        return lambda: Record.of(replay()[-1], players, seed=seed, result=result, reason=reason)

    # Storage

    def entry(self) -> dict[str, Any]:
        """What a list of games shows of this one."""
        return {
            "game": self.game.name,
            "title": self.game.title,
            "variant": self.variant,
            "options": self.game.options,
            "seats": [vars(seat) for seat in self.seats],
            "ply": self.lines.length(0),
            "result": self.result,
            "reason": self.reason,
            "analysis": self.analysis,
        }

    def to_json(self) -> dict[str, Any]:
        start = self.lines.start
        return {
            "id": self.id,
            "game": self.game.name,
            "options": self.game.options,
            "start": start.serialize(),
            "lines": self.lines.to_json(),
            "seats": [vars(seat) for seat in self.seats],
            "creator": self.creator,
            "seed": self.seed,
            "ver": self.ver,
            "clock": self.clocks.to_json() if self.clocks else None,
            "analysis": self.analysis,
            "source": self.source,
            "shared": self.shared,
            "ended": list(self.ended) if self.ended else None,
            "undone": [move.name for move in self.undone],
            "undone_at": self.undone_at,
            "updated": self.updated,
        }

    def _find_undone(self, names: list[str]) -> list[Move]:
        """The moves that redo would play, from their stored names; none if they no longer fit."""
        moves: list[Move] = []
        try:
            state = self.lines.state(*self.undone_at) if self.analysis else self.state
            for name in reversed(names):
                moves.append(Move(state.find(name), name))
                state = state.apply(moves[-1].action)
        except (PlayproofError, Refusal):
            return []
        return moves[::-1]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Room:
        make(data["game"], **data["options"])
        lines = GameLines.from_json(State.parse(data["start"]), data["lines"])
        seats = [Seat(**seat) for seat in data["seats"]]
        room = cls(lines, seats, data["creator"], seed=data["seed"])
        room.id, room.ver, room.updated = data["id"], data["ver"], data["updated"]
        room.analysis, room.shared = data["analysis"], data["shared"]
        room.source = data.get("source")
        room.ended = (data["ended"][0], data["ended"][1]) if data["ended"] else None
        line, ply = data.get("undone_at", (0, 0))
        room.undone_at = line, ply
        room.undone = room._find_undone(data["undone"])
        if data["clock"]:
            room.clocks = Clocks.from_json(data["clock"])
            room.clocks.turn(room._clock_side())
        return room
