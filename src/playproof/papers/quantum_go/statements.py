"""Ranchin's (2016) statements about named points in Figure 1 and Example 2, checked by the engine.

The moves of Example 2 are given only in figures.  The text makes statements about
single turns: who keeps which stone, and who has no choice.  Each check sets up the
stones that the statement names.  Points that it does not name, such as the stone
that a pair gave up, may be any: the check tries many that fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from playproof.core.errors import DataError
from playproof.core.registry import make
from playproof.core.state import State

Pair = tuple[str, str]

# Far from everything that the statements name, and from each other.
FAR = ("B2", "B8", "G2", "H5", "B12", "K3", "S2")


def near(point: str) -> list[str]:
    """The orthogonal neighbours of a point of the whole board."""
    numbers = make("quantum-go").points  # type: ignore[attr-defined]
    row, column = divmod(numbers.numbers[point], 19)
    beside = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
    return [numbers.names[19 * r + c] for r, c in beside if 0 <= r < 19 and 0 <= c < 19]


def board(side: str, black: Iterable[Pair] = (), white: Iterable[Pair] = ()) -> State:
    """The 19x19 board with these pairs, Black's older than White's, and ``side`` to move."""
    game: Any = make("quantum-go")
    black, white = list(black), list(white)
    numbers = game.points.numbers
    letters = {numbers[p]: "x" for pair in black for p in pair}
    letters |= {numbers[p]: "o" for pair in white for p in pair}
    groups = ",".join("+".join(pair) for pair in [*black, *white]) or "-"
    state: State = game.position(f"{game.points.write(letters)} {side} 0 - 0 0 {groups} -")
    return state


def last_choice(state: State, new: Pair, *kept: str) -> set[str]:
    """The points of a new pair that the mover may keep after the older pairs have kept ``kept``."""
    for point in new:
        state = state.apply(point)
    open_choices = set(kept)
    while points := open_choices & set(state.legal_names()):
        (point,) = points
        open_choices.remove(point)
        state = state.apply(point)
    if open_choices:
        raise DataError(f"{', '.join(sorted(open_choices))}: no pair there collapsed")
    return set(state.legal_names())


CheckResult = tuple[str, bool]


def figure_1() -> CheckResult:
    """Black {D3, C5}, White {D2, E6}: if Black keeps D3, White must keep D2; else she is free."""
    state = make("quantum-go").start().play("D3 C5 D2 E6")
    first = state.current_player == 0 and set(state.legal_names()) == {"D3", "C5"}
    forced, free = state.apply("D3"), state.apply("C5")
    chosen = forced.current_player == 1 and forced.legal_names() == ["D2"]
    open_ = free.current_player == 1 and set(free.legal_names()) == {"D2", "E6"}
    game: Any = state.game
    single = [[state.name(p) for p in stones] for stones in game.stones(forced.apply("D2").row)]
    summary = (
        f"D3 kept: White {forced.legal_names()[0]}; C5 kept: White {_either(free.legal_names())}"
    )
    return summary, first and chosen and open_ and single == [["D3"], ["D2"]]


def figure_g1() -> CheckResult:
    """Black keeps R16 and Q3 of {R16, K10} and {Q3, O4}; White may keep R17 or R3."""
    state = board("w", black=[("K10", "R16"), ("O4", "Q3")])
    choice = last_choice(state, ("R17", "R3"), "R16", "Q3")
    return f"White keeps {_either(choice)}", choice == {"R17", "R3"}


def figure_g2() -> CheckResult:
    """White {P13, D18} touches a white pair, which keeps P14, and two black ones, which keep R8 and
    Q13: White must keep P13."""
    touched = [p for new in ("P13", "D18") for p in near(new) if p not in ("P14", "Q13")]
    choices = [
        last_choice(
            board("w", black=[("R8", third), (FAR[0], "Q13")], white=[(FAR[1], "P14")]),
            ("P13", "D18"), "P14", "R8", "Q13",
        )
        for third in touched
    ]  # fmt: skip
    return _always(choices, {"P13"})


def figure_g3() -> CheckResult:
    """White keeps J16 and M12; Black may keep L12, which touches M12."""
    choices = [
        last_choice(
            board("b", white=[("J16", FAR[0]), ("M12", FAR[1])]), ("L12", other), "J16", "M12"
        )
        for other in near("J16")
    ]
    return f"L12 in {len(choices)} boards", all("L12" in choice for choice in choices)


def figure_g4() -> CheckResult:
    """M16 and M14 (Black) and M15 (White) would have been entangled side by side."""
    try:
        board(
            "b", black=[("M16", FAR[0]), ("M14", FAR[1])], white=[("D4", FAR[2]), ("M15", FAR[3])]
        )
    except DataError:
        refused = True
    else:
        refused = False
    # Without the two stones that cannot stand there, L15 must be kept, as the paper says.
    choices = [
        last_choice(
            board("b", white=[("D4", partner), ("M15", FAR[1])]), ("L15", other), "D4", "M15"
        )
        for partner in FAR[2:]
        for other in near(partner)
    ]
    return (
        "M15 touches M14 and M16: all would have collapsed before; without these two, L15 is "
        f"forced in {len(choices)} boards",
        refused and all(choice == {"L15"} for choice in choices),
    )


def figure_g6() -> CheckResult:
    """White keeps G16, then Black M7: possible if M7's pair touched the stone White gave up."""
    given_up = [
        last_choice(board("b", white=[("G16", partner)]), ("M7", other), "G16")
        for partner in FAR
        for other in near(partner)
    ]
    kept = [
        last_choice(board("b", white=[("G16", FAR[0])]), ("M7", other), "G16")
        for other in near("G16")
    ]
    summary = f"M7 in {len(given_up)} boards; never in {len(kept)} where G16 itself was touched"
    return summary, all("M7" in c for c in given_up) and not any("M7" in c for c in kept)


def figure_g7() -> CheckResult:
    """Black keeps N18 and P18, White D16 and O17; Black may then give up D17 (for O18)."""
    state = board(
        "b", black=[("N18", FAR[0]), ("P18", FAR[1])], white=[("D16", FAR[2]), ("O17", FAR[3])]
    )
    choice = last_choice(state, ("D17", "O18"), "N18", "P18", "D16", "O17")
    return f"Black keeps {_either(choice)}", choice == {"D17", "O18"}


def forced_away(given_up: str, must_go: str) -> CheckResult:
    """Black gives up a stone, and White, touching the one that stays, must give up hers."""
    choices = []
    for stays, new in _beside(FAR, {given_up, must_go}):
        state = board("w", black=[(given_up, stays)])
        choices.append(last_choice(state, (must_go, new), stays) == {new})
    return f"in {sum(choices)} of {len(choices)} boards", all(choices)


def figure_g9() -> CheckResult:
    """Black gives up F3; White, who touched it with F4, is free to give up F4."""
    kept, free = [], []
    for stays, other in product(FAR[3:], FAR[:2]):
        state = board("w", black=[("F3", stays)])
        free.append(last_choice(state, ("F4", other), stays) == {"F4", other})
        kept.append(last_choice(state, ("F4", other), "F3") == {"F4"})
    summary = f"free in {sum(free)} of {len(free)} boards; F4 forced had F3 stayed"
    return summary, all(free) and all(kept)


def figure_g11() -> CheckResult:
    """White keeps a stone that K18 touches: Black must keep K18."""
    choices = [
        last_choice(board("b", white=[(stays, far)]), ("K18", FAR[0]), stays)
        for stays in near("K18")
        for far in FAR[1:]
    ]
    return _always(choices, {"K18"})


def mirror_points() -> CheckResult:
    """On the whole board C6 and R14 are opposite, seen from K10."""
    state = make("quantum-go", variant="symmetric").start()
    game: Any = state.game
    ((_, pair),) = game.groups(state.apply("C6").row)
    alone = game.stones(state.apply("K10").row)[0]
    names = " ".join(state.name(p) for p in pair)
    summary = f"{names}; alone: {' '.join(state.name(p) for p in alone)}"
    return summary, summary == "C6 R14; alone: K10"


def _beside(points: Iterable[str], avoided: set[str]) -> Iterator[Pair]:
    """Each point with each of its neighbours, where neither touches a point to avoid."""
    for point in points:
        for new in near(point):
            if not avoided & {new, *near(new), *near(point)}:
                yield point, new


def _always(choices: list[set[str]], expected: set[str]) -> CheckResult:
    same = sum(choice == expected for choice in choices)
    return f"{_either(expected)} in {same} of {len(choices)} boards", same == len(choices)


def _either(names: Iterable[str]) -> str:
    return " or ".join(sorted(names))
