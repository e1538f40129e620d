"""One game of PGN with everything in it: tags, moves, comments, signs and variations.

A line is a list of moves.  A move may have variations: lines that begin with
another move in its place.  ``stream`` reads only the moves, from files of many
games.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from playproof.core.errors import DataError
from playproof.core.kernels import Words
from playproof.core.registry import make
from playproof.formats.pgn import san as pgn_san
from playproof.games.chess import fen as chess_fen
from playproof.games.chess.rows import LEDGER

_TAG = re.compile(r'\[([A-Za-z0-9_]+)\s+"(.*)"\s*\]')
_ESCAPED = re.compile(r'\\(["\\])')
_TOKEN = re.compile(
    r"(?P<comment>\{[^}]*\}?)|(?P<rest>;[^\n]*)|(?P<escape>(?m:^)%[^\n]*)|(?P<nag>\$\d+)"
    r"|(?P<sign>[!?]{1,2})|(?P<open>\()|(?P<close>\))|(?P<passant>\be\.p\.?)"
    r"|(?P<result>(?:1-0|0-1|1/2-1/2|\*)(?![\w/+#=:-]))|(?P<word>[A-Za-z0-9+#=:/_-]+)"
    r"|(?P<space>[\s.]+)|(?P<stray>.)",
    re.DOTALL,
)
_SIGNS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
_NO_MOVE = re.compile(r"\d+|[+#=:/_-]+|[ND]")  # numbers, signs, novelties, diagrams
_MAX_DEPTH = 100  # variations within variations
_WHY = {
    pgn_san.ILLEGAL: "is not legal here",
    pgn_san.AMBIGUOUS: "could be several moves",
    pgn_san.NO_MOVE: "is not a move",
}
_NAMES = {
    "close": "a ) without a (",
    "stray": "a character that does not belong here",
}


@dataclass
class PgnMove:
    """A move of a line, with its comments, signs and variations."""

    action: int
    name: str  # as written
    before: str = ""  # the comment before it
    after: str = ""  # the comment after it
    nags: list[int] = field(default_factory=list)  # numeric annotation glyphs: 1 is !, 2 is ?
    variations: list[list[PgnMove]] = field(default_factory=list)


@dataclass
class PgnGame:
    """A game: its tags, its main line, and the result after the moves."""

    tags: dict[str, str]
    line: list[PgnMove]
    result: str  # 1-0, 0-1, 1/2-1/2, *; "" if the moves do not end with one
    comment: str = ""  # of a game without moves

    @property
    def actions(self) -> list[int]:
        """The moves of the main line."""
        return [move.action for move in self.line]


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, or else Latin-1, which the standard asks for."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse(text: str, *, line: int = 1, source: str = "") -> PgnGame:
    """The game that a text holds.

    An error is a DataError with its line; ``line`` is the number of the first one."""
    return _Parser(text, line, source).parse()


class _OpenLine:
    """A line whose end has not been read."""

    def __init__(self, moves: list[PgnMove], row: Words, start: int) -> None:
        self.moves, self.row, self.start = moves, row, start
        self.previous_row = row  # before the last move
        self.pending = ""  # a comment before its move


class _Parser:
    def __init__(self, text: str, line: int, source: str) -> None:
        self.text, self.first, self.source = text, line, source
        self.game = make("chess", draws="none")
        self.legal = np.empty(self.game.max_actions, np.int32)

    def error(self, at: int, why: str) -> DataError:
        line = self.first + self.text.count("\n", 0, at)
        where = f"{self.source}, line {line}" if self.source else f"line {line}"
        return DataError(f"{where}: {why}")

    def parse(self) -> PgnGame:
        tags, at = self._tags()
        pgn_game = PgnGame(tags, [], "")
        lines = [_OpenLine(pgn_game.line, self._start(tags), at)]
        while at < len(self.text):
            token = _TOKEN.match(self.text, at)
            assert token is not None  # the last alternative matches any character
            assert token.lastgroup is not None
            kind, words, here = token.lastgroup, token[0], lines[-1]
            if kind in ("comment", "rest"):
                self._comment(here, kind, words, at)
            elif kind in ("nag", "sign"):
                if here.moves:
                    nag = _SIGNS[words] if kind == "sign" else int(words[1:7])
                    here.moves[-1].nags.append(nag)
            elif kind == "open":
                if not here.moves:
                    raise self.error(at, "a variation before the first move")
                if len(lines) > _MAX_DEPTH:
                    raise self.error(at, f"variations deeper than {_MAX_DEPTH}")
                lines.append(_OpenLine([], here.previous_row, at))
            elif kind == "close" and len(lines) > 1:
                self._close(lines)
            elif kind == "result" and len(lines) == 1:
                pgn_game.result = words
                break
            elif kind == "word" and not _NO_MOVE.fullmatch(words):
                self._move(here, words, at)
            elif kind == "word" and words == "--":
                raise self.error(at, "a null move, which is no move of Chess")
            elif kind in ("close", "stray"):
                raise self.error(at, f"{words!r} is {_NAMES[kind]}")
            at = token.end()
        if len(lines) > 1:
            raise self.error(lines[1].start, "a variation without )")
        self._attach_comment(lines[0])
        pgn_game.comment = lines[0].pending if not pgn_game.line else ""
        return pgn_game

    def _tags(self) -> tuple[dict[str, str], int]:
        tags: dict[str, str] = {}
        at = 0
        while at < len(self.text):
            end = self.text.find("\n", at) + 1 or len(self.text)
            line = self.text[at:end]
            if line.strip() and line[0] != "%":
                if not line.lstrip().startswith("["):
                    break
                tag = _TAG.fullmatch(line.strip())
                if not tag:
                    raise self.error(at, 'a broken tag: want [Name "value"]')
                tags[tag[1]] = _ESCAPED.sub(r"\1", tag[2])
            at = end
        return tags, at

    def _start(self, tags: dict[str, str]) -> Words:
        fen = tags.get("FEN", chess_fen.START)
        try:
            return self.game.read_position(fen)
        except DataError as error:
            raise self.error(max(0, self.text.find("[FEN")), f"bad FEN: {error}") from None

    def _comment(self, here: _OpenLine, kind: str, words: str, at: int) -> None:
        if kind == "comment" and not words.endswith("}"):
            raise self.error(at, "a comment without }")
        comment = " ".join(words[1:-1].split() if kind == "comment" else words[1:].split())
        here.pending = f"{here.pending} {comment}".strip()
        if here.moves:
            self._attach_comment(here)

    def _attach_comment(self, here: _OpenLine) -> None:
        """Attach the pending comment to the move that it follows."""
        if here.moves and here.pending:
            last = here.moves[-1]
            last.after, here.pending = f"{last.after} {here.pending}".strip(), ""

    def _close(self, lines: list[_OpenLine]) -> None:
        variation = lines.pop()
        if variation.moves:
            lines[-1].moves[-1].variations.append(variation.moves)

    def _move(self, here: _OpenLine, words: str, at: int) -> None:
        black = bool(int(here.row[LEDGER]) & 1)
        name = np.frombuffer(words.encode(), np.uint8)
        action = int(pgn_san.find_move(self.game.tables, here.row, black, name, self.legal))
        if action < 0:
            raise self.error(at, f"{words[:20]} {_WHY[action]}")
        here.moves.append(PgnMove(action, words, before=here.pending))
        here.pending = ""
        after = here.row.copy()
        no_history = np.zeros(0, np.uint64)
        self.game.kernels.apply(self.game.option_words, self.game.tables, after, no_history, action)
        here.previous_row, here.row = here.row, after
