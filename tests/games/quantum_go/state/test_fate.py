"""A chain's fate: small stories, and every turn of random positions beside the naive rules."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from playproof.core.errors import UsageError
from playproof.games.quantum_go.state.chains import chain_of, liberties_of
from playproof.games.quantum_go.state.fate import deciding_turns, fate_of
from playproof.games.quantum_go.state.quantum_state import QuantumState
from tests.support.oracles.quantum_go_naive import CHANCE, Naive
from tests.support.oracles.quantum_go_naive_board import label

# White's chain A1, B1 has one liberty, C1; a white pair stands at D3 or at B4.
ATARI = QuantumState(4, 4, {"A1": "W", "B1": "W", "A2": "B", "B2": "B"}, [("W", "D3 B4")])


def test_a_chain_and_its_liberties() -> None:
    assert chain_of(ATARI, "A1") == ["A1", "B1"]
    assert liberties_of(ATARI, "B1") == ["C1"]
    assert liberties_of(ATARI, "A2") == ["A3", "B3", "C2"]
    with pytest.raises(UsageError, match="no chain at D3: want the point of a single stone"):
        chain_of(ATARI, "D3")


def test_the_mover_takes_a_chain_in_atari() -> None:
    # D1 touches C1 alone: Black is free to keep C1, and does.
    fate = fate_of(ATARI, "A1", "C1 D1")
    assert [(way.collapses[0].left, way.captured) for way in fate.fates] == [
        (("C1",), True),
        (("D1",), False),
    ]
    assert fate.forced
    fate = fate_of(ATARI, "A1", "C1 C4", collapse="owner")
    assert [(str(way.collapses[0]), str(way.collapses[1]), way.captured) for way in fate.fates] == [
        ("W D3+B4 > D3", "B C1+C4 > C1", True),
        ("W D3+B4 > D3", "B C1+C4 > C4", False),
        ("W D3+B4 > B4", "B C1+C4 > C4", False),
    ]


def test_a_chain_lives_by_its_owners_choice() -> None:
    # C4 touches the white stone at B4. If White keeps that, Black must keep C4 (rule 5).
    fate = fate_of(ATARI, "A1", "C1 C4")
    assert not fate.forced
    assert fate.probability is None
    # So it is with C3, beside D3. Where nothing binds, White cannot help it.
    assert not fate_of(ATARI, "A1", "C1 C3").forced
    assert fate_of(ATARI, "A1", "C1 A3").forced


def test_a_chains_fate_by_born() -> None:
    fate = fate_of(ATARI, "A1", "C1 C4", collapse="born")
    # B4 with 1/2: bound to C4. D3 with 1/2: then C1 with 1/2.
    assert [way.probability for way in fate.fates] == [0.25, 0.25, 0.5]
    assert fate.probability == 0.25
    assert not fate.forced
    uneven = QuantumState(4, 4, ATARI.singles, [("W", "B4 D3", "pair", (0.8, 0.6))])
    fate = fate_of(uneven, "A1", "C1 C4", collapse="born", amplitudes=(0.6, 0.8))
    assert fate.probability == pytest.approx(0.64 * 0.64)


def test_the_turns_that_decide() -> None:
    turns = deciding_turns(ATARI, "A1")
    assert all("C1" in turn.new for turn in turns)
    assert len(turns) == len(ATARI.empty) - 1
    assert [turn.new for turn in turns if not turn.forced] == [
        ("A4", "C1"), ("B3", "C1"), ("C1", "C3"), ("C1", "C4"), ("C1", "D2"), ("C1", "D4"),
    ]  # fmt: skip
    assert deciding_turns(ATARI, "A2") == []
    assert [turn.new for turn in deciding_turns(ATARI, "A1", stones=1)] == [("C1",)]


def test_suicide_is_left_out_unless_allowed() -> None:
    eye = QuantumState(3, 3, {"A2": "W", "B1": "W", "B2": "W", "C3": "B"})
    kept = [way.collapses[-1].left for way in fate_of(eye, "C3", "A1 C1", mover="B").fates]
    assert kept == [("C1",)]
    assert len(fate_of(eye, "C3", "A1 C1", mover="B", suicide=True).fates) == 2
    with pytest.raises(UsageError, match="is suicide: want suicide=True"):
        fate_of(eye, "C3", "A1", mover="B")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"new": "A1 C1"}, "want empty points"),
        ({"new": ""}, "no turn on no points"),
        ({"new": "C1 D1", "collapse": "dice"}, "want owner or born"),
        ({"new": "C1 D1", "kind": "bell"}, "want pair, ghz or w"),
        ({"new": "C1 D1 D4"}, "want 2 different points for a pair"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(arguments, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        fate_of(ATARI, "A1", **arguments)
    with pytest.raises(UsageError, match="want owner or born"):
        deciding_turns(ATARI, "A1", collapse="dice")


# Beside the naive rules


def endings(game: Naive, chance: float = 1.0):
    """(step and what is left, of each collapse; chance; board) of every way to finish a turn."""
    if not game.new:
        yield (), chance, game
        return
    decisions = game.chance() if game.player() == CHANCE else [(d, 1.0) for d in game.legal()]
    for decision, weight in decisions:
        after = game.copy()
        left = next(left for known, left, _ in game.outcomes() if known == decision)
        after.play(decision)
        for rest, total, end in endings(after, chance * weight):
            yield ((game.decision()[1], tuple(sorted(map(label, left)))), *rest), total, end


def forced(game: Naive, chain, owner: int) -> bool:
    """Whether the chain is captured, if both sides choose as suits them."""
    if not game.new:
        return chain not in game.stones()
    verdicts = []
    for decision in game.legal():
        after = game.copy()
        after.play(decision)
        verdicts.append(forced(after, chain, owner))
    return all(verdicts) if game.player() in (owner, CHANCE) else any(verdicts)


def position(rng: random.Random, variant: str, **options) -> Naive:
    """A game after some random turns, in which captures are not rare."""
    game = Naive(4, 3, variant, ko="none", **options)
    turns = rng.randrange(3, 12)
    while game.turns < turns and not game.is_over():
        decisions = [d for d in game.legal() if d != "pass"]
        if not decisions:
            break
        game.play(rng.choice(decisions))
    while game.new:
        game.play(rng.choice(game.legal()))
    return game


def quantum(game: Naive, kind: str, amplitudes) -> QuantumState:
    """The same position as a quantum state."""
    groups = []
    for owner, points in game.pairs():
        names = [label(p) for p in sorted(points)]  # by column, then row
        groups.append((owner, names, kind, amplitudes if kind == "pair" else ()))
    singles = {label(p): owner for p, owner in game.stones().items()}
    return QuantumState(4, 3, singles, groups)


def some_turns(rng: random.Random, game: Naive, chain, stones: int):
    """Random turns; where a chain is short of liberties, turns that take them are among them."""
    free = [p for p in game.board.points if p not in game.everything()]
    turns = list(combinations(free, stones))
    hurry = game.board.region(game.everything(), chain)
    last = {q for p in hurry for q in game.board.around(p) if q in free}
    close = [new for new in turns if last <= set(new)]
    return rng.sample(turns, min(3, len(turns))) + rng.sample(close, min(3, len(close)))


@pytest.mark.parametrize("collapse", ["owner", "born"])
@pytest.mark.parametrize(
    ("variant", "kind", "stones"),
    [
        ("standard", "pair", 2),
        ("weak", "pair", 2),
        ("ghz-3", "ghz", 3),
        ("w-3", "w", 3),
        ("classical", "pair", 1),
    ],
)
def test_every_turn_ends_as_by_the_naive_rules(variant, kind, stones, collapse) -> None:
    rng = random.Random(f"{variant} {collapse}")
    amplitudes = (0.8, 0.6) if stones == 2 else ()
    options = {"collapse": "born" if collapse == "born" else "choice"}
    if amplitudes:
        options["amplitudes"] = amplitudes
    captures = turns = 0
    while turns < 60:
        game = position(rng, variant, **options)
        if game.is_over() or not game.stones():
            continue
        state = quantum(game, kind, amplitudes)
        theirs = [p for p, owner in game.stones().items() if owner != game.to_move]
        chain = rng.choice(sorted(theirs or game.stones()))
        for new in some_turns(rng, game, chain, stones):
            placed = game.copy()
            for point in new:
                placed.apply(point)
            if placed.barred:
                continue  # suicide of a single stone
            expected = [
                (left, round(weight, 9), chain not in end.stones())
                for left, weight, end in endings(placed)
            ]
            if not expected:
                continue  # suicide, whatever is kept
            fate = fate_of(
                state,
                label(chain),
                [label(p) for p in sorted(new)],
                mover=game.to_move,
                collapse=collapse,
                kind=kind,
                amplitudes=amplitudes,
                weak=variant == "weak",
            )
            actual = [
                (
                    tuple((c.step, tuple(sorted(c.left))) for c in way.collapses),
                    1.0 if way.probability is None else round(way.probability, 9),
                    way.captured,
                )
                for way in fate.fates
            ]
            assert sorted(actual) == sorted(expected), (repr(state), fate.new)
            assert fate.forced == forced(placed, chain, game.stones()[chain])
            turns += 1
            captures += any(way.captured for way in fate.fates)
    assert captures > 2
