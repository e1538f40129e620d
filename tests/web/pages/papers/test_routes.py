"""Papers: the figures are those of docs/papers, and what is run is written down beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import home_page
import paper_pages
from playproof import DataError
from playproof.papers import pages
from playproof.web.pages import home
from playproof.web.pages.papers import claims as papers_claims
from playproof.web.server import make_app
from tests.support.paths import DOCS
from tests.support.web.jobs.plain_job import job_told

PAPERS = DOCS / "papers"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(make_app(tmp_path / "lab"), base_url="http://127.0.0.1") as found:
        found.get("/api/catalog")
        yield found


# One source


def test_what_is_shipped_is_what_the_documentation_says() -> None:
    """After a change there: python tools/paper_pages.py."""
    assert pages.shipped() == paper_pages.make(PAPERS)


@pytest.mark.parametrize("name", ["othello33", "quantum-go"])
def test_every_claim_has_our_figure(name: str) -> None:
    for claim in papers_claims.claims(papers_claims.paper(name)):
        assert claim["ours"], claim["name"]


def test_the_page_and_the_code_mean_the_same_claims() -> None:
    """The documentation repeats what each claim says and the paper's figure: to the letter."""
    coded = {c["name"]: c for c in papers_claims.claims(papers_claims.paper("othello33"))}
    table = pages.tables(pages.shipped()["othello33"], "Claim by claim")[0]
    assert len(table["rows"]) == 12
    for says, paper, time, _, only, _ in table["rows"]:
        claim = coded[only.strip("`")]
        assert says == claim["says"]
        assert claim["paper"] in (paper, f"33 ({paper})")
        seconds = claim["paper_seconds"]
        assert time == ("" if seconds is None else f"{seconds:,.0f} s")


def test_statements_of_chokozero_are_those_of_the_code() -> None:
    from playproof.papers.chokozero.statements import STATEMENTS

    claims = papers_claims.claims(papers_claims.paper("chokozero"))
    by_text = {claim["says"].removesuffix(" (100 games)"): claim for claim in claims}
    assert set(by_text) == {one.text for one in STATEMENTS}
    for one in STATEMENTS:
        assert by_text[one.text]["paper"] == (one.paper or "\N{EN DASH}")
        assert by_text[one.text]["verdict"] in ("holds", "does not hold", "not decided")
    assert by_text["PGTS is stronger than Minimax"]["verdict"] == "does not hold"


def test_a_changed_figure_is_noticed(tmp_path: Path) -> None:
    for name in pages.NAMES:
        text = (PAPERS / f"{name}.md").read_text(encoding="utf-8")
        (tmp_path / f"{name}.md").write_text(text.replace("22,719 s", "22,718 s"))
    assert pages.shipped() != paper_pages.make(tmp_path)
    (tmp_path / "rl-chess.md").unlink()
    with pytest.raises(DataError, match="rl-chess"):
        paper_pages.make(tmp_path)


def test_markdown_becomes_blocks() -> None:
    page = paper_pages.parse(
        "# T\n\nSome *words*\nhere.\n\n## S\n\n| a | b |\n|---|---|\n| 1 \\| 2 | `x` |\n\n"
        "- one\n  more\n- two\n\n```console\n$ x\n\ny\n```\n\n<p>\n<img>\n</p>\n"
    )
    assert page["title"] == "T"
    first, second = page["sections"]
    assert first == {"title": "", "blocks": [{"text": "Some *words* here."}]}
    assert second["blocks"] == [
        {"columns": ["a", "b"], "rows": [["1 | 2", "`x`"]]},
        {"items": ["one more", "two"]},
        {"code": "$ x\n\ny"},
    ]
    with pytest.raises(DataError, match="no end"):
        paper_pages.parse("```\nx")


# Over HTTP


def test_the_papers(client: TestClient) -> None:
    told = client.get("/api/papers").json()["papers"]
    assert [one["name"] for one in told] == list(pages.NAMES)
    for one in told:
        paper = client.get(f"/api/papers/{one['name']}").json()
        assert paper["claims"]
        assert paper["page"]["sections"]
        assert paper["runs"] == {}
    refused = client.get("/api/papers/nonsense")
    assert refused.status_code == 400
    assert "want" in refused.json()["msg"]


def test_home_draws_what_is_real(client: TestClient) -> None:
    told = client.get("/api/home").json()
    assert len([m for m in told["views"]["proofs"]["marks"] if m["k"] == "num"]) == 33
    assert {m["at"]: m["t"] for m in told["views"]["truth"]["marks"]}["A1"] == 59
    assert told["times"] == {"paper": 22719.0, "here": 4.9}
    assert [one["name"] for one in told["ratings"]][:2] == ["PGTS+", "PPO+"]
    for one in told["ratings"]:
        assert one["low"] <= one["elo"] <= one["high"]
    lines = told["curve"]["lines"]
    for won, drawn, lost in zip(*lines.values(), strict=True):
        assert won + drawn + lost == pytest.approx(1, abs=1e-3)


def test_only_quick_claims_are_run(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    lab: Any = client.app.state.lab  # type: ignore[attr-defined]
    begun: list[Any] = []
    monkeypatch.setattr(
        lab.jobs, "start", lambda *a, **more: begun.append((a, more)) or job_told("x")
    )
    answer = client.post("/api/papers/othello33/run", json={"run": "black"})
    assert answer.json() == job_told("x")
    client.post("/api/papers/chokozero/run", json={"run": "truth"})
    (first, more), (second, _) = begun
    assert first[2] == ["paper", "othello33", "--only", "black"]
    assert second[2] == ["paper", "chokozero", "--truth"]
    assert more["link"] == "#/papers/othello33"
    for run in ("33-39", "--long", "nonsense", 5, None, ["black"]):
        answer = client.post("/api/papers/othello33/run", json={"run": run})
        assert answer.status_code == 400, run
    assert len(begun) == 2


def test_outcomes_are_read_from_the_jobs_steps(client: TestClient, tmp_path: Path) -> None:
    from playproof.core.jobs.recorder import new_record
    from playproof.core.jobs.store import STEPS, append, create_folder

    argv = ["paper", "othello33", "--only", "black"]
    card = new_record("paper", "t", argv, by="command line", mine=True)
    folder = create_folder(tmp_path / "lab" / "jobs", card)
    facts = {"claim": "black", "found": "33 moves", "holds": True, "seconds": 0.1}
    append(folder / STEPS, json.dumps({"at": 0.1, "text": "x", "facts": facts}) + "\n")
    runs = client.get("/api/papers/othello33").json()["runs"]
    assert runs["black"]["outcome"] == {"found": "33 moves", "holds": True, "seconds": 0.1}


def test_the_command_writes_its_outcomes_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playproof.cli.commands.paper import othello33
    from playproof.core.jobs import recorder as job_book
    from playproof.core.jobs.index import JobIndex

    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path))
    argv = ["paper", "othello33", "--only", "white"]
    with job_book.recording(
        job_book.new_record("paper", "t", argv, by="command line", mine=True)
    ) as job:
        job.open()
        othello33(only=["white"])
        job.end(0)
    (entry,) = JobIndex(tmp_path).entries()
    (facts,) = [step["facts"] for step in entry.steps()]
    assert facts["claim"] == "white"
    assert facts["holds"] is True
    assert facts["found"] == "33 moves for White after 27 plies"


def test_what_home_draws_is_what_the_games_say() -> None:
    """After a change there: python tools/home_page.py."""
    assert home.home() == json.loads(json.dumps(home_page.build_home()))
