"""What would happen: each choice that is possible now, and all ways in which a turn can end.

Nothing is worked out beside the rules: a choice is made on a copy of the
position, and the two boards are compared.
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

MOST_WAYS = 64  # of one turn that are listed; a turn of pairs hardly ever has more


def preview(state: State, choice: str | None = None) -> Json:
    """The choices now, what each pair could become, and the ways the turn can go.

    ``choice``: a legal move; the ways, and their probabilities, are then those after it.
    """
    game = game_of(state)
    collapsing = law.PLACE < game.step(state.row) < law.OVER
    answer: Json = {"choices": choices(state), "pairs": outcomes(state), "ways": [], "whole": True}
    begin, decided = state, list[Json]()
    if choice is not None:
        action = _legal(state, choice)
        begin = state.apply(action)
        decided = [_unnumbered(result(state, action))] if collapsing else []
        answer["chosen"] = game.action_name(action)
    if choice is not None or collapsing:
        found = list(islice(_ways(begin, decided, 1.0), MOST_WAYS + 1))
        answer |= {"ways": found[:MOST_WAYS], "whole": len(found) <= MOST_WAYS}
    return answer


def _legal(state: State, text: str) -> int:
    action = state.find(text)
    if action not in state.legal_actions():
        raise UsageError(f"{text[:20]} cannot be chosen now: want one of the legal moves")
    return action


def choices(state: State) -> list[Json]:
    """What each choice does at once; none listed for the first stone of several, which does
    nothing yet."""
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
    """A stone that completes a turn's group: which older pairs it would make collapse."""
    game = game_of(state)
    after = state.apply(action)
    new = {*_names(game, game.new_group(state.row)), game.action_name(action)}
    new |= set(_names(game, game.new_group(after.row)))  # the mirror point among them
    beside = {q for p in new for q in neighbours(before, p, game.variant.weak)}
    touches = [i for i, group in enumerate(before.groups, 1) if beside & set(group.points)]
    mover = game.mover(state.row)
    if not game.born:  # the mover's own are asked about first
        touches.sort(key=lambda i: before.groups[i - 1].owner != mover)
    return {
        "name": game.action_name(action),
        "collapses": game.step(after.row) != law.PLACE,
        "touches": touches,
        "captured": _in_order(game, _occupied(state) - _occupied(after)),
        "ends_turn": turn_is_over(after),
    }


def result(state: State, action: int) -> Json:
    """One choice of a collapse: what stays, what goes, what is captured, how likely that is."""
    game = game_of(state)
    asked = set(_names(game, game.collapsing_group(state.row)))
    after = state.apply(action)
    gone = _occupied(state) - _occupied(after)
    name = game.action_name(action)
    if not game.w_type:
        goes = asked - {name}
    elif action == game.pass_action:  # a W group, measured: the stone is there
        goes = asked & gone
    else:
        goes = {name}
    chances = dict(state.chance_outcomes())
    return {
        "name": name,
        "who": chooser(game, state.row),
        "step": game.step(state.row),
        "group": _number(state),
        "stays": _in_order(game, asked - goes),
        "goes": _in_order(game, goes),
        "captured": _in_order(game, gone - goes),
        "probability": chances.get(action),
        "ends_turn": turn_is_over(after),
    }


def outcomes(state: State) -> list[Json]:
    """What each group could become if it were touched, with the probabilities of the formula.

    A W group loses one stone of equally likely ones; all others keep one.
    """
    quantum = quantum_of(state)
    found = []
    for number, group in enumerate(quantum.groups, 1):
        size = len(group.points)
        for i, point in enumerate(group.points):
            others = [p for p in group.points if p != point]
            shrinks = group.kind == "w"
            found.append({
                "group": number,
                "owner": group.owner,
                "colour": "bw"[group.owner],
                "stays": others if shrinks else [point],
                "goes": [point] if shrinks else others,
                "probability": 1 / size if shrinks else float(group.probabilities[i]),
            })  # fmt: skip
    return found


def _ways(state: State, decided: list[Json], chance: float | None) -> Iterator[Json]:
    """Every way in which the turn can go on: its decisions, captures, and probability.

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
    """Without the group's number: it changes as older groups go, and would mislead in a list."""
    return {key: value for key, value in decision.items() if key != "group"}


def turn_is_over(state: State) -> bool:
    """Whether the next decision, if any, begins a turn."""
    game = game_of(state)
    number = game.step(state.row)
    return number == law.OVER or (number == law.PLACE and not game.new_group(state.row))


def _number(state: State) -> int | None:
    """The number, as drawn, of the group that is asked about."""
    game = game_of(state)
    asked = game.collapsing_group(state.row)
    older = [points for _, points in game.groups(state.row)]
    if not asked:
        return None
    return older.index(asked) + 1 if asked in older else len(older) + 1


def _occupied(state: State) -> set[str]:
    """All points with a stone, entangled ones and those of this turn among them."""
    game, row = game_of(state), state.row
    boards = [*game.stones(row), *game.entangled(row), game.new_group(row)]
    return {game.points.names[p] for points in boards for p in points}


def _names(game: QuantumGo, numbers: tuple[int, ...]) -> list[str]:
    return [game.points.names[p] for p in numbers]


def _in_order(game: QuantumGo, names: set[str]) -> list[str]:
    """By column, then row."""
    width, numbers = game.width, game.points.numbers
    return sorted(names, key=lambda name: (numbers[name] % width, numbers[name] // width))
