"""SGF (FF[4]) in and out, for Go and Quantum Go.

Go is written with plain ``B`` and ``W``.  ``QG`` in the root names the game
with those options that SGF has no property for, and ``QS`` the position that a
game began from, if it was set up: both are ours.  See ``quantum`` for the
turns of Quantum Go.
"""

from __future__ import annotations

import re
from typing import Any

from playproof import __version__
from playproof.core import spec
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.formats.record import RESULTS, Record
from playproof.formats.sgf import quantum as sgf_quantum
from playproof.formats.sgf.points import (
    find_point,
    read_points,
    read_size,
    write_point,
    write_points,
    write_size,
)
from playproof.formats.sgf.tree import Document, Node, Value, decode, escaped, property_text
from playproof.games.go.game import Go
from playproof.games.go.text import handicap_points
from playproof.games.quantum_go.game import QuantumGo

GAMES = ("go", "quantum-go")
_OWN = ("board", "komi", "handicap")  # options that SGF has properties for
_NODES_A_LINE = 12
_SETUP = ("AB", "AW", "AE")
_LOSSES = {"R": "resigned", "T": "ran out of time", "F": "forfeited"}
_NUMBER = re.compile(r"[+-]?\d{1,4}(\.\d{0,6})?")


# Writing


def write(
    state: State,
    players: tuple[str, str] = ("?", "?"),
    *,
    result: str | None = None,
    reason: str | None = None,
) -> str:
    """The game that led to ``state`` as an SGF file; result and reason as in a Record."""
    if not isinstance(state.game, Go | QuantumGo):
        raise UsageError(f"SGF is for {' and '.join(GAMES)}, not for {state.game.name}")
    lines = _root(state, players, result or RESULTS[state.outcome], reason)
    if isinstance(state.game, QuantumGo):
        lines += sgf_quantum.write_turns(state)
    else:
        lines += _moves(state)
    return "(" + "\n".join(lines) + ")\n"


def write_record(record: Record) -> str:
    return write(record.replay(), record.players, result=record.result, reason=record.reason)


def _root(state: State, players: tuple[str, str], result: str, reason: str | None) -> list[str]:
    game = state.game
    assert isinstance(game, Go | QuantumGo)
    start, options = state.start, game.options
    known = [field for field in game.option_fields if field.name not in _OWN]
    named = spec.brief(game.name, known, {field.name: options[field.name] for field in known})
    first = {
        "GM": ["1"],
        "FF": ["4"],
        "CA": ["UTF-8"],
        "AP": [f"Playproof:{__version__}"],
        "SZ": [write_size(game.width, game.height)],
        "KM": [f"{options['komi']:g}"],
        "HA": [str(options["handicap"])] if options["handicap"] else [],
        "RU": ["Japanese" if options["scoring"] == "territory" else "Tromp-Taylor"],
        "QG": [] if named == "go" else [escaped(named)],
    }
    second = {
        "PB": [escaped(players[0])] if players[0] != "?" else [],
        "PW": [escaped(players[1])] if players[1] != "?" else [],
        "RE": _written_result(state, result, reason),
    }
    third: dict[str, list[str]] = {}
    if start.position != game.start().position:
        third["QS"] = [escaped(start.position)]
    if isinstance(game, QuantumGo):
        third |= sgf_quantum.beside(None, start)
    else:
        black, white = game.stones(start.row)
        third["AB"] = write_points(game.points, black)
        third["AW"] = write_points(game.points, white)
        third["PL"] = ["W"] if int(start.row[-1]) & 1 else []
    parts = ["".join(property_text(*item) for item in p.items()) for p in (first, second, third)]
    return [";" + parts[0], *(part for part in parts[1:] if part)]


def _written_result(state: State, result: str, reason: str | None) -> list[str]:
    if result == "*":
        return []
    if result == "1/2-1/2":
        return ["0"]
    winner = "B" if result == "1-0" else "W"
    if state.is_terminal:
        return [f"{winner}+{abs(state.score):g}"]
    return [f"{winner}+{'R' if reason and 'resigned' in reason else 'F'}"]


def _moves(state: State) -> list[str]:
    game, now = state.game, state.start
    assert isinstance(game, Go)
    nodes = []
    for action in state.actions:
        where = "" if action == game.pass_action else write_point(game.points, action)
        nodes.append(f";{'BW'[int(now.row[-1]) & 1]}[{where}]")
        now = now.apply(action)
    return ["".join(nodes[i : i + _NODES_A_LINE]) for i in range(0, len(nodes), _NODES_A_LINE)]


# Reading


def read(data: str | bytes, *, source: str = "", number: int = 1) -> tuple[State, Record]:
    """The last position of a file's game and its record, every move checked by the rules.

    An error is a DataError that names line and column.  ``number`` says which
    game of a collection; of variations the first is taken.
    """
    document = Document(decode(data) if isinstance(data, bytes) else data, source)
    if not 1 <= number <= len(document.games):
        name = source or "the text"
        raise DataError(f"{name} holds {len(document.games)} games: there is no number {number}")
    nodes = document.games[number - 1]
    state = _Reader(document, nodes).play()
    players = tuple(
        value.text if (value := document.only(nodes[0], name)) else "?" for name in ("PB", "PW")
    )
    result, reason = _result(document, nodes[0], state)
    return state, Record.of(state, (players[0], players[1]), result=result, reason=reason)


def play_nodes(document: Document, nodes: list[Node]) -> State:
    """The end of a line of nodes, from the root of a game of ``document``."""
    return _Reader(document, nodes).play()


class _Reader:
    """One game of a file, node by node."""

    def __init__(self, document: Document, nodes: list[Node]) -> None:
        self.document, self.nodes, self.root = document, nodes, nodes[0]
        self.game = self._game()
        self.points = self.game.points

    def play(self) -> State:
        moves = ("B", "W") if isinstance(self.game, Go) else sgf_quantum.MOVES
        wrong = sgf_quantum.MOVES if isinstance(self.game, Go) else ("B", "W")
        first = 0  # nodes before the first move may set stones up
        while first < len(self.nodes) and not self._has(self.nodes[first], (*moves, *wrong)):
            first += 1
        state = self._start(self.nodes[:first])
        shown = sgf_quantum.is_for_viewers(self.nodes[first:])
        for node in self.nodes[first:]:
            self._refuse(node, wrong, f"is no turn of {self.game.name}: want {' or '.join(moves)}")
            there = [name for name in moves if node.values(name)]
            if len(there) > 1:
                raise self.document.error(node.values(there[1])[0].at, "one node holds one move")
            if isinstance(self.game, Go):
                self._refuse(node, _SETUP, "sets stones up after the first move")
                state = self._move(node, there[0], state) if there else state
            elif there:
                state = sgf_quantum.read_turn(self.document, node, state, shown=shown)
            else:
                self._refuse(node, (*_SETUP, "QC", "QK"), "stands in a node without a turn")
        return state

    def _has(self, node: Node, names: tuple[str, ...]) -> bool:
        return any(node.values(name) for name in names)

    def _refuse(self, node: Node, names: tuple[str, ...], why: str) -> None:
        for name in names:
            if node.values(name):
                raise self.document.error(node.values(name)[0].at, f"{name} {why}")

    # The game and its options

    def _game(self) -> Any:
        document, root = self.document, self.root
        kind = document.only(root, "GM")
        if kind is not None and kind.raw.strip() != "1":
            raise document.error(kind.at, f"GM[{kind.text[:10]}] is not Go, which is GM[1]")
        size = document.only(root, "SZ")
        width, height = read_size(document, size)
        named = document.only(root, "QG")
        options: dict[str, Any] = {"board": f"{width}x{height}", "komi": self._komi()}
        try:
            if named is not None:
                name, settings = spec.parse(named.text)
                if name not in GAMES or set(settings) & set(_OWN):
                    raise DataError(
                        f"QG[{named.text[:40]}] is not {' or '.join(GAMES)} and options"
                    )
                options |= settings
            else:
                name = GAMES[sgf_quantum.is_quantum(self.nodes)]
                options |= self._rules()
            plain = make(name, **options)
        except PlayproofError as error:
            raise document.error(named.at if named else root.at, error) from None
        return make(name, **options, handicap=self._handicap(plain))

    def _komi(self) -> float:
        value = self.document.only(self.root, "KM")
        if value is None or not value.raw.strip():
            return 0.0
        komi = float(value.raw) if _NUMBER.fullmatch(value.raw.strip()) else 0.25
        if not (2 * komi).is_integer() or abs(komi) > 400:
            raise self.document.error(
                value.at, f"KM[{value.text[:20]}] is no komi in half points, such as 6.5"
            )
        return komi

    def _rules(self) -> dict[str, Any]:
        """What the name of the rules changes of ours."""
        value = self.document.only(self.root, "RU")
        rules = value.text.lower() if value else ""
        if rules.startswith(("japan", "korea")):
            return {"scoring": "territory", "ko": "simple"}
        if rules.startswith(("nz", "new zealand")):
            return {"suicide": True}
        return {}

    def _handicap(self, game: Any) -> int:
        """The option: 0 too where the file's stones are not the usual ones."""
        value = self.document.only(self.root, "HA")
        if value is None or value.raw.strip() in ("", "0"):
            return 0
        if not value.raw.strip().isdecimal():
            raise self.document.error(value.at, f"HA[{value.text[:20]}] is no number of stones")
        stones = int(value.raw[:6])
        try:
            usual = handicap_points(game.name, game.width, game.height, stones)
        except UsageError:
            return 0
        black = read_points(self.document, game.points, self.root, "AB")
        known = black == set(usual) and len(usual) == stones and not self.root.values("AW")
        return stones if known else 0

    # The start

    def _start(self, nodes: list[Node]) -> State:
        document, game = self.document, self.game
        placed: list[set[int]] = [set(), set()]
        to_move: Value | None = None
        at = self.root.at
        for node in nodes:
            sides = [read_points(document, self.points, node, name) for name in _SETUP]
            if sum(map(len, sides)) != len(sides[0] | sides[1] | sides[2]):
                raise document.error(node.at, "AB, AW and AE name the same point")
            if node.values("AB") or node.values("AW"):
                at = node.at
            for side in (0, 1):
                placed[side] = placed[side] - sides[1 - side] - sides[2] | sides[side]
            to_move = document.only(node, "PL") or to_move
        if to_move is not None and to_move.raw.strip()[:1] not in ("B", "W"):
            raise document.error(to_move.at, f"PL[{to_move.text[:10]}] is not B or W")
        set_up = document.only(self.root, "QS")
        try:
            state = game.position(set_up.text) if set_up else self._set_up(placed, to_move)
        except PlayproofError as error:
            raise document.error(set_up.at if set_up else at, error) from None
        self._check_start(state, placed, to_move, at, bool(set_up))
        return state  # type: ignore[no-any-return]

    def _set_up(self, placed: list[set[int]], to_move: Value | None) -> State:
        """The start with these stones; that of the game where they are its own."""
        game, usual = self.game, self.game.start()
        side = self._first_side(placed, to_move)
        if placed == [set(stones) for stones in game.stones(usual.row)] and (
            side == usual.current_player
        ):
            return usual  # type: ignore[no-any-return]
        letters = dict.fromkeys(placed[0], "X") | dict.fromkeys(placed[1], "O")
        rest = "0 - 0 0" if isinstance(game, Go) else "0 - 0 0 - -"
        return game.position(  # type: ignore[no-any-return]
            f"{self.points.write(letters)} {'bw'[side]} {rest}"
        )

    def _first_side(self, placed: list[set[int]], to_move: Value | None) -> int:
        if to_move is not None:
            return "BW".index(to_move.raw.strip()[0])
        for node in self.nodes:
            for name, side in (("B", 0), ("QB", 0), ("W", 1), ("QW", 1)):
                if node.values(name):
                    return side
        return 1 if placed[0] and not placed[1] and self.root.values("HA") else 0

    def _check_start(
        self, state: State, placed: list[set[int]], to_move: Value | None, at: int, given: bool
    ) -> None:
        """Where QS tells the position, AB and AW beside it must show it."""
        if not given:
            return
        if isinstance(self.game, QuantumGo):
            shown = sgf_quantum.beside(None, state)
        else:
            both = self.game.stones(state.row)
            shown = {
                name: write_points(self.points, p) for name, p in zip(_SETUP[:2], both, strict=True)
            }
        for name, stones in zip(("AB", "AW"), placed, strict=True):
            if write_points(self.points, stones) != shown[name]:
                raise self.document.error(at, f"{name} is not what QS says: want {shown[name]}")

    # Go's moves

    def _move(self, node: Node, name: str, state: State) -> State:
        value = self.document.only(node, name)
        assert value is not None
        text, side = value.raw, ("B", "W").index(name)
        action = self.game.pass_action
        if text and text != "tt":  # the pass of older files
            found = find_point(self.points, text)
            if found is None:
                right = f"aa to {write_point(self.points, self.points.width - 1)}"
                raise self.document.error(
                    value.at, f"{name}[{value.text[:20]}] is no point of this board: want {right}"
                )
            action = found
        try:
            if not state.is_terminal and state.current_player != side:
                state = state.apply(self.game.pass_action)  # SGF need not write passes
            return state.apply(action)
        except PlayproofError as error:
            raise self.document.error(value.at, error) from None


def _result(document: Document, root: Node, state: State) -> tuple[str, str | None]:
    """(result, reason) as a Record has them."""
    value = document.only(root, "RE")
    text = value.text.upper() if value else ""
    result, reason = "*", None
    if text[:2] in ("B+", "W+"):
        result = "1-0" if text[0] == "B" else "0-1"
        if text[2:3] in ("R", "T", "F"):
            loser = state.game.players[1 if text[0] == "B" else 0]
            reason = f"{loser} {_LOSSES[text[2]]}"
    elif text in ("0", "DRAW"):
        result = "1/2-1/2"
    made_here = (program := document.only(root, "AP")) is not None and (
        program.raw.startswith("Playproof:")
    )
    # Elsewhere people take dead stones off before they count.
    if value is not None and made_here and state.outcome is not None:
        found = f"{'BW'[state.score < 0]}+{abs(state.score):g}" if state.score else "0"
        if text != found:
            raise document.error(value.at, f"RE[{text[:20]}], but the moves end in {found}")
    return result, reason
