"""The Quantum Go paper's claims, and that each check can fail."""

from __future__ import annotations

import math
from random import Random
from statistics import median
from typing import Any

import pytest

from playproof import UsageError, make
from playproof.cli.main import main
from playproof.games.quantum_go.game import QuantumGo
from playproof.papers import claims as machinery
from playproof.papers.quantum_go import boards, example1, komi, paper, statements

CLAIMS = {claim.name: claim for claim in paper.claims(komi.Effort(2, 1, 1))}
SLOW = {"solved-3x3", "solved-5x2", "positions-3x3"}  # tests/tables solves these boards


@pytest.mark.parametrize(
    "name", [name for name, claim in CLAIMS.items() if not claim.long and name not in SLOW]
)
def test_a_claim_holds(name: str) -> None:
    result, holds = CLAIMS[name].run()
    assert holds is True, result


@pytest.mark.slow
def test_long_claims_run_on_request() -> None:
    outcomes = machinery.run(list(CLAIMS.values()), only=["komi-symmetric"])
    (outcome,) = outcomes
    assert outcome.holds is None
    assert "2 games under komi 0, 1 simulations a decision, seed 1" in outcome.result
    assert sum(claim.long for claim in CLAIMS.values()) == 6


# Example 1


def test_the_record_is_the_papers() -> None:
    assert len(example1.TURNS) == 30
    assert [t.number for t in example1.TURNS if t.older] == [3, 8, 16]
    assert [t.number for t in example1.TURNS if t.kept is None] == [1, 2, 7, 15, 29, 30]
    assert {t.number: t.captured for t in example1.TURNS if t.captured} == {
        23: ("F6",),
        26: ("F5", "D6", "E6"),
    }
    for turn in example1.TURNS:
        assert turn.kept in (None, turn.placed[0])


@pytest.mark.parametrize(
    ("number", "line", "why"),
    [
        (2, "C4 D5 |  | C4", "move 2: the new pair should collapse now"),
        (3, "D4 C3 | D3 | D4", "move 3: the new pair should collapse now"),
        (3, "D4 C3 | C4 D3 | D4", "move 3: C4 is not asked about"),
        (8, "D5 A3 | B2 | D5 | | forced", "move 8: the choice should be forced"),
        (16, "E5 B4 | E6 | E5 | | free", "move 16: the choice should be free"),
        (23, "F5 F3 | | F5", "move 23: other captures"),
        (24, "C6 F6 | | F6", "move 24: "),
        (26, "F6 A4 | | F6 | F5 D6", "move 26: other captures"),
    ],
)
def test_another_record_is_a_mismatch(
    number: int, line: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = list(example1.TURNS)
    turns[number - 1] = example1._turn(number, line)
    monkeypatch.setattr(example1, "TURNS", tuple(turns))
    with pytest.raises(example1.RecordMismatch, match=why):
        example1.replay()


def test_it_is_drawn_turn_by_turn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", "quantum-go", "--draw", "--only", "example-1"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Quantum Go   ") == 30 + 3 + 4  # turns, collapses begun, older pairs
    assert "3B D4 C3, White keeps C4 of an older pair\n" in shown
    assert "26W F6 A4, keeps F6, captures F5, D6, E6\n" in shown
    assert "Black wins by 4 points." in shown


# Statements


@pytest.fixture
def _nobody_is_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every last choice looks free, as if step 3 bound nobody."""
    plain = statements.last_choice
    monkeypatch.setattr(
        statements, "last_choice", lambda state, new, *kept: {*plain(state, new, *kept), *new}
    )


@pytest.mark.parametrize("name", ["g2", "g4", "g6", "g8", "g9", "g10", "g11"])
@pytest.mark.usefixtures("_nobody_is_bound")
def test_a_game_without_forced_choices_is_noticed(name: str) -> None:
    assert CLAIMS[f"figure-{name}"].run()[1] is False


@pytest.mark.parametrize("name", ["g1", "g3", "g6", "g7", "g9"])
def test_a_game_that_leaves_no_choice_is_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = statements.last_choice

    def narrow(state: Any, new: Any, *kept: str) -> set[str]:
        result = plain(state, new, *kept)
        return {max(result - {"L12", "M7", "F4"})} if len(result) > 1 else result

    monkeypatch.setattr(statements, "last_choice", narrow)
    assert CLAIMS[f"figure-{name}"].run()[1] is False


def test_a_kept_stone_must_have_been_asked_about() -> None:
    with pytest.raises(statements.DataError, match="A1: no pair there collapsed"):
        statements.last_choice(statements.board("w", black=[("C3", "Q16")]), ("C4", "K10"), "A1")


# Boards


def test_other_values_and_counts_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert boards.solve("2x2", "superko", {"standard": 3}) == ("standard +4", False)
    assert boards.solve("2x2", "simple", {"classical": 1}) == ("classical open", False)
    monkeypatch.setitem(boards.POSITIONS, "2x2", (57, 62))
    assert boards.positions("2x2") == ("57 and 61", False)


def test_positions_of_3x2_are_positions() -> None:
    game: Any = make("quantum-go", board="3x2")
    texts = {game.write_position(row) for row in boards.reachable(game)}
    assert len(texts) == 529
    assert all(game.position(text).position == text for text in Random(1).sample(sorted(texts), 50))


def test_area_counts_stones_and_what_they_surround() -> None:
    game = QuantumGo(board="3x3")
    state = game.position("1X1/XX1/1OO b 0 - 0 0 - -")
    assert paper.area(state) == (4, 2)


# Komi


def test_the_interval_is_of_order_statistics() -> None:
    # The 95 % interval of a median of 20 values goes from the 6th to the 15th (tables of the
    # sign test), of 60 from the 22nd to the 39th.
    for n, low, high in ((20, 6, 15), (60, 22, 39), (3, 1, 3)):
        values = list(range(1, n + 1))
        Random(n).shuffle(values)
        result = komi.estimate(values)
        assert (result.low, result.high) == (low, high)
        assert result.median == median(values)


def test_the_interval_covers() -> None:
    rng, covered, rounds = Random(5), 0, 2000
    for _ in range(rounds):
        result = komi.estimate([rng.expovariate(1.0) for _ in range(25)])
        covered += result.low <= math.log(2) <= result.high
    assert covered / rounds > 0.94


@pytest.mark.slow
def test_games_depend_on_the_seed_alone_and_komi_is_set_aside() -> None:
    one, same, other = (
        komi.margins(komi.SPECS["classical"], komi.Effort(6, 4, seed)) for seed in (1, 1, 2)
    )
    assert one == same != other
    assert all(margin == int(margin) for margin in one)
    shifted = komi.margins(komi.SPECS["classical"], komi.Effort(6, 4, 1), komi=6.5)
    assert all(margin == int(margin) for margin in shifted)


# The command


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", "quantum-go", "--only", "figure-7", "--only", "figure-1"]) == 0
    shown = capsys.readouterr().out
    assert f"found: {paper.FORMULA}\n    holds" in shown
    assert main(["paper", "quantum-go", "--only", "figure-1", "--json"]) == 0
    assert '"claim": "figure-1"' in capsys.readouterr().out
    assert main(["paper", "quantum-go", "--draw", "--json"]) != 0
    assert "want one of --draw and --json" in capsys.readouterr().err
    with pytest.raises(UsageError, match="there is no claim 'g5'"):
        list(machinery.run(list(CLAIMS.values()), only=["g5"]))


def test_a_claim_that_fails_fails_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper, "FORMULA", "another")
    assert main(["paper", "quantum-go", "--only", "figure-7"]) != 0
    answer = capsys.readouterr()
    assert "DOES NOT HOLD" in answer.out
    assert "1 claims do not hold here: figure-7" in answer.err
