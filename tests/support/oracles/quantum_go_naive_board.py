"""The Go board of the naive Quantum Go: points, chains, liberties and the two ways to count.

A position is a dictionary from points (x, y) to colours; (0, 0) is A1, at the bottom left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

BLACK, WHITE = 0, 1
COLUMNS = "ABCDEFGHJKLMNOPQRST"  # no I, as on every Go board
STRAIGHT = ((1, 0), (0, 1), (-1, 0), (0, -1))
DIAGONAL = ((1, 1), (-1, 1), (-1, -1), (1, -1))

Point = tuple[int, int]
Stones = dict[Point, int]


def label(point: Point) -> str:
    """The name of a point: (2, 3) is C4."""
    return f"{COLUMNS[point[0]]}{point[1] + 1}"


def point_of(name: str) -> Point:
    """The point of a name: C4 is (2, 3)."""
    return COLUMNS.index(name[0].upper()), int(name[1:]) - 1


def points_of(names: str) -> list[Point]:
    """The points of some names with blanks between them."""
    return [point_of(name) for name in names.split()]


def names(decisions: Iterable[Point | str]) -> str:
    """Points and passes as a person would write them."""
    return " ".join(d if isinstance(d, str) else label(d) for d in decisions)


def single(black: str = "", white: str = "") -> Stones:
    """Single stones by the names of their points."""
    return dict.fromkeys(points_of(black), BLACK) | dict.fromkeys(points_of(white), WHITE)


class Board:
    """A rectangle of points; it knows what is next to what and nothing about a game."""

    def __init__(self, width: int, height: int) -> None:
        if not (2 <= width <= 19 and 2 <= height <= 19):
            raise ValueError("a board has 2 to 19 columns and 2 to 19 rows")
        self.width, self.height = width, height
        self.points = [(x, y) for y in range(height) for x in range(width)]
        self.straight = {point: self.near(point, STRAIGHT) for point in self.points}
        self.all_around = {point: self.near(point, STRAIGHT + DIAGONAL) for point in self.points}

    def index(self, point: Point) -> int:
        """Row-major from the bottom left: A1 is 0, B1 is 1."""
        return point[1] * self.width + point[0]

    def mirror(self, point: Point) -> Point:
        """The point opposite, through the centre of the board."""
        return self.width - 1 - point[0], self.height - 1 - point[1]

    def around(self, point: Point, diagonal: bool = False) -> list[Point]:
        """The neighbours in a straight line, with the diagonal ones if asked for."""
        return self.all_around[point] if diagonal else self.straight[point]

    def near(self, point: Point, steps: Iterable[Point]) -> list[Point]:
        """The points of the board that these steps lead to."""
        near = [(point[0] + dx, point[1] + dy) for dx, dy in steps]
        return [(x, y) for x, y in near if 0 <= x < self.width and 0 <= y < self.height]

    def region(self, stones: Stones, start: Point) -> set[Point]:
        """The points that hang together with this one and look like it: a chain, or a gap."""
        chain, edge, like = {start}, [start], stones.get(start)
        while edge:
            for near in self.around(edge.pop()):
                if near not in chain and stones.get(near) == like:
                    chain.add(near)
                    edge.append(near)
        return chain

    def without_liberties(self, stones: Stones, colour: int) -> set[Point]:
        """The stones of this colour whose chains have no empty neighbour."""
        dead: set[Point] = set()
        seen: set[Point] = set()
        for point, owner in stones.items():
            if owner == colour and point not in seen:
                chain = self.region(stones, point)
                seen |= chain
                if all(near in stones for member in chain for near in self.around(member)):
                    dead |= chain
        return dead

    def surrounded(self, stones: Stones) -> Iterator[int]:
        """For each empty point that reaches one colour only, that colour."""
        for point in self.points:
            if point in stones:
                continue
            gap = self.region(stones, point)
            reached = {stones[n] for p in gap for n in self.around(p) if n in stones}
            if len(reached) == 1:
                yield reached.pop()

    def area(self, stones: Stones) -> tuple[int, int]:
        """Stones and surrounded points of Black and of White."""
        owned = [*stones.values(), *self.surrounded(stones)]
        return owned.count(BLACK), owned.count(WHITE)

    def territory(self, stones: Stones) -> tuple[int, int]:
        """Surrounded points of Black and of White."""
        owned = list(self.surrounded(stones))
        return owned.count(BLACK), owned.count(WHITE)
