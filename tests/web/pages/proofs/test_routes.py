"""Proofs over HTTP: run, watched, downloaded, checked; guests, and uploads that are no good."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.core.jobs.recorder import new_record, write_end
from playproof.proofs.sat import solvers
from playproof.web.pages.proofs import offered_statements as proofs_offers
from playproof.web.pages.proofs import uploads as proofs_uploads
from playproof.web.protocol.bodies import RunProof
from playproof.web.server import make_app
from tests.support.web.jobs.plain_job import job_told
from tests.support.web.people import ADDRESS, Talker

PATIENCE = 60.0  # seconds
Json = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(make_app(folder), base_url=ADDRESS) as found:
        found.get("/api/catalog")
        yield found


def ended(client: TestClient, id: str) -> Json:
    """A proof when its job is over."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found: Json = client.get(f"/api/proofs/jobs/{id}").json()
        if found["job"]["state"] not in ("waiting", "running"):
            return found
        time.sleep(0.03)
    raise TimeoutError(f"job {id} does not end")


def run(client: TestClient, **fields: Any) -> Json:
    answer = client.post("/api/proofs/run", json=fields)
    assert answer.status_code == 200, answer.text
    return ended(client, answer.json()["id"])


@pytest.fixture(scope="module")
def refuted(client: TestClient) -> Json:
    """A proof that 9 moves are impossible on 4x4."""
    return run(client, statement="custom", size=4, moves=9, empties=0)


@pytest.fixture(scope="module")
def packed(client: TestClient, refuted: Json) -> bytes:
    answer = client.get(f"/api/proofs/certificates/{refuted['certificate']}.zip")
    assert answer.headers["content-type"] == "application/zip"
    assert "attachment" in answer.headers["content-disposition"]
    assert len(answer.content) == int(answer.headers["content-length"])
    return answer.content


def check(client: TestClient, data: bytes, name: str = "mine.zip") -> Json:
    answer = client.post("/api/proofs/check", params={"name": name}, content=data)
    assert answer.status_code == 200, answer.text
    return ended(client, answer.json()["id"])


def spoiled(data: bytes, name: str, change: tuple[bytes, bytes] | None) -> bytes:
    """A certificate with one file changed; without a change, a byte of it flipped."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename.endswith(name):
                if change is None:
                    middle = len(content) // 2
                    changed = content[:middle] + bytes([content[middle] ^ 1])
                    content = changed + content[middle + 1 :]
                else:
                    assert change[0] in content
                    content = content.replace(*change)
            new.writestr(entry.filename, content)
    return out.getvalue()


def left(folder: Path) -> list[Path]:
    """Uploads that are still there a moment later."""
    home, end = folder / "uploads", time.monotonic() + 10
    while home.is_dir() and any(home.iterdir()) and time.monotonic() < end:
        time.sleep(0.03)
    return list(home.iterdir()) if home.is_dir() else []


def test_the_overview_has_all_that_is_offered(client: TestClient) -> None:
    found = client.get("/api/proofs").json()
    assert found["owner"] is True
    assert found["problem"] is None
    assert [one["name"] for one in found["records"]] == ["black", "white", "earliest"]
    for one in found["records"]:
        assert client.get(f"/api/proofs/records/{one['name']}").json()["moves"] == 33
    for one in found["examples"]:
        assert client.get(f"/api/proofs/lemma/{one['name']}").json()["frames"]
    assert client.get("/api/proofs/levels/stubborn").json()["end"] == "nothing"
    kept = Path(client.app.state.lab.folder) / "proofs" / "levels-stubborn.json"  # type: ignore[attr-defined]
    assert json.loads(kept.read_text())["end"] == "nothing"


def test_all_positions_with_33_moves(client: TestClient) -> None:
    census = client.get("/api/proofs/census").json()
    assert [row["reachable"] for row in census["totals"]] == [0, 0, 0, 8, 138, 769]
    first = census["positions"][0]
    game = client.get(f"/api/proofs/records/{first['name']}").json()
    assert (game["record"], game["moves"]) == (first["record"], 33)


def test_names_that_do_not_exist(client: TestClient) -> None:
    paths = [
        "records/red",
        "records/census-0",
        "records/census-916",
        "lemma/nothing",
        "levels/x",
        "jobs/..%2f..",
        "jobs/nothing",
        "position",
    ]
    for path in paths:
        answer = client.get(f"/api/proofs/{path}")
        assert answer.status_code in (400, 404), path
        assert "\n" not in answer.json()["msg"]
    for name in ("nothing", "..", ".hidden", "a%2fb"):
        answer = client.get(f"/api/proofs/certificates/{name}.zip")
        assert answer.status_code == 404


def test_a_position_of_ones_own(client: TestClient) -> None:
    query = {"position": "f5d6c3"}
    assert client.get("/api/proofs/lemma", params=query).json()["constructible"] is True
    assert client.get("/api/proofs/levels", params=query).json()["end"] == "met"
    view = client.get("/api/proofs/position", params=query).json()["view"]
    assert len(view["pieces"]) == 7
    answer = client.get("/api/proofs/lemma", params={"position": "f5f5"})
    assert answer.status_code == 400


def test_a_proof_is_run_and_told(refuted: Json, client: TestClient, folder: Path) -> None:
    assert refuted["job"]["state"] == "done"
    assert refuted["job"]["link"] == f"#/proofs/{refuted['job']['id']}"
    assert refuted["question"] == "an Othello position on 4x4 with at least 9 moves"
    assert refuted["formula"] == {"variables": 178, "clauses": 484}
    assert refuted["answer"]["status"] == "unsat"
    assert refuted["verdict"]["verified"] is True
    assert [one["check"] for one in refuted["checks"]][:3] == ["manifest", "formula", "proof"]
    assert (folder / "certificates" / refuted["certificate"] / "manifest.json").is_file()
    overview = client.get("/api/proofs").json()
    (line,) = [one for one in overview["proofs"] if one["id"] == refuted["job"]["id"]]
    assert (line["kind"], line["came"]) == ("prove", "verified")
    assert refuted["certificate"] in [one["name"] for one in overview["certificates"]]


@pytest.mark.slow
def test_a_witness_is_drawn(client: TestClient) -> None:
    found = run(client, statement="custom", size=4, moves=8, empties=9)
    assert found["answer"]["status"] == "sat"
    assert found["certificate"] is None
    assert len(found["witness"]["view"]["marks"]) == found["witness"]["moves"] == 8


def test_a_proof_can_be_watched(client: TestClient, refuted: Json) -> None:
    with Talker(client) as talker:
        talker.send("watch", topic=f"proof:{refuted['job']['id']}")
        while (message := talker.receive())["type"] != "proof":
            pass
    assert message["topic"] == f"proof:{refuted['job']['id']}"
    assert message["proof"]["verdict"] == refuted["verdict"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "a proof needs statement"),
        ({"statement": "../x"}, "want othello-35"),
        ({"statement": "custom", "size": 5, "moves": 3}, "size 5: want 4, 6 or 8"),
        ({"statement": "custom", "size": 4, "moves": 13}, "moves 13: want 1 to 12"),
        ({"statement": "custom", "moves": "34"}, "whole number"),
        ({"statement": "custom", "moves": 34, "empties": -1}, "empties -1"),
        ({"statement": "custom", "moves": 34, "minutes": 600}, "600 minutes"),
    ],
)
def test_questions_out_of_bounds(fields: Json, says: str, client: TestClient) -> None:
    answer = client.post("/api/proofs/run", json=fields)
    assert answer.status_code == 400
    assert says in answer.json()["msg"]


def test_every_offer_is_a_command_that_is_understood(tmp_path: Path) -> None:
    from playproof.cli.main import main

    for offer in proofs_offers.OFFERED_STATEMENTS:
        title, argv = proofs_offers.command(RunProof(statement=offer.name), tmp_path)
        assert title == offer.title
        assert ("--certificate" in argv) == offer.refutes
        # A folder in use, or no time, ends each before it has begun.
        if offer.refutes:
            home = Path(argv[argv.index("--certificate") + 1])
            home.mkdir()
            (home / "file").touch()
            assert main(argv) == 2
        else:
            assert main([*argv, "--seconds", "0"]) == 1


def test_a_certificate_comes_back_and_is_verified(
    client: TestClient, packed: bytes, folder: Path
) -> None:
    found = check(client, packed, "my certificate.zip")
    assert found["job"]["title"] == "Check my-certificate"
    assert found["verdict"]["verified"] is True
    assert found["verdict"]["title"] == "an Othello position on 4x4 with at least 9 moves"
    assert left(folder) == []


def test_checks_of_uploads_have_limits(
    client: TestClient, packed: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    lab = client.app.state.lab  # type: ignore[attr-defined]

    def start(kind: str, title: str, argv: list[str], **more: Any) -> Json:
        started.append((argv[2:], more["once"]))
        return job_told("20200101-000000-abcd")  # no such job: the upload goes at once

    monkeypatch.setattr(lab.jobs, "start", start)
    assert client.post("/api/proofs/check", content=packed).status_code == 200
    limits = ["--seconds", "600", "--memory", str(proofs_uploads.megabytes())]
    assert started == [(limits, True)]
    assert left(folder) == []
    monkeypatch.setattr(proofs_uploads, "_MOST", 0)
    assert client.post("/api/proofs/check", content=packed).status_code == 429
    monkeypatch.undo()
    monkeypatch.setattr("playproof.web.jobs.runner.MOST_WAITING", 0)
    assert client.post("/api/proofs/check", content=packed).status_code == 429
    assert left(folder) == []


SPOILED: dict[str, tuple[tuple[bytes, bytes] | None, str]] = {
    "proof.drat": (None, "proof.drat is not the file that the manifest names"),
    "statement.json": ((b"9", b"8"), "formula.cnf is not the statement's formula"),
    "formula.cnf": ((b"p cnf 178", b"p cnf 189"), "they differ in line"),
}


@pytest.mark.parametrize(
    "name",
    ["proof.drat", *(pytest.param(name, marks=pytest.mark.slow) for name in [*SPOILED][1:])],
)
def test_spoiled_certificates_are_rejected(
    client: TestClient, packed: bytes, folder: Path, name: str
) -> None:
    change, says = SPOILED[name]
    found = check(client, spoiled(packed, name, change))
    assert found["job"]["state"] == "failed"
    assert found["verdict"]["verified"] is False
    rejected = [one["detail"] for one in found["checks"] if one["passed"] is False]
    assert any(says in detail for detail in rejected), rejected
    assert left(folder) == []


def test_uploads_that_are_no_certificate(
    client: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = io.BytesIO()
    with zipfile.ZipFile(evil, "w") as archive:
        archive.writestr("../../proof.drat", "x")
    for data, says in (
        (b"", "nothing was sent"),
        (b"hello", "no zip file"),
        (evil.getvalue(), "leads out of its folder"),
    ):
        answer = client.post("/api/proofs/check", content=data)
        assert answer.status_code == 400
        assert says in answer.json()["msg"]
    monkeypatch.setattr(proofs_uploads, "MOST_PACKED", 1000)
    for headers in ({}, {"content-length": "1001"}):
        parts = iter([bytes(600), bytes(401)])
        answer = client.post("/api/proofs/check", content=parts, headers=headers)
        assert answer.status_code == 413
        assert "too large" in answer.json()["msg"]
    assert left(folder) == []
    assert not (folder.parent / "proof.drat").exists()


@pytest.mark.parametrize("name", ["../../evil", "upload.zip.zip", "", ".", "é" * 300])
def test_the_name_of_an_upload_is_only_a_name(name: str) -> None:
    found = proofs_uploads._name(name)
    assert Path(found).name == found
    assert found not in ("", ".", "..", "upload.zip")


@pytest.mark.slow
def test_a_certificate_is_checked_again_and_thrown_away(
    client: TestClient, refuted: Json, folder: Path
) -> None:
    name, home = "a-copy", folder / "certificates"
    shutil.copytree(home / refuted["certificate"], home / name)
    answer = client.post(f"/api/proofs/certificates/{name}/check")
    assert ended(client, answer.json()["id"])["verdict"]["verified"] is True
    assert client.post(f"/api/proofs/certificates/{name}/delete").status_code == 200
    assert not (folder / "certificates" / name).exists()
    assert client.post(f"/api/proofs/certificates/{name}/delete").status_code == 404


def test_what_a_killed_lab_left_is_swept(client: TestClient, folder: Path) -> None:
    lab = client.app.state.lab  # type: ignore[attr-defined]
    old, young, used = (folder / "uploads" / name for name in ("old", "young", "used"))
    for home in (old, young, used):
        home.mkdir(parents=True)
    os.utime(old, (0, 0))
    # A check that went on with the next lab is over: its upload is nobody's.
    missing = ["check", str(used / "nothing")]
    job = lab.jobs.book.add(new_record("check", "Check nothing", missing, by="command line"))
    write_end(job.path, "failed", code=3, seconds=1.0)
    proofs_uploads.Uploads(lab).sweep()
    assert [home.name for home in (old, young, used) if home.exists()] == ["young"]
    young.rmdir()


def test_an_upload_that_comes_in_slowly_is_not_swept(client: TestClient, folder: Path) -> None:
    uploads = proofs_uploads.Uploads(client.app.state.lab)  # type: ignore[attr-defined]
    slow = folder / "uploads" / "slow"
    slow.mkdir(parents=True)
    os.utime(slow, (0, 0))
    uploads._arriving.add("slow")
    uploads.sweep()
    assert slow.exists()
    slow.rmdir()


@pytest.mark.slow
def test_drafts_are_swept_when_their_process_is_dead_and_never_by_age(
    client: TestClient, folder: Path
) -> None:
    home = folder / "certificates"
    command = [sys.executable, "-m", "playproof.cli.main", "prove", "othello-mobility"]
    command += ["--at-least", "33", "--empties-at-least", "39", "--certificate", str(home / "slow")]
    prover = subprocess.Popen(command, env={**os.environ, "PLAYPROOF_DATA": str(folder / "other")})
    try:
        end = time.monotonic() + PATIENCE
        while not (drafts := list(home.glob(".slow.*/formula.cnf"))):
            assert time.monotonic() < end
            time.sleep(0.03)
        draft = drafts[0].parent
        os.utime(draft, (0, 0))  # as if the proof took years
        client.get("/api/proofs")
        assert draft.exists()
    finally:
        prover.kill()
        prover.wait()
    os.utime(draft, (0, 0))
    just_begun = home / ".new.0badcafe.unfinished"
    just_begun.mkdir()
    client.get("/api/proofs")
    assert not draft.exists()
    assert just_begun.exists()  # its process may not have come to its lock yet
    just_begun.rmdir()


def test_without_a_solver_the_page_says_so(
    client: TestClient, packed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solvers, "available", list)
    assert "pip install" in client.get("/api/proofs").json()["problem"]
    for answer in (
        client.post("/api/proofs/run", json={"statement": "othello-35"}),
        client.post("/api/proofs/check", content=packed),
    ):
        assert answer.status_code == 400
        assert "playproof[prove]" in answer.json()["msg"]


def test_guests_look_and_do_nothing(tmp_path: Path) -> None:
    app = make_app(tmp_path, code="ABC234", owner_key="secret-key-of-the-owner")
    with TestClient(app, base_url=ADDRESS) as owner:
        owner.post("/api/enter", json={"key": "secret-key-of-the-owner"})
        guest = TestClient(app, base_url=ADDRESS)
        guest.portal = owner.portal
        assert guest.get("/api/proofs").status_code == 403
        guest.post("/api/enter", json={"code": "ABC234"})
        found = run(owner, statement="custom", size=4, moves=9)
        seen = guest.get(f"/api/proofs/jobs/{found['job']['id']}").json()
        assert seen["verdict"] == found["verdict"]
        assert seen["job"]["command"] == ""
        assert str(tmp_path) not in json.dumps(seen)
        name = found["certificate"]
        assert guest.get(f"/api/proofs/certificates/{name}.zip").status_code == 200
        for path in ("run", "check", f"certificates/{name}/check", f"certificates/{name}/delete"):
            answer = guest.post(f"/api/proofs/{path}", json={"statement": "othello-35"})
            assert answer.status_code == 403, path
