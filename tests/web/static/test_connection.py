"""connection.js alone, with a socket that the test holds in its hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.web.browser import static_site

if TYPE_CHECKING:
    from playwright.sync_api import Page

# A line whose other end is this script: `lines` holds every socket that was dialled.
SOCKET = """
  const { Connection } = await import("/static/connection.js");
  const lines = [];
  class Line extends EventTarget {
    sent = [];
    constructor() { super(); lines.push(this); }
    send(text) { this.sent.push(JSON.parse(text)); }
    close() { this.drop(); }
    up() { this.dispatchEvent(new Event("open")); }
    drop() { this.dispatchEvent(new Event("close")); }
    say(message) {
      const data = JSON.stringify(message);
      this.dispatchEvent(new MessageEvent("message", { data }));
    }
  }
  const connection = new Connection(() => new Line());
  const seen = [];
  for (const name of ["state", "think", "error", "up", "down"])
    connection.addEventListener(name, (event) => seen.push([name, event.detail]));
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  connection.connect();
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    own: Path = tmp_path_factory.mktemp("site")
    (own / "empty.html").write_text("<!doctype html><title>empty</title>")
    with static_site(own) as url:
        yield f"{url}/empty.html"


def run(page: Page, site: str, script: str) -> Any:
    page.goto(site)
    return page.evaluate(f"async () => {{ {SOCKET} {script} }}")


def test_an_answer_finds_its_question(desk: Page, site: str) -> None:
    found = run(
        desk,
        site,
        """
        lines[0].up();
        const first = connection.send({ type: "goto", ply: 1 });
        const second = connection.send({ type: "goto", ply: 2, rid: "mine" });
        const rids = lines[0].sent.map((one) => one.rid);
        lines[0].say({ type: "state", rid: rids[1], id: "g", ply: 2 });
        lines[0].say({ type: "state", rid: rids[0], id: "g", ply: 1 });
        return [rids[1], (await first).ply, (await second).ply, connection.state.ply];
        """,
    )
    assert found == ["mine", 1, 2, 1]


def test_a_refusal_has_code_and_line_and_may_be_quiet(desk: Page, site: str) -> None:
    found = run(
        desk,
        site,
        """
        lines[0].up();
        const told = [];
        for (const quiet of [false, true]) {
          const answer = connection.send({ type: "move" }, { quiet });
          const { rid } = lines[0].sent.at(-1);
          lines[0].say({ type: "error", rid, code: "illegal", msg: "not there" });
          await answer.catch((trouble) => told.push([trouble.code, trouble.message]));
        }
        return [told, seen.filter(([name]) => name === "error").length];
        """,
    )
    assert found == [[["illegal", "not there"]] * 2, 1]


def test_thinking_is_answered_many_times(desk: Page, site: str) -> None:
    found = run(
        desk,
        site,
        """
        lines[0].up();
        const heard = [];
        const onThink = (one) => heard.push(one.sims);
        const last = connection.send({ type: "think", agent: "a" }, { onThink });
        const { rid } = lines[0].sent[0];
        for (const sims of [1, 2]) lines[0].say({ type: "think", rid, sims, done: false });
        lines[0].say({ type: "think", rid, sims: 3, done: true });
        return [heard, (await last).sims];
        """,
    )
    assert found == [[1, 2, 3], 3]


def test_a_broken_line_mends_itself_and_joins_again(desk: Page, site: str) -> None:
    found = run(
        desk,
        site,
        """
        lines[0].up();
        const joined = connection.send({ type: "join", id: "g" });
        lines[0].say({ type: "state", rid: lines[0].sent[0].rid, id: "g", ply: 3, of: 5 });
        await joined;
        const lost = connection.send({ type: "undo", ver: 1 }).catch((trouble) => trouble.code);
        lines[0].drop();
        const unsent = connection.send({ type: "goto", ply: 0 });
        while (lines.length < 2) await sleep(20);
        lines[1].up();
        const again = lines[1].sent.map(({ type, id, ply }) => [type, id ?? null, ply ?? null]);
        return [await lost, again, seen.map(([name]) => name)];
        """,
    )
    assert found[0] == "down"
    assert found[1] == [["join", "g", None], ["goto", None, 3], ["goto", None, 0]]
    assert found[2] == ["up", "state", "down", "up"]


def test_late_words_about_a_game_that_was_left_are_dropped(desk: Page, site: str) -> None:
    found = run(
        desk,
        site,
        """
        lines[0].up();
        const joined = connection.send({ type: "join", id: "g" });
        lines[0].say({ type: "state", rid: lines[0].sent[0].rid, id: "g", ply: 0, of: 0 });
        await joined;
        connection.leave();
        lines[0].say({ type: "state", id: "g", ply: 1, of: 1 });
        const states = seen.filter(([name]) => name === "state");
        return [connection.state, lines[0].sent.at(-1).type, states.length];
        """,
    )
    assert found == [None, "leave", 1]


def test_topics_are_heard_and_watched_again_after_a_broken_line(desk: Page, site: str) -> None:
    found = run(
        desk,
        site,
        """
        const heard = [], gone = [], later = setTimeout;
        window.setTimeout = (work, wait) => later(work, wait === 5000 ? 1 : wait);
        const stop = connection.watch("jobs", (one) => heard.push(one.n)); // before the line is up
        lines[0].up();
        const other = connection.watch("jobs", (one) => heard.push(-one.n));
        connection.watch("job:x", () => heard.push("never"), (error) => gone.push(error.message));
        lines[0].say({ type: "watching", topic: "jobs" });
        lines[0].say({ type: "jobs", topic: "jobs", n: 1 });
        lines[0].say({ type: "error", topic: "job:x", code: "gone", msg: "there is no job x" });
        lines[0].say({ type: "error", topic: "jobs", code: "busy", msg: "the disk is asleep" });
        await sleep(20);
        lines[0].drop();
        while (lines.length < 2) await sleep(20);
        lines[1].up();
        other();
        other();
        lines[1].say({ type: "jobs", topic: "jobs", n: 2 });
        stop();
        lines[1].say({ type: "jobs", topic: "jobs", n: 3 });
        const sent = lines.map((line) => line.sent.map((one) => `${one.type} ${one.topic}`));
        return [heard, gone, sent, seen.filter(([name]) => name === "error").length];
        """,
    )
    assert found == [
        [1, -1, 2],
        ["there is no job x"],
        [["watch jobs", "watch jobs", "watch job:x", "watch jobs"], ["watch jobs", "unwatch jobs"]],
        0,
    ]


def test_whoever_waits_is_told_for_what(desk: Page, site: str) -> None:
    """Nothing at first; then that it waits; then what is compiled, and for how long."""
    found = run(
        desk,
        site,
        """
        const place = document.createElement("div");
        place.id = "waiting";
        place.hidden = true;
        document.body.append(place);
        let status = { ready: true, text: "", left: 0 };
        window.fetch = async () => ({ json: async () => status });
        const until = async (text) => {
          while (place.textContent !== text) await sleep(20);
          return place.hidden;
        };
        lines[0].up();
        const answer = connection.send({ type: "new", game: "chess" });
        const said = [place.textContent, await until("Waiting for the lab …")];
        status = { ready: false, text: "the rules of chess", left: 12 };
        said.push(await until("Compiling the rules of chess (only once): about 12 s."));
        lines[0].say({ type: "state", rid: lines[0].sent[0].rid, id: "g", thinking: true });
        await answer;
        said.push(place.textContent.startsWith("Compiling"));  // an agent is at its move
        status = { ready: true, text: "", left: 0 };
        said.push(await until(""));
        lines[0].say({ type: "state", id: "g", thinking: false });
        return said;
        """,
    )
    assert found == ["", False, False, True, True]
