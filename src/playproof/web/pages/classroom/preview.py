"""What would happen: each choice that is possible now, and all ways in which a turn can end.

Nothing is derived apart from the rules: a choice is played on a copy of the position, and the two
boards are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from playproof.core.errors import UsageError
from playproof.core.state import State
from playproof.games.quantum_go.game import QuantumGo
from playproof.games.quantum_go.state.chains import neighbours
from playproof.games.quantum_go.state.quantum_state import QuantumState, quantum_of
from playproof.games.quantum_go.view import chooser
from playproof.rules import quantum_go as law
from playproof.web.pages.classroom.lesson import Json, game_of

MOST_WAYS = 64  # ways of one turn that are listed; a turn of pairs hardly ever has more


def preview(state: State, choice: str | None = None) -> Json:
    """The choices now, what each pair could become, and the ways in which the turn can go.

    ``choice`` is a legal move; the ways and their probabilities are then those after it.
    """
    game = game_of(state)
    collapsing = law.PLACE < game.step(state.row) < law.OVER
    content: Json = {"choices": choices(state), "pairs": outcomes(state), "ways": [], "whole": True}
    start, decided = state, list[Json]()
    if choice is not None:
        action = _legal(state, choice)
        start = state.apply(action)
        decided = [_unnumbered(result(state, action))] if collapsing else []
        content["chosen"] = game.action_name(action)
    if choice is not None or collapsing:
        ways = list(islice(_ways(start, decided, 1.0), MOST_WAYS + 1))
        content |= {"ways": ways[:MOST_WAYS], "whole": len(ways) <= MOST_WAYS}
    return content


def _legal(state: State, text: str) -> int:
    action = state.find(text)
    if action not in state.legal_actions():
        raise UsageError(f"{text[:20]} cannot be chosen now: want one of the legal moves")
    return action


def choices(state: State) -> list[Json]:
    """The immediate effect of each choice.

    The first of several stones has no effect yet, so nothing is listed for it.
    """
    game = game_of(state)
    number = game.step(state.row)
    legal = [] if state.is_terminal else state.legal_actions()
    if number == law.PLACE:
        points = [a for a in legal if a != game.pass_action]
        before = quantum_of(state)
        return [_placed(state, before, a) for a in points] if _completes(game, state) else []
    return [result(state, action) for action in legal]


def _completes(game: QuantumGo, state: State) -> bool:
    """Whether the next stone is the last one of this turn."""
    if not game.variant.pairs[game.mover(state.row)] or game.variant.symmetric:
        return True
    return len(game.new_group(state.row)) == game.members - 1


def _placed(state: State, before: QuantumState, action: int) -> Json:
    """A placement that completes the turn's group, with the older pairs that would collapse."""
    game = game_of(state)
    after = state.apply(action)
    new = {*_names(game, game.new_group(state.row)), game.action_name(action)}
    new |= set(_names(game, game.new_group(after.row)))  # includes the mirror point
    beside = {q for p in new for q in neighbours(before, p, game.variant.weak)}
    touches = [i for i, group in enumerate(before.groups, 1) if beside & set(group.points)]
    mover = game.mover(state.row)
    if not game.born:  # the mover's own pairs are settled first
        touches.sort(key=lambda i: before.groups[i - 1].owner != mover)
    return {
        "name": game.action_name(action),
        "collapses": game.step(after.row) != law.PLACE,
        "touches": touches,
        "captured": _in_order(game, _occupied(state) - _occupied(after)),
        "ends_turn": turn_is_over(after),
    }


def result(state: State, action: int) -> Json:
    """One choice of a collapse: what stays, goes and is captured, and its probability."""
    game = game_of(state)
    group = set(_names(game, game.collapsing_group(state.row)))
    after = state.apply(action)
    removed = _occupied(state) - _occupied(after)
    name = game.action_name(action)
    if not game.w_type:
        goes = group - {name}
    elif action == game.pass_action:  # a W group is measured, and the stone is there
        goes = group & removed
    else:
        goes = {name}
    chances = dict(state.chance_outcomes())
    return {
        "name": name,
        "who": chooser(game, state.row),
        "step": game.step(state.row),
        "group": _number(state),
        "stays": _in_order(game, group - goes),
        "goes": _in_order(game, goes),
        "captured": _in_order(game, removed - goes),
        "probability": chances.get(action),
        "ends_turn": turn_is_over(after),
    }


def outcomes(state: State) -> list[Json]:
    """What each group could become if it were touched, with the formula's probabilities.

    A W group loses one of its equally likely stones; all other groups keep one.
    """
    quantum = quantum_of(state)
    entries = []
    for number, group in enumerate(quantum.groups, 1):
        size = len(group.points)
        for i, point in enumerate(group.points):
            others = [p for p in group.points if p != point]
            shrinks = group.kind == "w"
            entries.append({
                "group": number,
                "owner": group.owner,
                "colour": "bw"[group.owner],
                "stays": others if shrinks else [point],
                "goes": [point] if shrinks else others,
                "probability": 1 / size if shrinks else float(group.probabilities[i]),
            })  # fmt: skip
    return entries


def _ways(state: State, decided: list[Json], chance: float | None) -> Iterator[Json]:
    """Every way in which the turn can go on: its decisions, captures and probability.

    The probability is None as soon as somebody has a choice.
    """
    if turn_is_over(state):
        captured = decided[-1]["captured"] if decided else []
        yield {"decisions": decided, "captured": captured, "probability": chance}
        return
    chances = dict(state.chance_outcomes())
    legal = state.legal_actions()
    for action in legal:
        if chances:
            after = None if chance is None else chance * chances[action]
        else:
            after = chance if len(legal) == 1 else None
        decision = _unnumbered(result(state, action))
        yield from _ways(state.apply(action), [*decided, decision], after)


def _unnumbered(decision: Json) -> Json:
    """A decision without its group's number, which changes as older groups disappear."""
    return {key: value for key, value in decision.items() if key != "group"}


def turn_is_over(state: State) -> bool:
    """Whether the next decision, if any, begins a turn."""
    game = game_of(state)
    number = game.step(state.row)
    return number == law.OVER or (number == law.PLACE and not game.new_group(state.row))


def _number(state: State) -> int | None:
    """The displayed number of the group that the current decision is about."""
    game = game_of(state)
    group = game.collapsing_group(state.row)
    older = [points for _, points in game.groups(state.row)]
    if not group:
        return None
    return older.index(group) + 1 if group in older else len(older) + 1


def _occupied(state: State) -> set[str]:
    """All points with a stone, including entangled stones and those of this turn."""
    game, row = game_of(state), state.row
    boards = [*game.stones(row), *game.entangled(row), game.new_group(row)]
    return {game.points.names[p] for points in boards for p in points}


def _names(game: QuantumGo, numbers: tuple[int, ...]) -> list[str]:
    return [game.points.names[p] for p in numbers]


def _in_order(game: QuantumGo, names: set[str]) -> list[str]:
    """By column, then row."""
    width, numbers = game.width, game.points.numbers
    return sorted(names, key=lambda name: (numbers[name] % width, numbers[name] // width))
