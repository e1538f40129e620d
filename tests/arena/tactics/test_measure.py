"""Players measured with tactics: what they solve, and what their policies think."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from playproof import Batch, UsageError, make
from playproof.agents import registry
from playproof.agents.base import Agent, Decision, MoveReport
from playproof.arena.evaluate_positions import choose_moves
from playproof.arena.tactics.families import DEFENCE, EVASION, FAMILIES, SACRIFICE, SECURE
from playproof.arena.tactics.measure import TacticsReport, measure, pose, rank
from playproof.arena.tactics.positions import PAPER, Tactics, playable
from playproof.arena.yardstick.critical import CriticalPosition, rows_of
from playproof.nets.evaluators.network import evaluator
from playproof.nets.files import save
from tests.support.arena import critical
from tests.support.arena.tactical import GAME, everything, tactics
from tests.support.nets.made_nets import random_net


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Agents who know the set."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    critical.register_all()
    registry.register_agent(Opinionated)
    positions_ = [one for _, one in everything()] + [one.critical for one in tactics().paper]
    for row, one in zip(rows_of(GAME, positions_), positions_, strict=True):
        critical._Knowing.known[row.tobytes()] = one.values
    yield
    critical._Knowing.known.clear()


class Opinionated(Agent):
    """Gives right moves a weight of 1, other ones 3, the first of these 9; plays at random."""

    name, summary = "opinionated", "likes wrong moves better"

    def choose(self, batch: Batch) -> list[Decision]:
        out = []
        for row in range(len(batch)):
            values = critical._Knowing.known[batch.rows[row].tobytes()]
            one, legal = CriticalPosition("", values), batch[row].legal_actions()
            weights = [1.0 if one.keeps(i) else 3.0 for i in range(len(legal))]
            weights[weights.index(3.0)] = 9.0
            moves = zip(legal, weights, strict=True)
            reports = tuple(MoveReport(a, prior=w / sum(weights)) for a, w in moves)
            out.append(Decision(legal[0], moves=reports))
        return out


def plain(value: float | None) -> float:
    assert value is not None
    return value


@pytest.mark.parametrize(("agent", "share"), [("knowing", 1.0), ("spoiling", 0.0)])
@pytest.mark.usefixtures("known")
def test_who_knows_all_solves_all_or_nothing(agent: str, share: float) -> None:
    found = measure(tactics(), agent)
    assert list(found.families) == [*FAMILIES, "all"]
    for name, part in found.families.items():
        assert part.share.mean == share
        assert part.share.positions == (1200 if name == "all" else 300)
        assert part.policy is None
    assert [told.is_right for told in found.paper] == [share == 1.0] * 4
    assert found.paper_by_search == ()


def test_random_moves_solve_what_is_expected_of_them() -> None:
    shares = np.array([one.share for _, one in everything()])
    family_result = [
        measure(tactics(), "random", seed=s).families["all"].share.kept for s in range(5)
    ]
    deviation = math.sqrt(5 * (shares * (1 - shares)).sum())
    assert abs(sum(family_result) - 5 * shares.sum()) < 4 * deviation
    assert len(set(family_result)) > 1
    chance = measure(tactics(), "random", seed=3, families=[SECURE]).families["all"].random
    assert chance == pytest.approx(shares[:300].mean())


def test_three_plies_see_captures_but_few_sacrifices() -> None:
    part = measure(tactics(), "minimax:depth=3", seed=1, limit=240).families
    assert all(plain(part[name].share.mean) > 0.75 for name in (SECURE, EVASION, DEFENCE))
    assert plain(part[SACRIFICE].share.mean) < 0.6


@pytest.mark.usefixtures("known")
def test_a_policy_is_measured_by_probability_and_rank() -> None:
    found = measure(tactics(), "opinionated").families
    for name in FAMILIES:
        weights, ranks = [], []
        for one in tactics().families[name]:
            right = sum(map(one.keeps, range(len(one.values))))
            wrong = len(one.values) - right
            weights.append(right / (right + 3 * wrong + 6))
            ranks.append(1 + wrong)
        policy = found[name].policy
        assert policy is not None
        assert policy.probability == pytest.approx(np.mean(weights))
        assert policy.mean_rank == pytest.approx(np.mean(ranks))
        assert policy.median_rank == np.median(ranks)
    assert found[SECURE].share.kept < 150  # what it plays is another matter


@pytest.mark.usefixtures("known")
def test_the_papers_move_has_its_place_in_a_policy() -> None:
    found = measure(tactics(), "opinionated", families=[PAPER])
    assert found.families == {}
    for told in found.paper:
        values = told.reconstruction.critical.values
        right = sum(map(told.reconstruction.critical.keeps, range(len(values))))
        wrong = len(values) - right
        assert told.rank == 1 + wrong
        assert told.probability == pytest.approx(1 / (right + 3 * wrong + 6))
        names = GAME.position(told.reconstruction.critical.position).legal_names()
        first_wrong = next(
            i for i in range(len(values)) if not told.reconstruction.critical.keeps(i)
        )
        assert told.likeliest == names[first_wrong]


def test_ranks_begin_at_one_and_equals_share_them() -> None:
    assert [rank([0.2, 0.5, 0.2, 0.1], weight) for weight in (0.5, 0.2, 0.1)] == [1, 2, 4]


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("nets") / "odd.safetensors"
    save(random_net(), file)
    return file


def test_a_net_tells_its_policy_and_pgts_searches_with_it(net: Path) -> None:
    found = measure(tactics(), f"net:{net}", seed=1, limit=40)
    chosen = [one.critical for one in found.positions]
    batch = Batch(GAME, rows_of(GAME, chosen))
    legal = batch.legal_lists()
    priors = evaluator(random_net(), GAME)(batch, legal).priors
    for row, answer in enumerate(found.moves):
        mine = priors[legal.offsets[row] : legal.offsets[row + 1]]
        order = np.argsort(legal.of(row))
        assert answer.policy == pytest.approx(mine[order].tolist(), abs=1e-5)
    assert found.families["all"].policy is not None
    assert {told.agent for told in found.paper_by_search} == {f"pgts:net={net}"}
    apart = measure(tactics(), f"pgts:net={net}", seed=1, families=[PAPER])
    assert [told.move for told in apart.paper] == [told.move for told in found.paper_by_search]
    assert apart.families == {}
    assert apart.paper_by_search == ()


def test_priors_that_say_nothing_are_no_policy() -> None:
    (found,) = (
        measure(tactics(), agent, seed=1, limit=4, families=[EVASION])
        for agent in ("mcts:simulations=8",)
    )
    assert found.families["all"].policy is None


def test_a_limit_takes_families_evenly_and_leaves_the_paper() -> None:
    found = measure(tactics(), "greedy", seed=5, limit=20)
    counts = [found.families[name].share.positions for name in (*FAMILIES, "all")]
    assert counts == [5, 5, 5, 5, 20]
    assert len(found.paper) == 4
    assert pose(tactics(), limit=20, seed=5) == list(found.positions)
    assert pose(tactics(), limit=20, seed=6) != list(found.positions)


def test_an_answer_depends_on_the_position_and_not_on_its_company() -> None:
    def moves(found: TacticsReport) -> dict[int, int]:
        answers = zip(found.positions, found.moves, strict=True)
        return {one.number: answer.move for one, answer in answers}

    every = moves(measure(tactics(), "random", seed=5))
    part = moves(measure(tactics(), "random", seed=5, families=[DEFENCE, PAPER], limit=50))
    assert len(part) == 50
    assert {number: every[number] for number in part} == part


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    measure(tactics(), "random", seed=5, limit=80, on_progress=lambda *now: seen.append(now))
    assert seen == [(84, 84)]  # all in one batch, the paper's four among them


def test_a_thousand_positions_are_asked_about_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    sizes = []

    class Counting(Agent):
        name, summary = "counting", "the first move, for batches that are counted"

        def choose(self, batch: Batch) -> list[Decision]:
            sizes.append(len(batch))
            return [Decision(batch[row].legal_actions()[0]) for row in range(len(batch))]

    registry.register_agent(Counting)
    measure(tactics(), "counting")
    assert sizes == [1024, 180]


def test_games_in_which_the_answers_do_not_hold_are_refused() -> None:
    for game, says in [
        (make("othello"), "there are no tactics for othello: want choko"),
        (make("choko", lone_jump=True), "want choko:lone_jump=off"),
        (make("choko", cap=60), "a cap of 60 actions cuts wins short: want 100 or more, or none"),
    ]:
        with pytest.raises(UsageError, match=says):
            measure(tactics(), "random", game=game)
    for cap in (0, 100, 200):
        assert playable(make("choko", cap=cap)).options["cap"] == cap
    uncapped = measure(tactics(), "minimax", game=make("choko", cap=0), limit=40)
    assert uncapped == measure(tactics(), "minimax", limit=40)


def test_a_family_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="no family is called 'forks': want secure-capture, evas"):
        measure(tactics(), "random", families=["forks"])
    with pytest.raises(UsageError, match="nothing to measure with"):
        measure(Tactics(GAME, tactics().families, ()), "random", families=[PAPER])
    with pytest.raises(UsageError, match="the set is empty"):
        measure(Tactics(GAME, dict.fromkeys(FAMILIES, ()), ()), "random")


def test_asking_without_policies_tells_none(net: Path) -> None:
    rows = rows_of(GAME, [one for _, one in everything()[:3]])
    assert [answer.policy for answer in choose_moves(f"net:{net}", GAME, rows, range(3))] == [
        None
    ] * 3
