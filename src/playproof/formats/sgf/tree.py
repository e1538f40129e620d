"""SGF as text (FF[4], Hollosi 1999): games as nodes of properties, each value with its place.

The place is why this is not left to a library: an error in a file names its
line and column, also where the text is well formed but a move is illegal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from playproof.core.errors import DataError

_NAME = re.compile(r"[A-Za-z]+")
_CHARSET = re.compile(rb"CA\s*\[([^\]]{1,40})\]")
_SPACE = " \t\r\n\v\f"


@dataclass(frozen=True)
class Value:
    """A property's value as it is written; ``at`` counts characters from the file's start."""

    raw: str
    at: int

    @property
    def text(self) -> str:
        """The value as simple text: on one line, without escapes."""
        joined = re.sub(r"\\(\r\n|\n\r|[\r\n])", "", self.raw)
        return " ".join(re.sub(r"\\(.)", r"\1", joined, flags=re.DOTALL).split())


@dataclass
class Node:
    at: int
    properties: dict[str, list[Value]] = field(default_factory=dict)

    def values(self, name: str) -> list[Value]:
        return self.properties.get(name, [])


class Document:
    """A file of games: the main line of each, and how to point into the text.

    With ``branches`` their variations too, each from the root to its end; without them a
    large file takes no more memory than its main lines.
    """

    def __init__(self, text: str, source: str = "", *, branches: bool = False) -> None:
        self.text, self.source = text, source
        self.branches: list[list[list[Node]]] = []  # of each game
        self.comments = 0  # nodes with one
        self.games = _Parser(self, branches).games()

    def error(self, at: int, why: object) -> DataError:
        before = self.text[: min(at, len(self.text))]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        name = f"{self.source}, " if self.source else ""
        return DataError(f"{name}line {line}, column {column}: {' '.join(str(why).split())}")

    def only(self, node: Node, name: str) -> Value | None:
        """The value of a property that has one, or None if it is not there."""
        values = node.values(name)
        if len(values) > 1:
            raise self.error(values[1].at, f"a node has one value of {name} at most")
        return values[0] if values else None


class _Parser:
    """Collection: tree+; tree: ``(`` node+ tree* ``)``; node: ``;`` property*.

    The main line is that of the first trees; the others must be well formed.
    """

    def __init__(self, document: Document, branches: bool) -> None:
        self.document, self.text, self.at = document, document.text, 0
        self.branches = branches

    def games(self) -> list[list[Node]]:
        games: list[list[Node]] = []
        self._skip()
        while not games or self.at < len(self.text):
            if not self._take("("):
                raise self._wrong("a game, which begins with (;")
            games.append(self._tree())
            self._skip()
        return games

    def _tree(self) -> list[Node]:
        """The main line of a game whose ``(`` has been read."""
        line: list[Node] = []
        # (on the main line, nodes read, subtrees read) of every tree that is open.
        open_trees = [[True, 0, 0]]
        path: list[Node] = []  # from the root, with ``branches``
        others: list[list[Node]] = []
        while open_trees:
            here = open_trees[-1]
            self._skip()
            if self._take(";"):
                if here[2]:
                    raise self.document.error(self.at - 1, "no node may follow a variation")
                node = self._node()
                here[1] += 1
                if here[0]:
                    line.append(node)
                if self.branches:
                    path.append(node)
                    self.document.comments += "C" in node.properties
            elif here[1] == 0:
                raise self._wrong("a node, which begins with ;")
            elif self._take("("):
                open_trees.append([here[0] and here[2] == 0, 0, 0])
                here[2] += 1
            elif self._take(")"):
                open_trees.pop()
                if self.branches and not here[0] and not here[2]:
                    others.append(path.copy())
                if self.branches:
                    del path[len(path) - here[1] :]
            else:
                raise self._wrong("a node (;), a property, a variation (() or the end of one ())")
        self.document.branches.append(others)
        return line

    def _node(self) -> Node:
        node = Node(self.at - 1)
        while True:
            self._skip()
            match = _NAME.match(self.text, self.at)
            if match is None:
                return node
            begin = self.at
            # Old files write names out: Black, SiZe.  Only capitals count.
            name = "".join(letter for letter in match[0] if letter.isupper())
            if not name:
                raise self.document.error(begin, f"{match[0][:20]} is no property: want capitals")
            self.at = match.end()
            values = self._values(match[0])
            node.properties.setdefault(name, []).extend(values)

    def _values(self, name: str) -> list[Value]:
        values = []
        self._skip()
        while self._take("["):
            begin = self.at
            while not self._take("]"):
                if self.at >= len(self.text):
                    raise self.document.error(
                        begin, f"this value of {name[:20]} has no ] at its end"
                    )
                self.at += 2 if self.text[self.at] == "\\" else 1
            values.append(Value(self.text[begin : self.at - 1], begin))
            self._skip()
        if not values:
            raise self._wrong(f"the value of {name[:20]} in [ ]")
        return values

    def _skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _SPACE:
            self.at += 1

    def _take(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += 1
        return True

    def _wrong(self, wanted: str) -> DataError:
        found = repr(self.text[self.at]) if self.at < len(self.text) else "the end of the file"
        return self.document.error(self.at, f"found {found} instead of {wanted}")


def decode(data: bytes) -> str:
    """The text of a file: UTF-8 if it is that, else as its CA says, else Latin-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    match = _CHARSET.search(data)
    try:
        return data.decode(match[1].decode("ascii") if match else "latin-1")
    except (LookupError, UnicodeDecodeError, ValueError):
        return data.decode("latin-1")


def escaped(text: str) -> str:
    """Simple text as a value holds it."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("]", "\\]")


def property_text(name: str, values: Iterable[str]) -> str:
    """``AB[cd][ef]``; nothing if there is no value."""
    inner = "".join(f"[{value}]" for value in values)
    return name + inner if inner else ""
