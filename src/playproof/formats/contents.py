"""The table of contents of a text: its games, their players, and their variations.

A file of PGN, SGF or records may hold many games.  ``games_in`` lists them without replaying
them, each with its place in the text, so that a single one can be chosen and read.
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
_UNKNOWN = re.compile(r"[?.\s*]*")  # how PGN writes an unknown value
_SGF_RESULTS = {"B": "1-0", "W": "0-1", "0": "1/2-1/2", "D": "1/2-1/2"}
MAX_LISTED = 500  # games
_MAX_PLIES = 20_000  # of all variations of a game together, since replaying them is slow

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
    """The variations of a game, and how many comments it has."""

    paths: tuple[Path, ...] = ()  # each from the start of the game to the end of a variation
    broken: int = 0  # variations left out: illegal, or beyond the limit of plies
    comments: int = 0  # including signs such as ! and ?


def games_in(text: str) -> list[GameEntry]:
    """The games of a text that is PGN, SGF or records; none for any other text."""
    if is_pgn_text(text):
        return _pgn_games(text)
    if is_sgf_text(text):
        return _sgf_games(text)
    return _records(text) if is_json(text) else []


def variations_of(text: str, end: State) -> Variations:
    """The variations of the first game of a text, whose main line leads to ``end``."""
    if is_pgn_text(text):
        return _pgn_variations(text)
    if is_sgf_text(text):
        return _sgf_variations(text, end)
    return Variations()


def known_value(value: str) -> str:
    """The value of a tag; empty if it says that the value is unknown."""
    return "" if _UNKNOWN.fullmatch(value) else " ".join(value.split())


# PGN


def _pgn_games(text: str) -> list[GameEntry]:
    from playproof.formats.pgn.split import BEGIN, END
    from playproof.formats.pgn.stream import text_blocks

    entries: list[GameEntry] = []
    byte_offset = offset = 0  # the same place of the text, in bytes and in characters
    data = text.encode("utf-8", "replace")
    block_start = 0  # in bytes
    for block in text_blocks(data):
        for game in block.games:
            offsets = []
            for place in (block_start + int(game[BEGIN]), block_start + int(game[END])):
                offset += len(data[byte_offset:place].decode("utf-8", "replace"))
                byte_offset = place
                offsets.append(offset)
            tags = dict(_TAG.findall(text[offsets[0] : offsets[1]]))
            entries.append(
                GameEntry(
                    number=len(entries) + 1,
                    begin=offsets[0],
                    end=offsets[1],
                    players=(
                        known_value(tags.get("White", "")),
                        known_value(tags.get("Black", "")),
                    ),
                    result=tags.get("Result", "*")
                    if tags.get("Result") in RESULTS.values()
                    else "*",
                    date=known_value(tags.get("Date", "")).rstrip(".?"),
                    event=known_value(tags.get("Event", "")),
                )
            )
        block_start += len(block.text)
    return entries


def _pgn_variations(text: str) -> Variations:
    from playproof.formats import pgn

    tree = pgn.read_tree(text)
    paths: list[Path] = []
    comments = int(bool(tree.comment)) + _collect_variations(tree.line, (), paths)
    return Variations(tuple(paths), comments=comments)


def _collect_variations(line: list[pgn_tree.PgnMove], before: Path, paths: list[Path]) -> int:
    """Add the variations of a line to ``paths``; return the number of comments and signs.

    ``before`` leads from the start of the game to the line."""
    comments = 0
    for move in line:
        comments += bool(move.before) + bool(move.after) + len(move.nags)
        for variation in move.variations:
            paths.append((*before, *(one.action for one in variation)))
            comments += _collect_variations(variation, before, paths)
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
    return known_value(values[0].text) if values else ""


def _sgf_variations(text: str, end: State) -> Variations:
    document = Document(text, branches=True)
    paths, broken, plies = [], 0, 0
    for nodes in document.branches[0]:
        plies += len(nodes)
        try:
            state = sgf.play_nodes(document, nodes) if plies <= _MAX_PLIES else None
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
        return []  # the error appears when the text is read
    if len(records) == 1:
        return [_entry(records[0], 1, 0, len(text))]
    entries: list[GameEntry] = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            entries.append(_entry(records[len(entries)], len(entries) + 1, at, at + len(line)))
        at += len(line) + 1
    return entries


def _entry(record: Record, number: int, begin: int, end: int) -> GameEntry:
    players = (known_value(record.players[0]), known_value(record.players[1]))
    return GameEntry(number, begin, end, players, record.result)
