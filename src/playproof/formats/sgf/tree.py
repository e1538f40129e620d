"""The syntax of SGF (FF[4], Hollosi 1999): games as nodes of properties.

Every value keeps its place in the text.  That is why no library is used here: an
error names its line and column even where the text is well formed but a move is
illegal.
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
class PropertyValue:
    """A property's value as written; ``at`` is its offset from the file's start, in characters."""

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
    properties: dict[str, list[PropertyValue]] = field(default_factory=dict)

    def values(self, name: str) -> list[PropertyValue]:
        return self.properties.get(name, [])


class Document:
    """The main line of each game in a file, and errors that point into its text.

    With ``branches`` it also has the variations, each from the root to its end.  Without
    them a large file takes no more memory than its main lines.
    """

    def __init__(self, text: str, source: str = "", *, branches: bool = False) -> None:
        self.text, self.source = text, source
        self.branches: list[list[list[Node]]] = []  # of each game
        self.comments = 0  # number of nodes with a comment
        self.games = _Parser(self, branches).games()

    def error(self, at: int, why: object) -> DataError:
        before = self.text[: min(at, len(self.text))]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        name = f"{self.source}, " if self.source else ""
        return DataError(f"{name}line {line}, column {column}: {' '.join(str(why).split())}")

    def single_value(self, node: Node, name: str) -> PropertyValue | None:
        """The value of a property that may have only one; None if the node lacks it."""
        values = node.values(name)
        if len(values) > 1:
            raise self.error(values[1].at, f"a node has one value of {name} at most")
        return values[0] if values else None


@dataclass
class _OpenTree:
    """A tree whose end has not been read, with what has been read of it so far."""

    on_main_line: bool
    nodes: int = 0
    subtrees: int = 0


class _Parser:
    """Collection: tree+; tree: ``(`` node+ tree* ``)``; node: ``;`` property*.

    The main line follows the first subtree everywhere; the other trees must be well formed.
    """

    def __init__(self, document: Document, branches: bool) -> None:
        self.document, self.text, self.at = document, document.text, 0
        self.branches = branches

    def games(self) -> list[list[Node]]:
        games: list[list[Node]] = []
        self._skip()
        while not games or self.at < len(self.text):
            if not self._take("("):
                raise self._expected("a game, which begins with (;")
            games.append(self._tree())
            self._skip()
        return games

    def _tree(self) -> list[Node]:
        """The main line of a game whose ``(`` has been read."""
        line: list[Node] = []
        open_trees = [_OpenTree(on_main_line=True)]
        path: list[Node] = []  # from the root, with ``branches``
        others: list[list[Node]] = []
        while open_trees:
            here = open_trees[-1]
            self._skip()
            if self._take(";"):
                if here.subtrees:
                    raise self.document.error(self.at - 1, "no node may follow a variation")
                node = self._node()
                here.nodes += 1
                if here.on_main_line:
                    line.append(node)
                if self.branches:
                    path.append(node)
                    self.document.comments += "C" in node.properties
            elif here.nodes == 0:
                raise self._expected("a node, which begins with ;")
            elif self._take("("):
                open_trees.append(_OpenTree(here.on_main_line and here.subtrees == 0))
                here.subtrees += 1
            elif self._take(")"):
                open_trees.pop()
                if self.branches and not here.on_main_line and not here.subtrees:
                    others.append(path.copy())
                if self.branches:
                    del path[len(path) - here.nodes :]
            else:
                raise self._expected(
                    "a node (;), a property, a variation (() or the end of one ())"
                )
        self.document.branches.append(others)
        return line

    def _node(self) -> Node:
        node = Node(self.at - 1)
        while True:
            self._skip()
            match = _NAME.match(self.text, self.at)
            if match is None:
                return node
            start = self.at
            # Old files write names in full, as in Black or SiZe.  Only the capitals count.
            name = "".join(letter for letter in match[0] if letter.isupper())
            if not name:
                raise self.document.error(start, f"{match[0][:20]} is no property: want capitals")
            self.at = match.end()
            values = self._values(match[0])
            node.properties.setdefault(name, []).extend(values)

    def _values(self, name: str) -> list[PropertyValue]:
        values = []
        self._skip()
        while self._take("["):
            start = self.at
            while not self._take("]"):
                if self.at >= len(self.text):
                    raise self.document.error(
                        start, f"this value of {name[:20]} has no ] at its end"
                    )
                self.at += 2 if self.text[self.at] == "\\" else 1
            values.append(PropertyValue(self.text[start : self.at - 1], start))
            self._skip()
        if not values:
            raise self._expected(f"the value of {name[:20]} in [ ]")
        return values

    def _skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _SPACE:
            self.at += 1

    def _take(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += 1
        return True

    def _expected(self, element: str) -> DataError:
        actual = repr(self.text[self.at]) if self.at < len(self.text) else "the end of the file"
        return self.document.error(self.at, f"found {actual} instead of {element}")


def decode(data: bytes) -> str:
    """The text of a file: UTF-8 if it is valid, else the charset of its CA, else Latin-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    match = _CHARSET.search(data)
    try:
        return data.decode(match[1].decode("ascii") if match else "latin-1")
    except (LookupError, UnicodeDecodeError, ValueError):
        return data.decode("latin-1")


def escape(text: str) -> str:
    """Simple text, escaped for a property value."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("]", "\\]")


def property_text(name: str, values: Iterable[str]) -> str:
    """A property such as ``AB[cd][ef]``; empty if there are no values."""
    inner = "".join(f"[{value}]" for value in values)
    return name + inner if inner else ""
