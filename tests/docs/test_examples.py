"""The examples of the documentation: right beyond what a page shows of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import playproof
from tests.support.docs.reading import EXAMPLES, ROOT, blocks, run_python


@pytest.fixture
def nim() -> ModuleType:
    import nim

    playproof.register(nim.Nim)
    return nim


def sequences(heap: int, most: int, length: int) -> int:
    """Ways to take 1 ... most counters so many times, counted without the game."""
    if length == 0:
        return 1
    return sum(sequences(heap - k, most, length - 1) for k in range(1, min(most, heap) + 1))


@pytest.mark.parametrize(("heap", "most"), [(10, 3), (1, 3), (7, 2), (26, 5)])
def test_nim_has_the_leaves_of_its_tree(nim: ModuleType, heap: int, most: int) -> None:
    game = playproof.make("nim", heap=heap, most=most)
    for depth in range(6):
        assert playproof.perft(game, depth) == sequences(heap, most, depth)


def test_nim_is_won_off_the_multiples_of_four(nim: ModuleType) -> None:
    game = playproof.make("nim")

    def value(state: playproof.State) -> int:
        if state.outcome is not None:
            return state.outcome
        best = max if state.current_player == 0 else min
        return int(best(value(state.apply(action)) for action in state.legal_actions()))

    for heap in range(1, 10):
        lost = heap % 4 == 0
        assert value(game.position(f"{heap}/b")) == (-1 if lost else 1)
        assert value(game.position(f"{heap}/w")) == (1 if lost else -1)


def test_nim_plays_itself(nim: ModuleType) -> None:
    game = playproof.make("nim")
    games = playproof.playouts(game, 1000, seed=1)
    assert games.lengths.min() >= 7
    assert games.lengths.max() <= 21
    assert games.share(0) == 0
    # An odd number of moves means that the first player took the last counter.
    assert ((games.lengths % 2 == 1) == (games.results == 1)).all()


@pytest.fixture
def four() -> ModuleType:
    import four

    playproof.register(four.FourInARow)
    return four


def test_four_in_a_row_has_the_known_counts(four: ModuleType) -> None:
    """Perft of Connect Four as other programs count it; at depth 7 the first games are won."""
    game = playproof.make("four")
    assert [playproof.perft(game, depth) for depth in (6, 7, 8)] == [117649, 823536, 5673234]


def test_four_in_a_row_ends_with_a_line_of_each_kind(four: ModuleType) -> None:
    game = playproof.make("four")
    for moves, winner in (
        ("a b a b a b a", "Yellow"),
        ("a a b b c c d", "Yellow"),
        ("b a c b d c a", None),
        ("a b b c c d c d d f d", "Yellow"),
        ("g a g a b a b a", "Red"),
    ):
        end = game.start().play(moves)
        assert end.view().over == (f"{winner} wins." if winner else None), moves
        assert game.position(end.position) == end
    assert playproof.make("four", line=3).start().play("a b a b a").outcome == 1


def test_mobility_wins_at_once_where_it_can(nim: ModuleType) -> None:
    from mobility import Mobility

    game = playproof.make("nim")
    for heap in (1, 2, 3):
        decision = Mobility(game).decide(game.position(f"{heap}/w"))
        assert game.action_name(decision.action) == str(heap)


def test_evolution_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    from evolution import EVOLUTION, EvolutionConfig

    from playproof.learning.runs.run import Run

    playproof.register_algorithm(EVOLUTION)
    small = {"iterations": "3", "mutants": "4", "games": "4", "evaluate_every": "3",
             "evaluation_games": "4"}  # fmt: skip
    weights = []
    for name, leg in (("alone", 9), ("legs", 1)):
        run = Run.create(tmp_path / name, "evolution:othello:size=4", small)
        while run.restore_learner().iteration < 3:
            asked = iter(range(leg))
            run.resume(stopped=lambda asked=asked: next(asked, None) is None)
        weights.append(run.restore_learner().weights.tobytes())
        assert run.metrics()[-1]["random_wins"] >= 0
    assert weights[0] == weights[1]
    with pytest.raises(playproof.UsageError, match="mutants=3: want an even number"):
        EvolutionConfig(mutants=3).check()


@pytest.mark.slow
def test_the_entry_points_of_the_guide_are_found(tmp_path: Path) -> None:
    """What CONTRIBUTING.md tells a package to declare makes its game, agent and algorithm known."""
    tables = [b.text for b in blocks(ROOT / "CONTRIBUTING.md") if b.language == "toml"]
    points = tomllib.loads("\n".join(tables))["project"]["entry-points"]
    lines = []
    for group, entries in points.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    installed = tmp_path / "two_examples-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: two-examples\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("\n".join(lines))
    printed = run_python(
        *("-m", "playproof", "play", "nim", "--first", "mobility:most", "--second", "random"),
        *("--seed", "1", "--quiet"),
        paths=(tmp_path, EXAMPLES),
    )
    assert re.search(r"^(1-0  Black|0-1  White) wins\.$", printed, re.MULTILINE)
    listed = run_python("-m", "playproof", "train", "--presets", paths=(tmp_path, EXAMPLES))
    assert re.search(r"^ *evolution:GAME  +evolution  +mutation", listed, re.MULTILINE)


def both_mobilities(record: str, size: int) -> tuple[int, int]:
    """The moves of the side to move and of the other side after a game, counted by the rules."""
    from playproof.rules import othello

    state = playproof.make("othello", size=size).start().play(record)
    black, white = (int(word) for word in state.row[:2])
    own, other = (black, white) if state.position.endswith("X") else (white, black)
    board = othello.board(size)
    return (
        othello.moves(own, other, board).bit_count(),
        othello.moves(other, own, board).bit_count(),
    )


@pytest.mark.parametrize(
    ("moves", "size"), [(5, 4), pytest.param(12, 8, marks=pytest.mark.slow)], ids=str
)
def test_a_game_leaves_one_side_without_a_move(moves: int, size: int) -> None:
    from othello_one_sided import OneSided

    proof = playproof.proofs.prove_reachable(OneSided(moves, size=size))
    assert proof.verdict == "holds"
    assert proof.record is not None
    assert both_mobilities(proof.record, size) == (moves, 0)


@pytest.mark.slow
def test_total_mobility_is_bracketed_and_certified(tmp_path: Path) -> None:
    from othello_total import TotalMobility, largest, largest_reachable

    assert largest(4).value == 12
    bound, record = largest_reachable(4)
    assert bound == 10
    assert record is not None
    assert sum(both_mobilities(record, 4)) == 10
    proof = playproof.proofs.prove_reachable(
        TotalMobility(11, size=4), certificate=tmp_path / "no-11", check=True
    )
    assert proof.verdict == "refuted"
    assert proof.verified
    assert proof.models is not None
    assert proof.models.unreachable
    playproof.proofs.register_statement(TotalMobility)
    assert playproof.check(tmp_path / "no-11").verified


def test_exact_counts_on_6x6() -> None:
    from othello_counts import ExactCounts

    from playproof.proofs import find_positions, prove_reachable

    most = ExactCounts(moves=20, empties=20, size=6, placements=0)
    positions = find_positions(most)
    assert (len(positions.positions), positions.complete) == (6, True)
    game = playproof.make("othello", size=6)
    for text in positions.positions:
        assert len(game.position(text).legal_actions()) == text.count("-") == 20
    refuted = prove_reachable(most)
    assert refuted.verdict == "refuted"
    assert refuted.models is not None
    assert len(refuted.models.unreachable) == 6
    record = "c2b4d5d2e2e3b3c5e4f1b5"
    assert both_mobilities(record, 6)[0] == 19
    assert game.start().play(record).position.count("-") == 21
