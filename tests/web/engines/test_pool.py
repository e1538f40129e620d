"""Agents at work: moves of seats, streamed reports, stopping, hanging, dying."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.agents.base import MoveReport
from playproof.core.registry import make
from playproof.web.catalog import house_games as offers
from playproof.web.catalog import listing as catalog
from playproof.web.engines import analysis
from playproof.web.engines import pool as pool_module
from playproof.web.engines.fair_queue import Requester
from playproof.web.engines.pool import EngineFailed, EnginePool
from playproof.web.engines.worker import Stop
from playproof.web.protocol.refusal import Refusal
from playproof.web.server import make_app
from tests.support.web.people import ADDRESS, Message, Talker, children, eventually


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One lab for the file: engines take a second to start."""
    app = make_app(tmp_path_factory.mktemp("lab"), workers=2)
    with TestClient(app, base_url=ADDRESS) as found:
        found.get("/api/catalog")
        yield found


@pytest.fixture
def talk(lab: TestClient) -> Iterator[Talker]:
    lab.app.state.lab.new_game_limits._buckets.clear()  # type: ignore[attr-defined]
    with Talker(lab) as talker:
        yield talker


def reports(talk: Talker) -> list[Message]:
    return [message for message in talk.heard if message["type"] == "think"]


def sound(report: Message) -> None:
    assert report["unit"] in ("points", "result")
    assert report["share"] is None or 0.0 <= report["share"] <= 1.0
    assert all(0.0 <= weight <= 1.0 for weight in report["heat"].values())
    assert sum(report["heat"].values()) <= 1.01
    assert report["pv"] != []


@pytest.mark.parametrize("game", offers.GAMES)
def test_an_agent_answers_in_every_game(talk: Talker, game: str) -> None:
    spec = "mcts:simulations=20" if "go" in game else "alphabeta:depth=1"
    state = talk.new(game, spec, "human", seed=1)
    # It is at its move, or was quicker than the answer, which waits for the disk.
    assert state["of"] >= 1 or (state["thinking"] and state["view"]["turn"]["who"] == "agent")
    while not talk.state["can"]["move"]:
        talk.receive()
    assert talk.state["thinking"] is False
    assert talk.state["of"] >= 1
    # The same seed, the same answer.
    moves = talk.state["moves"]
    talk.new(game, spec, "human", seed=1)
    while not talk.state["can"]["move"]:
        talk.receive()
    assert talk.state["moves"] == moves


def test_two_agents_play_while_somebody_watches(talk: Talker) -> None:
    talk.new("othello", "random", "greedy", variant="4x4")
    talk.until(lambda m: m["type"] == "state" and m["of"] >= 3)
    assert talk.state["can"]["undo"] is False


@pytest.mark.parametrize(
    ("game", "agent", "unit"),
    [
        ("othello", "alphabeta:time=0.4", "points"),
        ("choko", "mcts:simulations=3000", "result"),
        ("quantum-go", "mcts:simulations=500", "result"),
        ("chess", "alphabeta:depth=3", "points"),
        ("choko", "net:choko-ppo-v3", "result"),
        ("choko", "pgts:widths=4/2,net=choko-ppo-v3", "result"),
        ("choko", "mcts:simulations=200,net=choko-ppo-v3", "result"),
        ("go", "greedy", "points"),
        ("go", "minimax:depth=1", "points"),
    ],
)
def test_every_kind_of_agent_says_what_it_thinks(
    talk: Talker, game: str, agent: str, unit: str
) -> None:
    state = talk.new(game, variant="5x5" if game == "go" else "standard")
    last = talk.ask("think", ver=state["ver"], agent=agent)
    assert (last["type"], last["done"], last["unit"]) == ("think", True, unit), last
    assert (last["ver"], last["ply"], last["agent"]) == (state["ver"], 0, agent)
    sound(last)
    legal = {tuple(move["c"]): move["n"] for move in state["view"]["legal"]}
    for row in last["top"]:
        assert legal.get(tuple(row["c"]), "pass") == row["n"]
    if agent != "greedy":
        assert len(last["top"]) >= 4
        assert last["heat"] != {}


def test_reports_stream_not_too_often_and_grow(talk: Talker) -> None:
    talk.new("othello")
    began = time.monotonic()
    last = talk.ask("think", agent="mcts:simulations=200000,time=1.2")
    seconds = time.monotonic() - began
    found = reports(talk)
    assert 2 <= len(found) <= 10 * seconds + 3
    sims = [report["sims"] for report in found]
    assert sims == sorted(sims)
    assert last["of"] == 200000
    for report in found:
        sound(report)
        assert report["done"] is (report is last)
        assert report["rid"] == last["rid"]
    assert abs(sum(row["visits"] for row in last["top"]) - last["sims"]) < 100


def test_alphabeta_tells_every_depth(talk: Talker) -> None:
    talk.new("othello")
    talk.ask("think", agent="alphabeta:time=0.8")
    found = reports(talk)
    assert len(found) >= 2
    assert found[-1]["sims"] >= found[0]["sims"]
    values = [row["value"] for row in found[-1]["top"]]
    assert len(values) == 4


def test_stop_ends_a_thinking_with_what_it_has(talk: Talker) -> None:
    talk.new("othello")
    talk.ask("think", agent="greedy")  # an engine is warm
    rid = talk.send("think", agent="mcts:simulations=200000,time=30")
    talk.until(lambda m: m["type"] == "think" and m["rid"] == rid)
    began = time.monotonic()
    assert talk.ask("stop")["type"] == "state"
    last = talk.until(lambda m: m["type"] == "think" and m["done"])
    assert time.monotonic() - began < 5.0
    assert last["rid"] == rid
    assert 0 < last["sims"] < 200000


def test_a_new_thinking_ends_the_one_before(talk: Talker) -> None:
    talk.new("othello")
    first = talk.send("think", agent="mcts:simulations=200000,time=30")
    talk.until(lambda m: m["type"] == "think")
    second = talk.send("think", agent="greedy")
    ended = talk.until(lambda m: m.get("rid") == first and m["done"])
    assert 0 < ended["sims"] < 200000
    if not any(m.get("rid") == second for m in talk.heard):
        talk.until(lambda m: m.get("rid") == second and m["done"])


def test_the_page_stays_live_while_every_core_thinks(talk: Talker, lab: TestClient) -> None:
    talk.new("othello", "human", "mcts:simulations=200000,time=5")
    talk.move("d3")  # one thinks for its seat
    with Talker(lab) as second:
        second.new("othello")
        second.send("think", agent="mcts:simulations=200000,time=5")  # and one for a page
        second.until(lambda m: m["type"] == "think")
        with Talker(lab) as third:
            third.new("othello")
            times = []
            for _ in range(10):
                began = time.monotonic()
                third.move("d3")
                times.append(time.monotonic() - began)
                third.ask("undo", ver=third.state["ver"])
            # 50 ms is the aim; a machine that is busy with other tests may take longer.
            assert sorted(times)[5] < 0.5
        second.ask("stop")
    talk.ask("undo", ver=talk.state["ver"])


def test_hints_and_budgets(talk: Talker) -> None:
    state = talk.new("othello")
    hint = talk.ask("hint", ver=state["ver"])
    assert (hint["agent"], hint["done"]) == (offers.HINTERS["othello"], True)
    assert hint["top"][0]["n"] in {"d3", "c4", "f5", "e6"}
    began = time.monotonic()
    talk.ask("think", agent="mcts:simulations=200000,time=30", budget={"seconds": 0.3})
    assert time.monotonic() - began < 10
    talk.move("d3")
    assert talk.ask("think", agent="greedy", ply=0)["ply"] == 0
    talk.ask("goto", ply=1)
    assert talk.ask("think", agent="greedy")["ply"] == 1
    assert talk.refused("think", ver=0, agent="greedy") == "stale"
    assert talk.refused("think", agent="greedy", ply=9) == "bad"
    assert talk.refused("think", agent="human") == "bad"


def test_what_is_certain_is_said_in_words(talk: Talker) -> None:
    talk.new("chess", text="6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", analysis=True)
    last = talk.ask("think", agent="alphabeta:depth=3")
    assert (last["words"], last["value"] > 10_000) == ("mate in 1 for White", True)
    assert last["top"][0]["words"] == "mate in 1 for White"
    assert last["top"][1]["words"] == ""  # an estimate is a number
    assert talk.ask("think", agent="greedy")["words"] == ""


def test_there_is_nothing_to_think_about_at_the_end(talk: Talker) -> None:
    talk.new("chess", text="1. f3 e5 2. g4 Qh4")
    assert talk.state["result"] == "0-1"
    assert talk.refused("hint") == "bad"


def test_thinking_over_http(lab: TestClient) -> None:
    id = lab.post("/api/games", json={"game": "choko"}).json()["id"]
    answer = lab.post(f"/api/games/{id}/think", json={"agent": "mcts:simulations=100"}).json()
    assert (answer["type"], answer["done"], answer["sims"]) == ("think", True, 100)
    sound(answer)
    assert lab.post(f"/api/games/{id}/hint", json={}).json()["type"] == "think"
    refused = lab.post(f"/api/games/{id}/think", json={"agent": "mcts:time=99"})
    assert (refused.status_code, refused.json()["code"]) == (429, "limit")


@pytest.mark.slow
def test_an_engine_that_dies_is_replaced(talk: Talker) -> None:
    talk.new("othello")
    rid = talk.send("think", agent="mcts:simulations=200000,time=30")
    talk.until(lambda m: m["type"] == "think" and m["rid"] == rid)
    for pid in children(os.getpid()):
        if b"playproof.web.engines.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)
    ended = talk.until(lambda m: m.get("rid") == rid and m["type"] == "error")
    assert ended["code"] == "busy"
    assert "ended its process" in ended["msg"]
    assert talk.ask("think", agent="greedy")["done"] is True


def test_an_agent_that_fails_twice_has_lost(
    talk: Talker, lab: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(self: Any, job: Any) -> Message:
        raise EngineFailed("gave no answer within 1 s")

    monkeypatch.setattr(pool_module._Worker, "run", fail)
    talk.new("othello", "human", "greedy")
    talk.move("d3")
    state = talk.until(lambda m: m["type"] == "state" and m["result"] != "*")
    assert state["result"] == "1-0"
    assert state["reason"] == "White's agent gave no answer within 1 s"
    monkeypatch.undo()
    # Taking back is a second chance.
    talk.ask("undo", ver=talk.state["ver"])
    talk.move("d3")
    assert talk.until(lambda m: m["type"] == "state" and m["of"] == 2)["result"] == "*"


# The pool by itself


def run(work: Any) -> Any:
    return asyncio.run(work)


def task(agent: str, seconds: float = 5.0, game: str = "othello") -> Message:
    state = make(game).start().serialize()
    return {"do": "move", "state": state, "agent": agent, "seed": 1, "seconds": seconds}


@dataclass
class Pool:
    """One engine for the tests that follow, in a loop of its own."""

    runner: asyncio.Runner
    pool: EnginePool

    def ask(self, wanted: Message, *, urgent: bool = True) -> Any:
        async def answer() -> Any:
            return await self.pool.submit(wanted, urgent=urgent).result

        return self.runner.run(answer())

    def worker(self) -> Any:
        (found,) = self.pool._all
        return found


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with asyncio.Runner() as runner:

        async def begin() -> EnginePool:
            return EnginePool(1)

        found = Pool(runner, runner.run(begin()))
        yield found
        worker = found.worker()
        runner.run(found.pool.close())
        assert not Path(f"/proc/{worker._process.pid}").exists()


def test_a_job_that_fails_says_why_and_the_engine_lives(pool: Pool) -> None:
    with pytest.raises(EngineFailed, match="there is no net"):
        pool.ask(task("net:nothing"))
    worker = pool.worker()
    pool.ask(task("random"))
    assert pool.worker() is worker


@pytest.mark.slow
def test_an_engine_that_died_idle_is_not_noticed(pool: Pool) -> None:
    pool.ask(task("random"))
    (worker,) = pool.pool._idle
    assert worker._process is not None
    before = worker._process.pid
    os.kill(before, signal.SIGKILL)  # not yet seen by the loop
    assert pool.ask(task("random"))["action"] in make("othello").start().legal_actions()
    assert pool.worker()._process.pid != before


def test_an_engine_that_hangs_is_killed(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_GRACE", 0.2)
    with pytest.raises(EngineFailed, match="no answer within"):
        # This one cannot be hurried.
        pool.ask(task("pgts:widths=300/300/60", 0.1, "go"), urgent=False)
    assert pool.ask(task("random"))["action"] in make("othello").start().legal_actions()


def test_seats_go_before_pages_and_one_persons_second_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[str] = []

    async def ask(self: Any, job: Any) -> Message:
        await asyncio.sleep(0.01)
        order.append(job.task["agent"])
        return {}

    monkeypatch.setattr(pool_module._Worker, "run", ask)

    async def work() -> None:
        pool = EnginePool(2)
        jobs = [
            pool.submit(task("a1"), requester=Requester("a", owner=True)),
            pool.submit(task("a2"), requester=Requester("a", owner=True)),
            pool.submit(task("a3"), requester=Requester("a", owner=True)),
            pool.submit(task("b1"), requester=Requester("b", owner=True)),
            pool.submit(task("seat"), urgent=True),
        ]
        with pytest.raises(Refusal, match="3 analyses at a time"):
            pool.submit(task("a4"), requester=Requester("a", owner=True))
        await asyncio.gather(*(job.result for job in jobs))
        await pool.close()
        with pytest.raises(Refusal, match="too many searches"):
            pool.submit(task("late"))

    run(work())
    assert set(order[:2]) == {"a1", "seat"}
    assert order[2:] == ["b1", "a2", "a3"]


# Parts of a thought


def test_shares() -> None:
    assert catalog.share("othello", None, "points") is None
    assert catalog.share("othello", 0.5, "result") == 0.75
    assert catalog.share("othello", 0.0, "points") == 0.5
    assert catalog.share("othello", 10_003.0, "points") == 1.0
    assert catalog.share("chess", -10_000.0, "points") == 0.0
    pawn = catalog.share("chess", 1.0, "points")
    assert pawn == pytest.approx(1 / (1 + 10**-0.25))
    assert catalog.share("go", 4000.0, "points") == pytest.approx(1.0)


def test_weights_add_up() -> None:
    def share(value: float | None) -> float | None:
        return value

    visits = (MoveReport(0, visits=3), MoveReport(1, visits=1))
    assert analysis._weights(visits, 1.0, share) == [0.75, 0.25]
    priors = (MoveReport(0, prior=0.9), MoveReport(1, prior=0.1))
    assert analysis._weights(priors, 1.0, share) == [0.9, 0.1]
    values = (MoveReport(0, value=0.2), MoveReport(1, value=0.8), MoveReport(2))
    first, second = (analysis._weights(values, sign, share) for sign in (1.0, -1.0))
    assert first[1] > 0.9 > second[1]
    assert second[0] > 0.9
    assert sum(first) == pytest.approx(1.0)
    assert first[2] == 0.0
    assert analysis._weights((), 1.0, share) == []


def test_a_stop_raises_flags_that_are_still_to_come() -> None:
    stop = Stop()
    early = stop.flag()
    stop.raise_flags()
    assert (early[0], stop.flag()[0]) == (1, 1)


def test_the_truth_is_told_where_tables_are(monkeypatch: pytest.MonkeyPatch) -> None:
    from playproof.agents.base import Decision

    class Known:
        value = 10_000.9

        def decision(self, state: Any, word: int) -> Decision:
            return Decision(0, self.value, (0,), {"distance": 59})

    start, tables = make("choko").start(), Known()
    monkeypatch.setattr(analysis, "_tables", {False: tables})
    assert analysis.truth_of(start) == "Blue wins in 59"
    tables.value = -10_000.9
    assert analysis.truth_of(start) == "Red wins in 59"
    tables.value = 0.0
    assert analysis.truth_of(start) == "draw with best play"
    monkeypatch.setattr(analysis, "_tables", {False: None})
    assert analysis.truth_of(start) is None
    assert analysis.truth_of(make("othello").start()) is None


def test_whatever_is_open_ends_with_the_lab(tmp_path: Path) -> None:
    before = set(children(os.getpid()))
    app = make_app(tmp_path, warm=True)
    with TestClient(app, base_url=ADDRESS) as client, Talker(client) as talker:
        talker.new("othello", "mcts:simulations=200000,time=30", "human")
        eventually(lambda: set(children(os.getpid())) - before)
    eventually(lambda: set(children(os.getpid())) <= before, 5)
