"""Reading and writing SGF (FF[4]), for Go and Quantum Go.

Moves of Go are plain ``B`` and ``W``; for turns of Quantum Go see ``quantum``.
Two properties in the root are Playproof's own: ``QG`` names the game with the
options that SGF has no property for, and ``QS`` is the start position, if it was
set up.
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
from playproof.formats.sgf.tree import Document, Node, PropertyValue, decode, escape, property_text
from playproof.games.go.game import Go
from playproof.games.go.text import handicap_points
from playproof.games.quantum_go.game import QuantumGo

GAMES = ("go", "quantum-go")
_SGF_OPTIONS = ("board", "komi", "handicap")  # options that SGF has properties for
_NODES_A_LINE = 12
_SETUP = ("AB", "AW", "AE")
_REASONS = {"R": "resigned", "T": "ran out of time", "F": "forfeited"}
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
    """The game of a record as an SGF file."""
    return write(record.replay(), record.players, result=record.result, reason=record.reason)


def _root(state: State, players: tuple[str, str], result: str, reason: str | None) -> list[str]:
    game = state.game
    assert isinstance(game, Go | QuantumGo)
    start, options = state.start, game.options
    others = [field for field in game.option_fields if field.name not in _SGF_OPTIONS]
    settings = {field.name: options[field.name] for field in others}
    named = spec.write_brief(game.name, others, settings)
    first = {
        "GM": ["1"],
        "FF": ["4"],
        "CA": ["UTF-8"],
        "AP": [f"Playproof:{__version__}"],
        "SZ": [write_size(game.width, game.height)],
        "KM": [f"{options['komi']:g}"],
        "HA": [str(options["handicap"])] if options["handicap"] else [],
        "RU": ["Japanese" if options["scoring"] == "territory" else "Tromp-Taylor"],
        "QG": [] if named == "go" else [escape(named)],
    }
    second = {
        "PB": [escape(players[0])] if players[0] != "?" else [],
        "PW": [escape(players[1])] if players[1] != "?" else [],
        "RE": _result_property(state, result, reason),
    }
    third: dict[str, list[str]] = {}
    if start.position != game.start().position:
        third["QS"] = [escape(start.position)]
    if isinstance(game, QuantumGo):
        third |= sgf_quantum.viewer_properties(None, start)
    else:
        black, white = game.stones(start.row)
        third["AB"] = write_points(game.points, black)
        third["AW"] = write_points(game.points, white)
        third["PL"] = ["W"] if int(start.row[-1]) & 1 else []
    parts = ["".join(property_text(*item) for item in p.items()) for p in (first, second, third)]
    return [";" + parts[0], *(part for part in parts[1:] if part)]


def _result_property(state: State, result: str, reason: str | None) -> list[str]:
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
    """The last position and the record of a game in a file; the rules check every move.

    Errors are DataErrors that name line and column.  ``number`` chooses a game of a
    collection, from 1.  Where a game has variations, the first one is followed.
    """
    document = Document(decode(data) if isinstance(data, bytes) else data, source)
    if not 1 <= number <= len(document.games):
        name = source or "the text"
        raise DataError(f"{name} holds {len(document.games)} games: there is no number {number}")
    nodes = document.games[number - 1]
    state = _Reader(document, nodes).play()
    players = tuple(
        value.text if (value := document.single_value(nodes[0], name)) else "?"
        for name in ("PB", "PW")
    )
    result, reason = _result(document, nodes[0], state)
    return state, Record.of(state, (players[0], players[1]), result=result, reason=reason)


def play_nodes(document: Document, nodes: list[Node]) -> State:
    """The position after a line of nodes, which starts at the root of a game of ``document``."""
    return _Reader(document, nodes).play()


class _Reader:
    """Reads one game of a file, node by node."""

    def __init__(self, document: Document, nodes: list[Node]) -> None:
        self.document, self.nodes, self.root = document, nodes, nodes[0]
        self.game = self._game()
        self.points = self.game.points

    def play(self) -> State:
        moves = ("B", "W") if isinstance(self.game, Go) else sgf_quantum.MOVES
        other_moves = sgf_quantum.MOVES if isinstance(self.game, Go) else ("B", "W")
        first = 0  # nodes before the first move may set stones up
        while first < len(self.nodes) and not self._has(self.nodes[first], (*moves, *other_moves)):
            first += 1
        state = self._start(self.nodes[:first])
        check_viewer = sgf_quantum.has_viewer_properties(self.nodes[first:])
        for node in self.nodes[first:]:
            self._refuse(
                node, other_moves, f"is no turn of {self.game.name}: want {' or '.join(moves)}"
            )
            names = [name for name in moves if node.values(name)]
            if len(names) > 1:
                raise self.document.error(node.values(names[1])[0].at, "one node holds one move")
            if isinstance(self.game, Go):
                self._refuse(node, _SETUP, "sets stones up after the first move")
                state = self._move(node, names[0], state) if names else state
            elif names:
                state = sgf_quantum.read_turn(self.document, node, state, check_viewer=check_viewer)
            else:
                self._refuse(node, (*_SETUP, "QC", "QK"), "stands in a node without a turn")
        return state

    def _has(self, node: Node, names: tuple[str, ...]) -> bool:
        return any(node.values(name) for name in names)

    def _refuse(self, node: Node, names: tuple[str, ...], why: str) -> None:
        """Raise an error if the node has one of these properties."""
        for name in names:
            if node.values(name):
                raise self.document.error(node.values(name)[0].at, f"{name} {why}")

    # The game and its options

    def _game(self) -> Any:
        document, root = self.document, self.root
        kind = document.single_value(root, "GM")
        if kind is not None and kind.raw.strip() != "1":
            raise document.error(kind.at, f"GM[{kind.text[:10]}] is not Go, which is GM[1]")
        size = document.single_value(root, "SZ")
        width, height = read_size(document, size)
        named = document.single_value(root, "QG")
        options: dict[str, Any] = {"board": f"{width}x{height}", "komi": self._komi()}
        try:
            if named is not None:
                name, settings = spec.parse(named.text)
                if name not in GAMES or set(settings) & set(_SGF_OPTIONS):
                    raise DataError(
                        f"QG[{named.text[:40]}] is not {' or '.join(GAMES)} and options"
                    )
                options |= settings
            else:
                name = GAMES[sgf_quantum.has_turns(self.nodes)]
                options |= self._rules()
            even = make(name, **options)
        except PlayproofError as error:
            raise document.error(named.at if named else root.at, error) from None
        return make(name, **options, handicap=self._handicap(even))

    def _komi(self) -> float:
        value = self.document.single_value(self.root, "KM")
        if value is None or not value.raw.strip():
            return 0.0
        komi = float(value.raw) if _NUMBER.fullmatch(value.raw.strip()) else 0.25
        if not (2 * komi).is_integer() or abs(komi) > 400:
            raise self.document.error(
                value.at, f"KM[{value.text[:20]}] is no komi in half points, such as 6.5"
            )
        return komi

    def _rules(self) -> dict[str, Any]:
        """The options that the named ruleset changes."""
        value = self.document.single_value(self.root, "RU")
        rules = value.text.lower() if value else ""
        if rules.startswith(("japan", "korea")):
            return {"scoring": "territory", "ko": "simple"}
        if rules.startswith(("nz", "new zealand")):
            return {"suicide": True}
        return {}

    def _handicap(self, game: Any) -> int:
        """The option ``handicap``; 0 if the stones are not on the usual points."""
        value = self.document.single_value(self.root, "HA")
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
        is_usual = black == set(usual) and len(usual) == stones and not self.root.values("AW")
        return stones if is_usual else 0

    # The start position

    def _start(self, nodes: list[Node]) -> State:
        document, game = self.document, self.game
        stones: list[set[int]] = [set(), set()]
        to_move: PropertyValue | None = None
        at = self.root.at
        for node in nodes:
            setup = [read_points(document, self.points, node, name) for name in _SETUP]
            if sum(map(len, setup)) != len(setup[0] | setup[1] | setup[2]):
                raise document.error(node.at, "AB, AW and AE name the same point")
            if node.values("AB") or node.values("AW"):
                at = node.at
            for side in (0, 1):
                stones[side] = stones[side] - setup[1 - side] - setup[2] | setup[side]
            to_move = document.single_value(node, "PL") or to_move
        if to_move is not None and to_move.raw.strip()[:1] not in ("B", "W"):
            raise document.error(to_move.at, f"PL[{to_move.text[:10]}] is not B or W")
        position = document.single_value(self.root, "QS")
        try:
            state = game.position(position.text) if position else self._set_up(stones, to_move)
        except PlayproofError as error:
            raise document.error(position.at if position else at, error) from None
        if position:
            self._check_start(state, stones, at)
        return state  # type: ignore[no-any-return]

    def _set_up(self, stones: list[set[int]], to_move: PropertyValue | None) -> State:
        """The start with these stones; the game's own start if they are its stones."""
        game, start = self.game, self.game.start()
        side = self._first_side(stones, to_move)
        if stones == [set(own) for own in game.stones(start.row)] and side == start.current_player:
            return start  # type: ignore[no-any-return]
        letters = dict.fromkeys(stones[0], "X") | dict.fromkeys(stones[1], "O")
        rest = "0 - 0 0" if isinstance(game, Go) else "0 - 0 0 - -"
        return game.position(  # type: ignore[no-any-return]
            f"{self.points.write(letters)} {'bw'[side]} {rest}"
        )

    def _first_side(self, stones: list[set[int]], to_move: PropertyValue | None) -> int:
        """The side that moves first: that of PL, of the first move, or White after a handicap."""
        if to_move is not None:
            return "BW".index(to_move.raw.strip()[0])
        for node in self.nodes:
            for name, side in (("B", 0), ("QB", 0), ("W", 1), ("QW", 1)):
                if node.values(name):
                    return side
        return 1 if stones[0] and not stones[1] and self.root.values("HA") else 0

    def _check_start(self, state: State, stones: list[set[int]], at: int) -> None:
        """Raise an error unless AB and AW show the position that QS gives."""
        if isinstance(self.game, QuantumGo):
            expected = sgf_quantum.viewer_properties(None, state)
        else:
            both = self.game.stones(state.row)
            expected = {
                name: write_points(self.points, p) for name, p in zip(_SETUP[:2], both, strict=True)
            }
        for name, points in zip(("AB", "AW"), stones, strict=True):
            if write_points(self.points, points) != expected[name]:
                raise self.document.error(at, f"{name} is not what QS says: want {expected[name]}")

    # Moves of Go

    def _move(self, node: Node, name: str, state: State) -> State:
        value = self.document.single_value(node, name)
        assert value is not None
        text, side = value.raw, ("B", "W").index(name)
        action = self.game.pass_action
        if text and text != "tt":  # a pass in older files
            point = find_point(self.points, text)
            if point is None:
                right = f"aa to {write_point(self.points, self.points.width - 1)}"
                raise self.document.error(
                    value.at, f"{name}[{value.text[:20]}] is no point of this board: want {right}"
                )
            action = point
        try:
            if not state.is_terminal and state.current_player != side:
                state = state.apply(self.game.pass_action)  # SGF may leave passes out
            return state.apply(action)
        except PlayproofError as error:
            raise self.document.error(value.at, error) from None


def _result(document: Document, root: Node, state: State) -> tuple[str, str | None]:
    """The result and the reason, as in a Record."""
    value = document.single_value(root, "RE")
    text = value.text.upper() if value else ""
    result, reason = "*", None
    if text[:2] in ("B+", "W+"):
        result = "1-0" if text[0] == "B" else "0-1"
        if text[2:3] in ("R", "T", "F"):
            loser = state.game.players[1 if text[0] == "B" else 0]
            reason = f"{loser} {_REASONS[text[2]]}"
    elif text in ("0", "DRAW"):
        result = "1/2-1/2"
    program = document.single_value(root, "AP")
    is_ours = program is not None and program.raw.startswith("Playproof:")
    # In other files, dead stones may have been removed before the count.
    if value is not None and is_ours and state.outcome is not None:
        count = f"{'BW'[state.score < 0]}+{abs(state.score):g}" if state.score else "0"
        if text != count:
            raise document.error(value.at, f"RE[{text[:20]}], but the moves end in {count}")
    return result, reason
