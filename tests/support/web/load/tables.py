"""A game with two players and two watchers, checked against a copy of its own.

The copy is moved by what the lab has acknowledged, and by nothing else.  Each version
of the game that anyone is shown must be the one that the copy had: so a move that is
lost, doubled or told differently to two people is found at once.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import playproof
from playproof.core.state import State
from tests.support.web.load.lines import Broken, Line, Message

# Games and variants that need no long thought to draw; small ones end within the test.
KINDS = (
    ("othello", "standard"), ("othello", "6x6"), ("othello", "4x4"), ("choko", "standard"),
    ("choko", "lone-jump"), ("quantum-go", "5x5"), ("quantum-go", "standard"),
    ("go", "standard"), ("go", "5x5"), ("chess", "standard"),
)  # fmt: skip
LONGEST = 120  # plies after which a game is given up, as people do
HOSTILE = (
    "oh no", "[]", '{"type": "move"}', '{"type": "steal", "rid": 1}', '{"type": "new", "game": 7}',
    '{"type": "move", "c": ["z99"], "ver": -1}', '{"type": "join", "id": "../../etc/passwd"}',
)  # fmt: skip
_SIDES = (0, 1, None, None)
BAD_BEFORE_ANEW = 10  # wrong words of one connection; the lab hangs up after twenty


@dataclass
class Count:
    """What a crowd has done, all games together."""

    moves: int = 0
    games: int = 0
    undone: int = 0
    resigned: int = 0
    rejoined: int = 0
    refused: int = 0
    hostile: int = 0
    states: int = 0
    broken: int = 0  # lines that broke where none was to be broken
    troubles: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)  # seconds from a move to its answer


class Guest:
    """Someone at a table; ``side`` None watches."""

    def __init__(self, table: Table, cookie: str, side: int | None) -> None:
        self.table, self.side, self.cookie = table, side, cookie
        self.line = self._new_line()
        self.bad = 0
        self.seen = 0  # the newest version of the present game that was shown

    def _new_line(self) -> Line:
        return Line(self.table.base, self.cookie, self._hear)

    def _hear(self, message: Message) -> None:
        self.table.count.states += 1
        if message["id"] == self.table.id:
            self.seen = max(self.seen, message["ver"])
            self.table.compare(message)

    async def sit(self) -> None:
        """Come (again) to the table's present game."""
        answer = await self.line.ask("join", id=self.table.id)
        if answer["type"] != "state":
            self.table.trouble(f"join: {answer['msg']}")

    async def anew(self) -> None:
        """Hang up and come back."""
        await self.line.close()
        self.line = self._new_line()
        self.bad = 0
        await self.line.open()
        await self.sit()
        self.table.count.rejoined += 1


class Table:
    def __init__(
        self, base: str, cookies: list[str], seed: int, count: Count, *, pace: float
    ) -> None:
        self.base, self.count, self.pace = base, count, pace
        self.chance = random.Random(seed)
        self.guests = [Guest(self, cookie, s) for cookie, s in zip(cookies, _SIDES, strict=True)]
        self.id = ""
        self.ver = 0
        self.copy: State = playproof.make("othello").start()
        self.names: list[str] = []
        self.resigned = False
        self.known: dict[int, tuple[str, ...]] = {}  # the moves of each version
        self._changing = asyncio.Lock()  # the copy follows one acknowledgement at a time

    def trouble(self, text: str) -> None:
        self.count.troubles.append(f"{self.id} at version {self.ver}: {text}")

    # What is shown

    def compare(self, message: Message) -> None:
        """A state that someone is shown, with what others were shown of that version."""
        moves = tuple(message["moves"])
        known = self.known.setdefault(message["ver"], moves)
        if known != moves:
            self.trouble(f"version {message['ver']} is {moves[-3:]} here and {known[-3:]} there")

    def acknowledged(self, answer: Message, names: list[str]) -> None:
        """An answer to a change of ours: the game must be exactly what we expect."""
        self.ver = answer["ver"]
        if answer["moves"] != names:
            self.trouble(
                f"{len(names)} moves became {len(answer['moves'])}: {answer['moves'][-3:]}"
            )
        self.names = list(names)

    # A game

    async def begin(self) -> None:
        """A new game, to which all come."""
        game, variant = self.chance.choice(KINDS)
        self.known = {}
        self.resigned, self.id = False, ""
        first = self.guests[0]
        answer = await first.line.ask("new", game=game, variant=variant, seats=["human", "open"])
        if answer["type"] != "state":
            self.trouble(f"new: {answer['msg']}")
            return
        self.id, self.names = answer["id"], []
        self.copy = playproof.make(game, **answer["options"]).start()
        for guest in self.guests:
            guest.seen = 0
        answer = await self.guests[1].line.ask("join", id=self.id, seat=1)
        self.acknowledged(answer, [])
        await asyncio.gather(*(guest.sit() for guest in self.guests[2:]))
        self.count.games += 1

    @property
    def is_over(self) -> bool:
        return self.resigned or self.copy.is_terminal or len(self.names) >= LONGEST

    async def play(self, until: float) -> None:
        """Games one after the other, until the loop's time ``until``."""
        loop = asyncio.get_running_loop()
        await self.begin()
        while loop.time() < until and self.id:
            await asyncio.gather(*(self._attend(guest, until) for guest in self.guests))
            await self.check_end()
            if loop.time() < until:
                await self._delete_or_keep()
                await self.begin()

    async def _delete_or_keep(self) -> None:
        if self.chance.random() < 0.5:
            await self.guests[0].line.ask("delete")

    async def check_end(self) -> None:
        """All at the table are shown the same last position, which is the copy's."""
        for guest in self.guests:
            answer = await guest.line.ask("join", id=self.id)
            told = answer.get("ver"), answer.get("moves")
            if told != (self.ver, self.names):
                self.trouble(f"in the end {told[0]} with {len(told[1] or [])} moves is shown")

    async def _attend(self, guest: Guest, until: float) -> None:
        loop = asyncio.get_running_loop()
        while not self.is_over and loop.time() < until:
            await asyncio.sleep(self.chance.expovariate(1 / self.pace))
            if self.is_over:
                break
            try:
                await self._act(guest)
            except Broken:
                self.count.broken += 1
                await guest.anew()

    async def _act(self, guest: Guest) -> None:
        what = self.chance.random()
        if guest.bad >= BAD_BEFORE_ANEW or what < 0.02:
            await guest.anew()
        elif what < 0.06:
            await self._look_back(guest)
        elif what < 0.08:
            await self._be_hostile(guest)
        elif guest.side is None:
            await (self._move_out_of_turn(guest) if what < 0.2 else guest.line.ask("ping"))
        else:
            async with self._changing:
                await self._decide(guest, what)

    # What players do

    async def _decide(self, guest: Guest, what: float) -> None:
        if self.is_over:
            return
        if self.copy.current_player != guest.side:
            if what < 0.11 and self.names:
                await self._undo(guest)
            elif what < 0.14:
                await self._move_out_of_turn(guest)
        elif what < 0.084:
            await self._resign(guest)
        else:
            await self._move(guest)

    async def _move(self, guest: Guest) -> None:
        legal = {move.name: move.clicks for move in self.copy.view().legal}
        buttons = {button.id: (button.id,) for button in self.copy.view().actions}
        choices = legal or buttons
        name = self.chance.choice(list(choices))
        wanted = self.copy.display_names(self.copy.find(name))[0]
        answer = await guest.line.ask("move", ver=self.ver, c=list(choices[name]))
        if answer["type"] != "state":
            self.trouble(f"{name} by {guest.side}: {answer['code']} {answer['msg']}")
            return
        self.count.times.append(guest.line.times[-1])
        self.count.moves += 1
        self.copy = self.copy.apply(self.copy.find(name))
        self.acknowledged(answer, [*self.names, wanted])

    async def _undo(self, guest: Guest) -> None:
        """Whoever made the last decision takes it back."""
        before = self._copy_at(len(self.names) - 1)
        answer = await guest.line.ask("undo", ver=self.ver)
        if before.current_player != guest.side:
            self._expect(answer, "illegal")
            return
        if answer["type"] != "state":
            self.trouble(f"undo: {answer['code']} {answer['msg']}")
            return
        self.copy = before
        self.count.undone += 1
        self.acknowledged(answer, self.names[:-1])

    def _copy_at(self, ply: int) -> State:
        state = self.copy.start
        for action in self.copy.actions[:ply]:
            state = state.apply(action)
        return state

    async def _resign(self, guest: Guest) -> None:
        answer = await guest.line.ask("resign", ver=self.ver)
        if answer["type"] != "state" or not answer["reason"].endswith("resigned"):
            self.trouble(f"resign: {answer}"[:300])
        self.resigned = True
        self.count.resigned += 1
        self.acknowledged(answer, self.names)

    # What anyone does

    async def _look_back(self, guest: Guest) -> None:
        answer = await guest.line.ask("goto", ply=0)
        if answer["type"] != "state" or answer["ply"] != 0:
            self.trouble(f"goto: {answer.get('msg')}")
        await guest.line.ask("goto", ply="last")

    async def _move_out_of_turn(self, guest: Guest) -> None:
        answer = await guest.line.ask("move", ver=self.ver, c=["pass"])
        self._expect(answer, "turn", "stale", "illegal")

    async def _be_hostile(self, guest: Guest) -> None:
        guest.bad += 1
        self.count.hostile += 1
        await guest.line.say(self.chance.choice(HOSTILE))

    def _expect(self, answer: Message, *codes: str) -> None:
        if answer["type"] != "error" or answer["code"] not in codes:
            self.trouble(f"{codes[0]} was to be refused: {str(answer)[:200]}")
        self.count.refused += 1
