"""`make lab` in a fresh clone with nothing compiled: the time until a move is answered, in every
game, and whether every page shows what it waits for."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from playproof.web.catalog.house_games import GAMES, OPPONENTS
from tests.support.paths import ROOT
from tests.support.web import owner
from tests.support.web.browser import chromium

OTHELLO, EVERY, AGAIN, SILENT = 75.0, 150.0, 3.0, 1.0  # seconds: the bars
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/#key=\S+")
# What a first visitor opens, before anything is compiled; Truth waits longest for its tables.
_PAGES = ("", "play", "analyse", "truth", "classroom", "proofs", "rules", "papers", "train")


class Lab:
    """A running `make lab` in a folder; ``seconds`` count from its start."""

    def __init__(self, clone: Path, environment: dict[str, str]) -> None:
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            ["make", "lab", "PORT=0"], cwd=clone, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        output = []
        for line in self.process.stdout:
            output.append(line)
            if address := _ADDRESS.search(line):
                self.base = owner.learn(address[0])
                break
        else:
            raise AssertionError("make lab ended: " + "".join(output))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        httpx.get(self.base, timeout=60).raise_for_status()
        self.page = self.seconds

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def answered(self, game: str) -> float:
        """The seconds from the start until our first move is answered by the level Medium."""
        agent = next(one.spec for one in OPPONENTS[game] if one.level == "Medium")
        with owner.client(self.base) as client:
            client.timeout = httpx.Timeout(300.0)
            state = _post(client, "/api/games", game=game, seats=["human", agent], seed=1)
            place = f"/api/games/{state['id']}"
            while state["view"]["turn"]["who"] == "you":  # a turn may be several decisions
                move = state["view"]["legal"][0]["c"]
                state = _post(client, f"{place}/move", c=move, ver=state["ver"])
            while state["view"]["turn"]["who"] != "you":
                time.sleep(0.05)
                state = client.get(place).raise_for_status().json()
        return self.seconds


def _post(client: httpx.Client, path: str, **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.post(path, json=fields).raise_for_status().json()
    return answer


@contextlib.contextmanager
def _clone() -> Iterator[tuple[Path, dict[str, str]]]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        subprocess.run(["git", "clone", "--quiet", str(ROOT), "clone"], cwd=home, check=True)
        environment = {
            **os.environ,
            "PLAYPROOF_CACHE": str(home / "cache"),
            "PLAYPROOF_DATA": str(home / "data"),
            "BROWSER": "true",
            "PYTHONUNBUFFERED": "1",
        }
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHONPATH", "VIRTUAL_ENV"):
            environment.pop(name, None)
        yield home / "clone", environment


def _silence(lab: Lab) -> tuple[float, str]:
    """The longest time for which a page showed nothing, not even the waiting line, and its name."""
    longest = (0.0, "")
    with chromium() as browser:
        context = browser.new_context()
        owner.admit(context, lab.base)
        page = context.new_page()
        for name in _PAGES:
            page.goto("about:blank")
            began = last = time.monotonic()
            page.goto(f"{lab.base}/#/{name}", wait_until="commit")
            while last < began + 8.0:
                now = time.monotonic()
                if page.evaluate(_SPEAKS):
                    last = now
                    if page.evaluate(_IS_WHOLE):
                        break
                longest = max(longest, (now - last, name or "home"))
                if now > began + 8.0:
                    break
                time.sleep(0.05)
    return longest


_WORDS = "(id) => (document.getElementById(id)?.innerText ?? '').trim().length"
_SPEAKS = f"() => {{ const words = {_WORDS}; return words('main') > 0 || words('waiting') > 0; }}"
_IS_WHOLE = f"() => {{ const words = {_WORDS}; return words('main') > 60 && !words('waiting'); }}"


def pieces() -> dict[str, Callable[[], str]]:
    def first() -> str:
        with _clone() as (clone, environment):
            lab = Lab(clone, environment)
            try:
                times: dict[str, float] = {}

                def play(game: str) -> None:
                    times[game] = lab.answered(game)

                players = [threading.Thread(target=play, args=(game,)) for game in GAMES]
                players[0].start()
                players[0].join()  # Othello alone, without other games to compile
                for player in players[1:]:
                    player.start()
                silent, where = _silence(lab)
                for player in players[1:]:
                    player.join()
            finally:
                lab.stop()
            again = Lab(clone, environment)
            try:
                second, move = again.page, again.answered("othello")
            finally:
                again.stop()
        answers = ", ".join(f"{game} {seconds:.0f} s" for game, seconds in times.items())
        summary = (
            f"page {lab.page:.0f} s; answered: {answers}; "
            f"longest silence {silent:.1f} s ({where}); "
            f"second start {second:.1f} s, a move {move:.1f} s"
        )
        assert set(times) == set(GAMES), summary
        assert times["othello"] < OTHELLO, summary
        assert max(times.values()) < EVERY, summary
        assert second < AGAIN, summary
        assert silent <= SILENT, summary
        return summary

    return {"make lab in a fresh clone": first}
