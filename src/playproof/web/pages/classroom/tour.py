"""The guided tour: Example 1 of Ranchin (2016), a whole game on 6x6, explained for pupils.

Each step is some decisions of the game's record and a few words about them. The decisions are
played by the rules when the tour is requested, so a step that is not legal cannot be shown.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.web.pages.classroom.lesson import Json, lesson
from playproof.web.pages.classroom.preview import preview

OPTIONS: Json = {"board": "6x6"}
TITLE = "A whole game of Quantum Go"
SOURCE = "A. Ranchin, Quantum Go (2016), Example 1"


@dataclass(frozen=True)
class Step:
    """``turn`` is the number in the paper's record, 0 before the first; ``look`` are points to
    mark."""

    turn: int
    moves: str
    heading: str
    text: str
    look: tuple[str, ...] = ()


STEPS = (
    Step(
        0, "", "An empty board",
        "Two players, Black and White, put stones on the crossings of the lines. Whoever holds "
        "more of the board at the end wins. What makes it quantum: a turn puts down two "
        "stones, and they are one.",
    ),
    Step(
        1, "D3 C2", "One stone, two places",
        "Black plays D3 and C2. That is not two stones: it is one stone, and it is not decided "
        "where it is. This is called superposition. The dashed line shows which two belong "
        "together, and the formula says the same in symbols.",
        ("C2", "D3"),
    ),
    Step(
        2, "C4 D5", "White does the same",
        "White plays C4 and D5. No stone lies directly beside another along a line, so nothing "
        "happens: two pairs, and four points where a stone may or may not be. Point at one of "
        "them: alone it is as uncertain as a tossed coin, one bit.",
        ("C4", "D5"),
    ),
    Step(
        3, "D4 C3", "Contact",
        "Black plays D4 and C3. D4 is beside D3, D5 and C4; C3 is beside C2 and C4. Touching "
        "is measuring: every pair that was touched must now become one stone, in three steps.",
        ("C3", "D4"),
    ),
    Step(
        3, "D3", "Step 1: the mover's older pairs",
        "First come older pairs of the side that has just played. Black's pair was touched, and "
        "Black keeps D3. In the same moment C2 is empty: to settle one place is to settle the "
        "other, however far away it is. That is what entangled means.",
        ("D3", "C2"),
    ),
    Step(
        3, "C4", "Step 2: the other side's pairs",
        "Then it is White's turn to choose for White's own pair. White keeps C4, and D5 is gone.",
        ("C4", "D5"),
    ),
    Step(
        3, "D4", "Step 3: the new pair",
        "Last comes the pair that was just placed. A new stone that touches a stone that has just "
        "collapsed must stay. Here both do, so Black may choose, and keeps D4. Three ordinary "
        "stones are left: the formula has no pair in it any more.",
        ("D4", "C3"),
    ),
    Step(
        4, "C3 D5 C3", "A pair that lives for a moment",
        "White plays C3 and D5. Both touch ordinary stones, so the new pair collapses at once "
        "and White keeps C3. Near other stones Quantum Go plays like ordinary Go.",
        ("C3",),
    ),
    Step(5, "D2 D5 D2", "Black keeps D2", "The same again: D2 and D5, and D2 stays.", ("D2",)),
    Step(
        6, "C5 D5 C5", "White keeps C5",
        "C5 and D5 touch each other, too. That counts as contact like any other.", ("C5",),
    ),
    Step(
        7, "B2 E5", "A new pair",
        "Black finds two points that touch nothing: B2 and E5. A pair is on the board again, "
        "and a factor with a minus sign is back in the formula.",
        ("B2", "E5"),
    ),
    Step(
        8, "D5 A3", "White measures it",
        "White plays D5 and A3. D5 lies beside E5, so Black's pair has been measured, and so has "
        "White's new one. White had no older pair there, so there is no step 1.",
        ("D5", "A3"),
    ),
    Step(
        8, "B2", "Black chooses the far stone",
        "Black keeps B2, far away from White's stone. To White, who cannot know the choice "
        "beforehand, this looks like chance. In the paper's words the game mimics quantum theory "
        "through each player's ignorance of the other's decisions.",
        ("B2", "E5"),
    ),
    Step(
        8, "D5", "White is free",
        "E5 is empty now, so D5 touches no stone that has just collapsed. White may keep either "
        "stone, and keeps D5.",
        ("D5", "A3"),
    ),
    Step(9, "B3 E5 B3", "Black keeps B3", "B3 touches stones, so the pair settles at once.",
         ("B3",)),
    Step(10, "C2 E4 C2", "White keeps C2", "White pushes down the middle.", ("C2",)),
    Step(11, "C1 E5 C1", "Black keeps C1", "Black stops the push from below.", ("C1",)),
    Step(12, "E4 E5 E4", "White keeps E4", "White turns to the right side.", ("E4",)),
    Step(13, "E3 B4 E3", "Black keeps E3", "Black answers below it.", ("E3",)),
    Step(14, "F4 E5 F4", "White keeps F4", "White reaches the right edge.", ("F4",)),
    Step(
        15, "E6 A5", "The last pair of the game",
        "Black plays E6 and A5, and neither touches a stone. It is the last pair that will "
        "live longer than a moment.",
        ("A5", "E6"),
    ),
    Step(
        16, "E5 B4", "The middle of the game",
        "White has just played E5 and B4. E5 lies beside Black's E6: contact! The solid stones "
        "are settled. The dashed ones are two pairs, and both must collapse now. Black is asked "
        "first: A5 or E6? Look at both outcomes below before you go on.",
        ("A5", "E6"),
    ),
    Step(
        16, "E6", "Black keeps E6",
        "Black keeps E6, and A5 is empty. Now look at White's pair: E5 touches a stone that has "
        "just collapsed, B4 does not.",
        ("A5", "E6"),
    ),
    Step(
        16, "E5", "White has no choice",
        "A new stone that touches a stone which has just collapsed must stay. So White has to "
        "keep E5. Had Black kept A5 instead, E5 and B4 would both have been possible: what one "
        "side chooses decides what the other may do.",
        ("E5", "B4"),
    ),
    Step(
        17, "B4 A5 B4", "From here on it is ordinary Go",
        "The board is so full that every new pair touches something and collapses at once.",
        ("B4",),
    ),
    Step(18, "B5 F3 B5", "White keeps B5", "White closes the top.", ("B5",)),
    Step(19, "A5 F3 A5", "Black keeps A5", "Black holds the left edge.", ("A5",)),
    Step(20, "B6 F3 B6", "White keeps B6", "White guards the corner.", ("B6",)),
    Step(21, "D6 F3 D6", "Black keeps D6", "Black comes in from the top.", ("D6",)),
    Step(22, "F6 B1 F6", "White keeps F6", "White puts a stone into the corner.", ("F6",)),
    Step(
        23, "F5 F3 F5", "A capture",
        "A stone lives as long as a free point is beside it or beside a neighbour of its own "
        "colour. Black's F5 takes the last free point of F6, and the white stone is taken off.",
        ("F5", "F6"),
    ),
    Step(
        24, "C6 F6 C6", "No board may return",
        "White plays C6 and F6. Keeping F6 would take F5 back and bring an earlier board again, "
        "which the rules forbid. So the new pair has only one way to collapse: to C6.",
        ("C6", "F6"),
    ),
    Step(25, "F3 A4 F3", "Black keeps F3", "Black closes the right side.", ("F3",)),
    Step(
        26, "F6 A4 F6", "Three stones at once",
        "Now the board is another one, and F6 is allowed. White takes F5, D6 and E6 off.",
        ("F6", "F5", "D6", "E6"),
    ),
    Step(27, "A4 A6 A4", "Black keeps A4", "The last free points are shared out.", ("A4",)),
    Step(28, "A6 A1 A6", "White keeps A6", "White takes the corner.", ("A6",)),
    Step(29, "pass", "Black passes", "Black has nothing left to gain."),
    Step(
        30, "pass", "The end",
        "White passes as well, and the game is over. Stones and the points they surround: Black "
        "has 20, White 16. Black wins by four, as the paper says.",
    ),
)  # fmt: skip

MIDDLE = next(i for i, step in enumerate(STEPS) if step.moves == "E5 B4")


@functools.cache
def states() -> tuple[State, ...]:
    """The position after each step; an error if a step is not legal."""
    state = make("quantum-go", **OPTIONS).start()
    positions = []
    for step in STEPS:
        state = state.play(step.moves)
        positions.append(state)
    return tuple(positions)


@functools.cache
def tour() -> Json:
    """The whole tour: texts, moves and pictures of all steps."""
    steps = []
    for number, (step, state) in enumerate(zip(STEPS, states(), strict=True)):
        steps.append({
            "number": number,
            "turn": step.turn,
            "heading": step.heading,
            "text": step.text,
            "moves": step.moves.split(),
            "ply": state.ply,
            "look": list(step.look),
            "position": state.position,
            "view": picture(state),
        })  # fmt: skip
    return {
        "title": TITLE,
        "source": SOURCE,
        "game": "quantum-go",
        "options": OPTIONS,
        "middle": MIDDLE,
        "steps": steps,
    }


def picture(state: State) -> Json:
    """The View of a position for viewing only: without its legal moves."""
    view: dict[str, Any] = state.view().to_json()
    return view | {"legal": [], "actions": [], "steps": []}


def step_lesson(number: int) -> Json:
    """The lesson on one step, in the form that ``/api/classroom/ID`` gives for a game."""
    return _lesson(check_step(number))


@functools.cache
def _lesson(number: int) -> Json:
    state = states()[number]
    return lesson(state) | {"preview": preview(state)}


def check_step(number: int) -> int:
    if not 0 <= number < len(STEPS):
        raise UsageError(f"the tour has no step {number}: want 0 to {len(STEPS) - 1}")
    return number
