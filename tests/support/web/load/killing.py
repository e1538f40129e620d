"""A lab that is killed again and again, in the middle of games, a proof, a training run and a
tournament; and one with the same work that is left alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from tests.support.web import owner
from tests.support.web.load import meters
from tests.support.web.load.lines import Broken, Line, Message

MARK = "PLAYPROOF_TEST_MARK"
PATIENCE = 900.0  # seconds until jobs must be done
GONE_WITHIN = 15.0  # seconds until nothing of a killed lab may run any more
GAMES = (
    ("othello", ["human", "human"]), ("choko", ["human", "human"]), ("chess", ["human", "human"]),
    ("quantum-go", ["human", "human"]), ("othello", ["human", "alphabeta:depth=3"]),
    ("go", ["human", "mcts:simulations=300"]),
)  # fmt: skip


class Lab:
    """``playproof serve`` on a folder, whose processes all carry ``mark``."""

    def __init__(self, folder: Path, mark: str, *, port: str = "0", **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "playproof", "serve", "--no-browser", "--port", port,
             "--folder", str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, MARK: mark, **environment},
        )  # fmt: skip
        assert self.process.stdout is not None
        # The first start of all says first that it compiles.
        said = iter(self.process.stdout.readline, "")
        found = next(filter(None, (re.search(r"http://\S+", line) for line in said)), None)
        assert found, "the lab did not start"
        self.base = owner.learn(found[0])
        self._cookie = {"cookie": owner.new_cookie(self.base)}

    def end(self, number: signal.Signals = signal.SIGINT) -> str:
        """What it said, once it is gone."""
        self.process.send_signal(number)
        try:
            return self.process.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def get(self, path: str) -> Any:
        answer = httpx.get(f"{self.base}{path}", headers=self._cookie, timeout=60)
        return answer.raise_for_status().json()

    def post(self, path: str, **fields: Any) -> Any:
        answer = httpx.post(f"{self.base}{path}", headers=self._cookie, json=fields, timeout=60)
        return answer.raise_for_status().json()


@contextlib.contextmanager
def laboratory(folder: Path, mark: str, *, port: str = "0", **environment: str) -> Iterator[Lab]:
    lab = Lab(folder, mark, port=port, **environment)
    try:
        yield lab
    finally:
        if lab.process.poll() is None:
            lab.end()


def await_nothing(mark: str) -> float:
    """The seconds until no process with the mark is left."""
    began = time.monotonic()
    while left := meters.marked(f"{MARK}={mark}"):
        waited = time.monotonic() - began
        assert waited < GONE_WITHIN, f"{len(left)} processes outlive the lab: {_commands(left)}"
        time.sleep(0.05)
    return time.monotonic() - began


def _commands(pids: list[int]) -> list[str]:
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            found.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:120])
    return found


# Games


class Player:
    """Plays one game, whatever happens to the lab; what it was shown must stay."""

    def __init__(self, cookie: str, game: str, seats: list[str], seed: int) -> None:
        self.cookie, self.game, self.seats = cookie, game, seats
        self.chance = random.Random(seed)
        self.id = ""
        self.shown: Message = {}
        self.acknowledged = self.unsure = self.kept = 0  # moves; those on their way; of these
        self.games = 1
        self._sent = False  # a move is on its way

    async def play(self, base: str) -> None:
        """Until the line breaks."""
        line = Line(base, self.cookie, self._hear)
        try:
            await line.open()
            await self._come_back(line)
            while not line.is_down:
                await asyncio.sleep(self.chance.uniform(0.0, 0.05))
                await self._act(line)
        except Broken:
            return
        finally:
            await line.close()

    def _hear(self, message: Message) -> None:
        if message["id"] == self.id and message["ver"] >= self.shown.get("ver", 0):
            self.shown = message

    async def _come_back(self, line: Line) -> None:
        if not self.id:
            await self._begin(line)
            return
        before = self.shown  # it stays the last word if the lab is killed before it answers
        now = await line.ask("join", id=self.id)
        assert now["type"] == "state", now
        moves = before["moves"]
        assert now["moves"][: len(moves)] == moves, f"{moves[-3:]} became {now['moves'][-5:]}"
        assert now["ver"] >= before["ver"], "an older version came back"
        # What was asked for when it was killed may have been written, and an agent's answer.
        assert len(now["moves"]) <= len(moves) + 2
        self.unsure += self._sent
        self.kept += self._sent and len(now["moves"]) > len(moves)
        self._sent = False

    async def _begin(self, line: Line) -> None:
        answer = await line.ask("new", game=self.game, seats=self.seats, seed=self.games)
        assert answer["type"] == "state", answer
        self.id, self.shown = answer["id"], answer

    async def _act(self, line: Line) -> None:
        state = self.shown
        if state["result"] != "*" or state["of"] > 150:
            self.id, self.shown = "", {}
            self.games += 1
            await self._begin(line)
        elif state["can"]["move"]:
            view = state["view"]
            choices = [move["c"] for move in view["legal"]] or [[a["id"]] for a in view["actions"]]
            self._sent = True
            answer = await line.ask("move", ver=state["ver"], c=self.chance.choice(choices))
            self._sent = False
            assert answer["type"] == "state", answer
            self.acknowledged += 1


# Jobs


@dataclass
class Work:
    """Jobs of every resumable kind, and what came of them."""

    iterations: int  # of training
    games: int  # of each pairing
    jobs: dict[str, str] = field(default_factory=dict)  # kind: id
    run: str = ""
    tournament: int = 0

    def begin(self, lab: Lab) -> None:
        wanted = {"recipe": "othello-4x4", "iterations": self.iterations, "seed": 5, "name": "run"}
        run = lab.post("/api/runs", **wanted)
        self.jobs["train"], self.run = run["job"]["id"], run["run"]
        proof = lab.post("/api/proofs/run", statement="othello-4x4")
        self.jobs["prove"] = proof["id"]
        played = lab.post(
            "/api/tournaments", game="othello", variant={"size": 6}, games=self.games, seed=3,
            players=["random", "greedy", "alphabeta:depth=2"],
        )  # fmt: skip
        self.jobs["tournament"], self.tournament = played["job"]["id"], played["tournament"]

    def states(self, lab: Lab) -> dict[str, str]:
        return {kind: lab.get(f"/api/jobs/{id}")["state"] for kind, id in self.jobs.items()}

    def await_end(self, lab: Lab, seconds: float) -> None:
        end = time.monotonic() + seconds
        while set(found := self.states(lab).values()) != {"done"}:
            assert not {"failed", "interrupted", "cancelled"} & set(found), self._told(lab)
            assert time.monotonic() < end, f"not done within {seconds} s: {self._told(lab)}"
            time.sleep(0.5)

    def _told(self, lab: Lab) -> list[Any]:
        jobs = [lab.get(f"/api/jobs/{id}") for id in self.jobs.values()]
        return [(job["kind"], job["state"], job["label"], job["error"]) for job in jobs]

    def results(self, lab: Lab, folder: Path) -> dict[str, Any]:
        """What a kill must not change."""
        from playproof.nets import files
        from playproof.proofs.certificates.check import check_bundle

        net = files.load(folder / "runs" / self.run / "net.safetensors")
        (bundle,) = [one for one in (folder / "certificates").iterdir() if one.name[0] != "."]
        report = check_bundle(bundle)
        table = lab.get(f"/api/tournaments/{self.tournament}")
        return {
            "net": net.weights.tobytes(),
            "certificate": (report.verified, len(report.parts)),
            "table": [table["pairings"], [rating["points"] for rating in table["ratings"]]],
        }


@dataclass(frozen=True)
class Killed:
    kills: int
    moves: int
    games: int
    unsure: int
    kept: int
    longest: float  # seconds until nothing ran any more
    seconds: float

    def told(self) -> str:
        return (
            f"{self.kills} kills; {self.moves:,} acknowledged moves in {self.games} games all kept "
            f"({self.unsure} were on their way, {self.kept} of these written); nothing ran "
            f"{self.longest:.1f} s after a kill; proof, training run and tournament went on and "
            f"ended as if never killed; {self.seconds:.0f} s"
        )


def run(kills: int, seed: int, *, longest: float, iterations: int, games: int) -> Killed:
    """Kill a lab ``kills`` times, each at most ``longest`` seconds after it was there."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as near, tempfile.TemporaryDirectory() as far:
        expected = left_alone(Path(far), Work(iterations, games))
        killed = _kill(Path(near), random.Random(seed), kills, longest,
                       Work(iterations, games), expected)  # fmt: skip
    return replace(killed, seconds=time.monotonic() - began)


def left_alone(folder: Path, work: Work) -> dict[str, Any]:
    """What comes of jobs that nobody disturbs."""
    mark = secrets.token_hex(8)
    with laboratory(folder, mark) as lab:
        work.begin(lab)
        work.await_end(lab, PATIENCE)
        results = work.results(lab, folder)
    await_nothing(mark)
    return results


def _kill(
    folder: Path, chance: random.Random, kills: int, longest: float, work: Work,
    expected: dict[str, Any],
) -> Killed:  # fmt: skip
    mark, players, gone = secrets.token_hex(8), list[Player](), 0.0
    for _ in range(kills):
        lab = Lab(folder, mark)
        if not players:
            players = come(lab)
            work.begin(lab)
        asyncio.run(_play_until_killed(lab, players, chance.uniform(0.1, longest)))
        gone = max(gone, await_nothing(mark))
    with laboratory(folder, mark) as lab:
        asyncio.run(come_back(lab.base, players))
        work.await_end(lab, PATIENCE)
        found = work.results(lab, folder)
        for name, value in expected.items():
            assert found[name] == value, f"a kill changed the {name}"
    await_nothing(mark)
    return Killed(
        kills=kills,
        moves=sum(p.acknowledged for p in players),
        games=sum(p.games for p in players),
        unsure=sum(p.unsure for p in players),
        kept=sum(p.kept for p in players),
        longest=gone,
        seconds=0.0,
    )


def come(lab: Lab) -> list[Player]:
    """Somebody for each of the games."""
    return [
        Player(owner.new_cookie(lab.base), game, seats, 100 + n)
        for n, (game, seats) in enumerate(GAMES)
    ]


async def play(base: str, players: list[Player]) -> None:
    """All at once, until their lines break."""
    await asyncio.gather(*(player.play(base) for player in players))


async def _play_until_killed(lab: Lab, players: list[Player], seconds: float) -> None:
    games = asyncio.create_task(play(lab.base, players))
    await asyncio.sleep(seconds)
    lab.end(signal.SIGKILL)
    await games


async def come_back(base: str, players: list[Player]) -> None:
    """Each finds its game as it was."""
    for player in players:
        line = Line(base, player.cookie, player._hear)
        await line.open()
        await player._come_back(line)
        await line.close()
