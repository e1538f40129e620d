"""What a text holds: its games, who played them, and what stands beside their moves.

A file of PGN, SGF or records may hold many games.  ``games_in`` lists them without playing
them, each with its place in the text, so that one can be chosen and read alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playproof.core.errors import PlayproofError
from playproof.core.state import State
from playproof.formats import sgf
from playproof.formats.any_text import is_json, is_pgn_text, is_sgf_text
from playproof.formats.record import RESULTS, Record, parse_records
from playproof.formats.sgf.tree import Document, Node

if TYPE_CHECKING:
    from playproof.formats.pgn import tree as pgn_tree

_TAG = re.compile(r'^\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]', re.MULTILINE)
_UNKNOWN = re.compile(r"[?.\s*]*")  # as PGN writes what nobody knows
_SGF_RESULTS = {"B": "1-0", "W": "0-1", "0": "1/2-1/2", "D": "1/2-1/2"}
MOST_LISTED = 500  # games
_MOST_PLIES = 20_000  # of all variations of a game: replaying them takes its time

Path = tuple[int, ...]


@dataclass(frozen=True)
class GameEntry:
    """One game of a text: ``text[begin:end]``."""

    number: int
    begin: int
    end: int
    players: tuple[str, str]
    result: str
    date: str = ""
    event: str = ""


@dataclass(frozen=True)
class Variations:
    """What a game has beside its main line."""

    paths: tuple[Path, ...] = ()  # each from the game's start to the end of a variation
    broken: int = 0  # variations that cannot be played, or are too many
    comments: int = 0  # with signs such as ! and ?


def games_in(text: str) -> list[GameEntry]:
    """The games of a PGN, SGF or record text; none where it is neither."""
    if is_pgn_text(text):
        return _pgn_games(text)
    if is_sgf_text(text):
        return _sgf_games(text)
    return _records(text) if is_json(text) else []


def variations_of(text: str, end: State) -> Variations:
    """What the first game of a text has beside the main line that leads to ``end``."""
    if is_pgn_text(text):
        return _pgn_variations(text)
    if is_sgf_text(text):
        return _sgf_variations(text, end)
    return Variations()


def known(value: str) -> str:
    """A tag's value; nothing where it says that nobody knows."""
    return "" if _UNKNOWN.fullmatch(value) else " ".join(value.split())


# PGN


def _pgn_games(text: str) -> list[GameEntry]:
    from playproof.formats.pgn.split import BEGIN, END
    from playproof.formats.pgn.stream import text_blocks

    found: list[GameEntry] = []
    done_bytes = done = 0  # so far: bytes, and the characters that they are
    data = text.encode("utf-8", "replace")
    before = 0  # bytes of earlier blocks
    for block in text_blocks(data):
        for game in block.games:
            places = []
            for place in (before + int(game[BEGIN]), before + int(game[END])):
                done += len(data[done_bytes:place].decode("utf-8", "replace"))
                done_bytes = place
                places.append(done)
            tags = dict(_TAG.findall(text[places[0] : places[1]]))
            found.append(
                GameEntry(
                    number=len(found) + 1,
                    begin=places[0],
                    end=places[1],
                    players=(known(tags.get("White", "")), known(tags.get("Black", ""))),
                    result=tags.get("Result", "*")
                    if tags.get("Result") in RESULTS.values()
                    else "*",
                    date=known(tags.get("Date", "")).rstrip(".?"),
                    event=known(tags.get("Event", "")),
                )
            )
        before += len(block.text)
    return found


def _pgn_variations(text: str) -> Variations:
    from playproof.formats import pgn

    tree = pgn.read_tree(text)
    paths: list[Path] = []
    comments = int(bool(tree.comment)) + _follow(tree.line, (), paths)
    return Variations(tuple(paths), comments=comments)


def _follow(line: list[pgn_tree.Move], before: Path, paths: list[Path]) -> int:
    """Collect the variations of a line; how many comments and signs it has."""
    comments = 0
    for move in line:
        comments += bool(move.before) + bool(move.after) + len(move.nags)
        for variation in move.variations:
            paths.append((*before, *(one.action for one in variation)))
            comments += _follow(variation, before, paths)
        before = (*before, move.action)
    return comments


# SGF


def _sgf_games(text: str) -> list[GameEntry]:
    document = Document(text)
    begins = [text.rfind("(", 0, nodes[0].at) for nodes in document.games]
    roots = [nodes[0] for nodes in document.games]
    return [
        GameEntry(
            number=number,
            begin=begin,
            end=end,
            players=(_value(root, "PB"), _value(root, "PW")),
            result=_SGF_RESULTS.get(_value(root, "RE")[:1].upper(), "*"),
            date=_value(root, "DT"),
            event=_value(root, "EV") or _value(root, "GN"),
        )
        for number, (root, begin, end) in enumerate(
            zip(roots, begins, [*begins[1:], len(text)], strict=True), 1
        )
    ]


def _value(node: Node, name: str) -> str:
    values = node.values(name)
    return known(values[0].text) if values else ""


def _sgf_variations(text: str, end: State) -> Variations:
    document = Document(text, branches=True)
    paths, broken, plies = [], 0, 0
    for nodes in document.branches[0]:
        plies += len(nodes)
        try:
            state = sgf.play_nodes(document, nodes) if plies <= _MOST_PLIES else None
        except PlayproofError:
            state = None
        if state is None or state.game != end.game or state.start != end.start:
            broken += 1
        else:
            paths.append(state.actions)
    return Variations(tuple(paths), broken, document.comments)


# Records


def _records(text: str) -> list[GameEntry]:
    try:
        records = list(parse_records(text))
    except PlayproofError:
        return []  # reading it says what is wrong
    if len(records) == 1:
        return [_entry(records[0], 1, 0, len(text))]
    found: list[GameEntry] = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            found.append(_entry(records[len(found)], len(found) + 1, at, at + len(line)))
        at += len(line) + 1
    return found


def _entry(record: Record, number: int, begin: int, end: int) -> GameEntry:
    players = (known(record.players[0]), known(record.players[1]))
    return GameEntry(number, begin, end, players, record.result)
