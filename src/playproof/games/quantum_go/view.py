"""The View of Quantum Go, and the next decision in words."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from playproof.core.view import Button, LegalMove, Link, Mark, Piece, Turn, View
from playproof.games.go.text import points_text
from playproof.rules import quantum_go as law

if TYPE_CHECKING:
    from playproof.core.kernels import Words
    from playproof.core.state import State
    from playproof.games.quantum_go.game import QuantumGo

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def chooser(game: QuantumGo, row: Words) -> str:
    """The name of the side that makes the next decision, or Chance."""
    step = game.step(row)
    if game.born and law.PLACE < step < law.OVER:
        return "Chance"
    theirs = step in (law.OPPONENTS, law.OTHERS_LEFT_OVER)
    return game.players[game.mover(row) ^ theirs]


def question(game: QuantumGo, state: State) -> str:
    """The next decision in words, such as ``White keeps one of D2, E6: step 2``."""
    row = state.row
    step, who = game.step(row), chooser(game, row)
    if step == law.OVER:
        return "The game is over"
    if step == law.PLACE:
        return f"{who} {_placing(game, row)}"
    names = [game.points.names[p] for p in game.collapsing_group(row)]
    verb = "measures" if game.born and game.w_type else "removes" if game.w_type else "keeps"
    part = "a pair left over" if step > law.NEW_GROUP else f"step {step}"
    return f"{who} {verb} one of {', '.join(names)}: {part}"


def _placing(game: QuantumGo, row: Words) -> str:
    group = game.new_group(row)
    size = game.members if game.variant.pairs[game.mover(row)] else 1
    if game.variant.symmetric:
        return "places a stone and its mirror image, or passes"
    if size == 1:
        return "places a stone, or passes"
    if not group:
        return f"places the first of {size} entangled stones, or passes"
    names = ", ".join(game.points.names[p] for p in group)
    return f"places the {_ORDINALS[len(group)]} stone, entangled with {names}"


def view(game: QuantumGo, state: State) -> View:
    row, names = state.row, game.points.names
    outcome, legal = state.outcome, state.legal_actions()
    step = game.step(row)
    collapsing = set(game.collapsing_group(row))
    mover = state.current_player
    result = None if outcome is None else _result_sentence(game, outcome, state.score)
    prisoners = game.prisoners(state)
    placements = [a for a in legal if a != game.pass_action]
    click = "to" if step == law.PLACE else "rm" if game.w_type else "src"
    sentence = result or f"{question(game, state)}."
    return View(
        game=game.name,
        title=game.title,
        board=game.points.board(),
        pieces=tuple(_pieces(game, row)),
        turn=Turn(game.colours[mover] if mover in (0, 1) else "", chooser(game, row)),
        say=sentence,
        links=tuple(_links(game, row)),
        marks=tuple(Mark(names[p], "ring") for p in sorted(collapsing & set(placements))),
        last=tuple(names[a] for a in state.actions[-1:] if a != game.pass_action),
        score={"b": prisoners[0], "w": prisoners[1]},
        over=result,
        legal=tuple(LegalMove((names[a],), names[a], (click,), action=a) for a in placements),
        actions=_buttons(game, legal, step),
        steps=(f"{question(game, state)}",) if legal else (),
    )


def _buttons(game: QuantumGo, legal: list[int], step: int) -> tuple[Button, ...]:
    if game.pass_action not in legal:
        return ()
    label = "Pass" if step == law.PLACE else "It is there"
    return (Button("pass", label, game.pass_action),)


def _numbered(game: QuantumGo, row: Words) -> list[tuple[int, tuple[int, ...], str]]:
    """(owner, points, number) of all groups, oldest first and this turn's group last."""
    groups = [*game.groups(row), (game.mover(row), game.new_group(row))]
    return [(owner, group, str(i)) for i, (owner, group) in enumerate(groups, 1) if group]


def _pieces(game: QuantumGo, row: Words) -> list[Piece]:
    names = game.points.names
    pieces = [
        Piece(names[p], names[p], "stone", colour)
        for colour, points in zip(game.colours, game.stones(row), strict=True)
        for p in points
    ]
    for owner, group, number in _numbered(game, row):
        for i, p in enumerate(group):
            weight = _weight(game, row, group, i)
            text = number if weight < 1.0 else ""
            pieces.append(Piece(names[p], names[p], "stone", game.colours[owner], weight, text))
    return pieces


def _weight(game: QuantumGo, row: Words, group: tuple[int, ...], i: int) -> float:
    """The probability, by Born's rule, that this is the stone that stays."""
    size = len(group)
    if game.step(row) == law.PLACE and group == game.new_group(row):
        size = game.members  # more stones will follow
    if size == 2 and len(group) == 2:
        later = law.later(group[0], group[1], game.width)
        return game.later_stays if group[i] == later else 1.0 - game.later_stays
    return 1.0 / size


def _links(game: QuantumGo, row: Words) -> list[Link]:
    names = game.points.names
    return [
        Link(names[a], names[b], game.colours[owner], number)
        for owner, group, number in _numbered(game, row)
        for a, b in pairwise(group)
    ]


def _result_sentence(game: QuantumGo, outcome: int, margin: float) -> str:
    if outcome == 0:
        return "Draw: both sides have the same number of points."
    return f"{game.result_name(outcome)} by {points_text(abs(margin))}."
