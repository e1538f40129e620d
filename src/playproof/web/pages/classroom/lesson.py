"""A position of Quantum Go as a lesson: its formula, its points, and the current step.

Everything here is plain data for JSON, made with ``games/quantum_go/state`` and
``games/quantum_go/view``; the page only lays it out.
"""

from __future__ import annotations

import math
from typing import Any

from playproof.core.errors import UsageError
from playproof.core.state import State
from playproof.games.quantum_go import rows
from playproof.games.quantum_go.game import QuantumGo
from playproof.games.quantum_go.state.groups import LABEL, Group
from playproof.games.quantum_go.state.quantum_state import QuantumState, quantum_of
from playproof.games.quantum_go.view import chooser, question
from playproof.rules import quantum_go as law

Json = dict[str, Any]


def game_of(state: State) -> QuantumGo:
    """The game of a position; an error unless it is Quantum Go."""
    if not isinstance(state.game, QuantumGo):
        raise UsageError(f"this is a game of {state.game.title}: the classroom is for Quantum Go")
    return state.game


def lesson(state: State) -> Json:
    """The lesson on a position, without ``preview``."""
    game, quantum = game_of(state), quantum_of(state)
    turn_start = start_of_turn(state)
    return {
        "title": game.title,
        "born": game.born,
        "alpha": math.sqrt(game.later_stays),
        "options": changed_options(game),
        "position": state.position,
        "turn_position": turn_start.position,
        "ket": ket(quantum, game.players),
        "points": points(state, quantum),
        "step": step(state),
    }


def changed_options(game: QuantumGo) -> Json:
    """The options that differ from their defaults, with which a game like this one is started."""
    defaults = {option.name: option.default for option in game.option_fields}
    return {name: value for name, value in game.options.items() if value != defaults[name]}


def start_of_turn(state: State) -> State:
    """The position in which this turn began, or the earliest position that is known."""
    game = game_of(state)
    past = state
    for plies in range(len(state.actions) + 1):
        past = state.before(plies) if plies else state
        if game.step(past.row) == law.PLACE and not game.new_group(past.row):
            break
    return past


# The formula


def ket(quantum: QuantumState, players: tuple[str, str]) -> Json:
    """The formula of the board, as a whole and in parts, in the form of the paper's Figure 7."""
    whole, numbers = quantum.ket(), quantum.ket(numbers=True)
    parts = []
    for part, text, figures in zip(
        _parts(quantum, players), split(whole), split(numbers), strict=True
    ):
        parts.append(part | {"text": text, "numbers": figures})
    return {"text": whole, "numbers": numbers, "parts": parts}


def split(formula: str) -> list[str]:
    """The factors of a formula: each is in brackets, followed by its colour."""
    factors, depth, start = [], 0, 0
    for i, letter in enumerate(formula):
        if letter == "(":
            if depth == 0 and i > start:
                factors.append(formula[start:i])
                start = i
            depth += 1
        elif letter == ")":
            depth -= 1
    return [*factors, formula[start:]] if formula else []


def _parts(quantum: QuantumState, players: tuple[str, str]) -> list[Json]:
    """What each factor is about, in the order of the formula."""
    parts: list[Json] = []
    if quantum.empty:
        parts.append(_part("empty", None, quantum.empty, f"{_count(quantum.empty)} empty"))
    for owner, name in enumerate(players):
        stones = quantum.in_order(p for p, colour in quantum.singles.items() if colour == owner)
        if stones:
            certain = f"{name}: {_stones(stones)} certainly on {_list(stones)}"
            parts.append(_part("single", owner, stones, certain))
    for number, group in enumerate(quantum.groups, 1):
        sentence = f"{players[group.owner]}, {_kind(group)} {number}: {_chances(group)}"
        parts.append(
            _part(group.kind, group.owner, list(group.points), sentence)
            | {"number": number, "probabilities": [float(p) for p in group.probabilities]}
        )
    return parts


def _part(kind: str, owner: int | None, names: list[str], sentence: str) -> Json:
    colour = None if owner is None else "bw"[owner]
    return {"kind": kind, "owner": owner, "colour": colour, "points": names, "says": sentence}


def _kind(group: Group) -> str:
    return "pair" if group.kind == "pair" else "group"


def _chances(group: Group) -> str:
    chances = [
        f"{name} with probability {p:.3g}"
        for name, p in zip(group.points, group.probabilities, strict=True)
    ]
    return "one stone, at " + ", or at ".join(chances)


def _count(names: list[str]) -> str:
    return "1 point is" if len(names) == 1 else f"{len(names)} points are"


def _stones(names: list[str]) -> str:
    return "a stone" if len(names) == 1 else "stones"


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# The points


def points(state: State, quantum: QuantumState) -> Json:
    """Each point by itself: probability of a stone, density matrix of occupancy, entropy in bits.

    ``density`` has shape (2, 2, 2): rows and columns are "no stone" and "stone", and each entry is
    (real, imaginary). A point of a GHZ group also has ``entropy_label``, the entropy of which stone
    stays instead of whether this one does.
    """
    game = game_of(state)
    placing = set(_names(game, game.new_group(state.row))) if _is_placing(state) else set()
    entries: Json = {}
    for name in quantum.in_order(quantum.points.names):
        group, colour = quantum.group_at(name), quantum.colour(name)
        matrix = quantum.density(name)
        entry: Json = {
            "probability": quantum.probability(name),
            "density": [[[float(x.real), float(x.imag)] for x in row] for row in matrix],
            "entropy": quantum.entropy(name),
            "owner": colour,
            "colour": None if colour is None else "bw"[colour],
            "group": None if group is None else quantum.groups.index(group) + 1,
            "partners": [] if group is None else [p for p in group.points if p != name],
        }
        if group is not None and group.kind == "ghz":
            entry["entropy_label"] = quantum.entropy(name, LABEL)
        if name in placing:
            entry["placing"] = True
        entries[name] = entry
    return entries


def _is_placing(state: State) -> bool:
    return game_of(state).step(state.row) == law.PLACE


def _names(game: QuantumGo, numbers: tuple[int, ...]) -> list[str]:
    return [game.points.names[p] for p in numbers]


# The step


def step(state: State) -> Json:
    """The banner: the question, who answers it, and which of Ranchin's three steps this is."""
    game, row = game_of(state), state.row
    number = game.step(row)
    who = chooser(game, row) if number != law.OVER else ""
    group = _names(game, game.collapsing_group(row))
    legal = [] if state.is_terminal else state.legal_names()
    return {
        "number": number,
        "name": _STEP_NAMES[number],
        "ranchin": number if law.OWN_OLDER <= number <= law.NEW_GROUP else None,
        "who": who,
        "colour": {"Black": "b", "White": "w"}.get(who, ""),
        "question": question(game, state),
        "why": _why(state, legal),
        "points": group,
        "choices": [name for name in legal if name != "pass"] if group else [],
    }


_STEP_NAMES = (
    "Placing",
    "Collapse, step 1 of 3",
    "Collapse, step 2 of 3",
    "Collapse, step 3 of 3",
    "After two passes",
    "After two passes",
    "The game is over",
)


def _why(state: State, legal: list[str]) -> str:
    game, row = game_of(state), state.row
    number, mover = game.step(row), game.players[game.mover(row)]
    other = game.players[1 - game.mover(row)]
    if number == law.PLACE:
        return _why_placing(game, state)
    if number == law.OVER:
        return "Every pair has collapsed. Now stones and surrounded points are counted."
    if number in (law.LEFT_OVER, law.OTHERS_LEFT_OVER):
        return (
            "Both sides have passed. Pairs that nothing ever touched are settled now, before "
            "counting."
        )
    reason = {
        law.OWN_OLDER: f"{mover} has touched an older pair of {mover}'s own. It is settled first.",
        law.OPPONENTS: f"{mover} has touched a pair of {other}'s. It has to become one stone.",
        law.NEW_GROUP: "Last comes the pair that was just placed.",
    }[number]
    return f"{reason} {_who_decides(game, state, legal)}"


def _why_placing(game: QuantumGo, state: State) -> str:
    mover = game.mover(state.row)
    if not game.variant.pairs[mover]:
        return "In this variant this side places ordinary stones, one a turn."
    if game.variant.symmetric:
        return "The second stone stands opposite, seen from the centre of the board."
    if not game.new_group(state.row):
        return (
            f"A turn puts {game.members} stones on the board, and they are one: it is not yet "
            "decided where it is. They stay so until a stone touches one of them."
        )
    return (
        "Choose the other place. If a new stone comes to lie directly beside any stone, "
        "pairs collapse."
    )


def _who_decides(game: QuantumGo, state: State, legal: list[str]) -> str:
    verb = "goes" if game.w_type else "stays"
    if len(legal) == 1:
        return _why_forced(game, state, legal[0])
    if game.born:
        return f"Chance decides which stone {verb}, by Born's rule."
    return f"{chooser(game, state.row)} says which stone {verb}."


def _why_forced(game: QuantumGo, state: State, only: str) -> str:
    bound = rows.bound_of(state.row[game.ledger])
    if game.step(state.row) == law.NEW_GROUP and bound and not game.w_type:
        return (
            f"{only} touches a stone that has just collapsed, so it has to stay: "
            "there is no choice."
        )
    return (
        "Only one choice is left: the other would repeat an earlier board, or leave stones "
        "of the mover's own without a free point beside them."
    )
