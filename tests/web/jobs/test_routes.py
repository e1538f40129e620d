"""Jobs of the lab: started, watched over HTTP, stopped, gone on with, forgotten."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.cli.main import main
from playproof.core.jobs import control as job_control
from playproof.core.jobs.index import JobIndex
from playproof.core.jobs.recorder import new_record, write_end
from playproof.core.jobs.store import END, new_id, write_json
from playproof.core.parallel import processes
from playproof.web.http.access import RateLimits
from playproof.web.jobs import runner as module
from playproof.web.server import make_app
from tests.support.web.jobs.lab_of_fakes import make
from tests.support.web.people import ADDRESS, someone
from tests.web.jobs.conftest import Desk


@pytest.fixture(autouse=True)
def _no_brakes(client: TestClient) -> None:
    client.app.state.lab.request_limits = RateLimits(10_000, 1000.0)  # type: ignore[attr-defined]


def test_a_job_from_start_to_end(desk: Desk, client: TestClient) -> None:
    many = 25  # more than two seconds, so that it is not over before it was looked at
    id = desk.start("count", str(many))
    # Its card and its steps are two files, and are not read in the same instant.
    job = desk.until(id, lambda job: len(job["steps"]) >= 2 and job["total"] is not None)
    assert (job["state"], job["by"], job["total"]) == ("running", "page", many)
    assert job["command"] == f"playproof count {many}"
    assert job["can"] == {"cancel": True, "resume": False, "delete": False}
    assert desk.do(id, "delete", 409)["msg"] == "this job is not over: cancel it first"
    assert desk.do(id, "resume", 409)["msg"] == "this job cannot be resumed: it is running"
    job = desk.until(id, "done")
    told = (job["done"], job["label"], job["facts"]["last"], job["error"])
    assert told == (many, "counting", many - 1, "")
    assert [step["facts"] for step in job["steps"]] == [{"n": n} for n in range(many)]
    assert 2.0 < job["seconds"] < 60
    lab = str(client.app.state.lab.folder)  # type: ignore[attr-defined]
    assert job["log"] == "".join(f"line {n} from {lab}\n" for n in range(many))
    files = {"job.json", "progress.json", "steps.jsonl", "log.txt", "end.json", "lock"}
    folder = client.app.state.lab.jobs.entry(id).path  # type: ignore[attr-defined]
    desk.until(id, lambda _: {file.name for file in folder.iterdir()} == files)
    assert desk.do(id, "cancel", 409)["msg"] == "this job is not running: it is done"
    assert desk.do(id, "resume", 409)["code"] == "turn"
    assert [j["id"] for j in client.get("/api/jobs").json()["jobs"]] == [id]
    assert desk.do(id, "delete") == {"type": "deleted"}
    assert client.get("/api/jobs").json() == {"jobs": []}
    assert client.get(f"/api/jobs/{id}").status_code == 404


def test_the_log_in_parts(desk: Desk, client: TestClient) -> None:
    id = desk.start("count", "3")
    desk.until(id, "done")
    first = client.get(f"/api/jobs/{id}/log").json()
    assert first["text"].count("\n") == 3
    assert client.get(f"/api/jobs/{id}/log?after={first['next']}").json()["text"] == ""
    assert client.get(f"/api/jobs/{id}/log?after=5").json()["text"] == first["text"][5:]
    for wrong in ("-1", "x", "1" * 20, "٣"):
        assert client.get(f"/api/jobs/{id}/log?after={wrong}").status_code == 400


def test_how_jobs_fail(desk: Desk) -> None:
    told, killed = desk.start("fail", "no such net"), desk.start("die", "9")
    assert desk.until(told, "failed")["error"] == "no such net"
    assert desk.until(killed, "failed")["error"] == "it was ended by: Killed"
    odd = desk.start("count", "a\0b")
    assert desk.until(odd, "failed")["error"] == "it could not be started: embedded null byte"


def test_a_job_is_stopped_and_goes_on(desk: Desk) -> None:
    id = desk.start("count", "1000", resume=["count", "2"])
    desk.until(id, lambda job: len(job["steps"]) >= 2)
    desk.do(id, "cancel")
    job = desk.until(id, "cancelled")
    assert job["can"] == {"cancel": False, "resume": True, "delete": True}
    before = job["seconds"]
    assert desk.do(id, "resume")["state"] in ("waiting", "running")
    job = desk.until(id, "done")
    assert job["total"] == 2
    assert job["seconds"] > before
    assert "Resumed after it was stopped." in [step["text"] for step in job["steps"]]


@pytest.mark.slow
def test_it_goes_on_though_it_is_hardly_gone(desk: Desk) -> None:
    id = desk.start("count", "1000", resume=["count", "1000"])
    for _ in range(3):
        desk.until(id, lambda job: job["state"] == "running" and job["done"])
        desk.do(id, "cancel")
        desk.until(id, "cancelled")
        desk.do(id, "resume")
        desk.do(id, "cancel")  # before it has begun again
        desk.until(id, "cancelled")
        desk.do(id, "resume")
    desk.until(id, "running")
    desk.do(id, "cancel")
    assert desk.until(id, "cancelled")["error"] == ""


def test_what_cannot_go_on_says_so(desk: Desk) -> None:
    id = desk.start("fail", "")
    assert desk.until(id, "failed")["can"]["resume"] is False
    assert desk.do(id, "resume", 400)["msg"] == "this job cannot be resumed: start a new one"


def test_what_is_done_once_goes_on_only_if_it_was_interrupted(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = client.app.state.lab.jobs  # type: ignore[attr-defined]
    words = ["count", "1"]
    cards = [new_record("check", "A check", words, by="page", resume=words, once=True, mine=True)
             for _ in range(3)]  # fmt: skip
    for card in cards:
        card["birth"] = "long ago"
    stopped, failed, interrupted = (jobs.book.add(card) for card in cards)
    write_end(stopped.path, "cancelled", code=130, seconds=1.0)
    write_end(failed.path, "failed", code=3, seconds=1.0)
    can = {job["id"]: job["can"]["resume"] for job in client.get("/api/jobs").json()["jobs"]}
    assert can == {stopped.id: False, failed.id: False, interrupted.id: True}
    assert client.post(f"/api/jobs/{stopped.id}/resume", json={}).status_code == 400
    monkeypatch.setenv("PLAYPROOF_DATA", str(jobs.data))
    assert main(["jobs", "resume", failed.id]) == 2


def test_a_place_in_the_queue_is_kept(
    desk: Desk, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 0)
    monkeypatch.setattr(module, "MOST_WAITING", 2)
    jobs = client.app.state.lab.jobs  # type: ignore[attr-defined]
    desk.start("count", "1")
    with jobs.reserve():
        answer = client.post("/api/test/start", json={"argv": ["count", "1"]})
        assert (answer.status_code, "jobs are waiting" in answer.text) == (429, True)
    desk.start("count", "1")  # it was not taken after all


def test_a_job_is_stopped_in_its_first_moment(desk: Desk) -> None:
    for _ in range(3):
        id = desk.start("count", "1000")
        desk.until(id, "running")
        desk.do(id, "cancel")
        assert desk.until(id, "cancelled")["error"] == ""
        assert "Traceback" not in desk.job(id)["log"]


def test_the_lab_still_hears_signals(desk: Desk, client: TestClient) -> None:
    ids = [desk.start("count", "1") for _ in range(2)]
    for id in ids:
        desk.until(id, "done")
    assert client.portal is not None
    assert client.portal.call(signal.pthread_sigmask, signal.SIG_BLOCK, []) == set()


def test_two_at_a_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 2)
    first, second = desk.start("count", "1000"), desk.start("count", "1000")
    third, fourth = desk.start("count", "1"), desk.start("count", "1")
    answer = desk.client.post("/api/test/start", json={"argv": ["count", "1"]})
    assert (answer.status_code, answer.json()["code"]) == (429, "limit")
    desk.until(second, lambda job: bool(job["done"]))
    job = desk.job(third)
    assert (job["state"], job["seconds"]) == ("waiting", 0.0)
    assert job["can"] == {"cancel": True, "resume": False, "delete": False}
    assert desk.do(third, "cancel")["state"] == "cancelled"
    desk.do(first, "cancel")
    desk.until(fourth, "done")
    assert desk.job(second)["state"] == "running"
    desk.do(second, "cancel")
    desk.until(second, "cancelled")


@pytest.mark.slow
def test_what_does_not_listen_is_killed_with_its_children(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "family"
    id = desk.start("deaf", str(file))
    desk.until(id, lambda _: file.exists())
    family = [int(word) for word in file.read_text().split()]
    sent = time.monotonic()
    desk.do(id, "cancel")
    assert desk.job(id)["state"] == "running"
    desk.until(id, "cancelled")
    assert 4.5 < time.monotonic() - sent < 30.0  # it has 5 s; a busy machine needs more
    assert not any(processes.birth(pid) for pid in family)


def test_a_job_of_the_command_line_is_stopped_too(desk: Desk, client: TestClient) -> None:
    """Its process is not ours: it is told to end, and what it leaves unsaid is written."""
    lab = client.app.state.lab  # type: ignore[attr-defined]
    script = "import time; print(flush=True); time.sleep(100)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()  # it runs
    card = module.new_record("train", "Train", ["train"], by="command line", mine=True)
    born = processes.birth(process.pid)
    entry = lab.jobs.book.add({**card, "pid": process.pid, "birth": born})
    assert desk.job(entry.id)["state"] == "running"
    desk.do(entry.id, "cancel")
    assert process.wait(10) == -signal.SIGINT
    process.stdout.close()
    assert desk.until(entry.id, "cancelled")["by"] == "command line"


def test_a_number_that_is_somebody_elses_by_now_is_left_alone(
    desk: Desk, client: TestClient
) -> None:
    lab = client.app.state.lab  # type: ignore[attr-defined]
    card = module.new_record("train", "Train", ["train"], by="command line", mine=True)
    entry = lab.jobs.book.add({**card, "birth": "earlier-1"})  # this process, but not that one
    assert desk.job(entry.id)["state"] == "interrupted"
    assert desk.do(entry.id, "cancel", 409)["code"] == "turn"
    job_control.kill(lab.jobs.entry(entry.id))
    assert os.getpid()  # we are still here to say so


@pytest.mark.parametrize(
    "id",
    ["..", "%2e%2e", "..%2f..%2flab.sqlite", "x" * 500, "20200101-000000-abcd", "%00", "é", "*",
     "20200101-000000-abcd%2f.."],
)  # fmt: skip
def test_hostile_names_name_nothing(client: TestClient, id: str) -> None:
    for path in (f"/api/jobs/{id}", f"/api/jobs/{id}/log"):
        answer = client.get(path)
        assert answer.status_code in (404, 405), answer.text
        assert "\n" not in answer.json()["msg"]
    for deed in ("cancel", "resume", "delete", "dance"):
        assert client.post(f"/api/jobs/{id}/{deed}").status_code in (404, 405)


def test_damaged_jobs_are_shown_in_a_line(desk: Desk, client: TestClient) -> None:
    folder = client.app.state.lab.jobs.book.folder  # type: ignore[attr-defined]
    id = new_id()
    (folder / id).mkdir(parents=True)
    (folder / id / "job.json").write_text("{")
    job = desk.job(id)
    assert (job["state"], job["title"]) == ("failed", f"Job {id}")
    assert job["error"] == "This job cannot be read: job.json is damaged."
    for deed in ("cancel", "resume"):
        assert "\n" not in desk.do(id, deed, 409 if deed == "cancel" else 400)["msg"]
    desk.do(id, "delete")
    assert client.get("/api/jobs").json() == {"jobs": []}


def test_a_full_disk_is_told_in_a_line(
    desk: Desk, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    id = desk.start("count", "1000", resume=["count", "1"])
    desk.until(id, "running")
    desk.do(id, "cancel")
    desk.until(id, "cancelled")
    time.sleep(0.3)
    monkeypatch.setattr("playproof.core.jobs.store.write_json", full)
    monkeypatch.setattr("playproof.core.jobs.control.write_json", full)
    answer = client.post("/api/test/start", json={"argv": ["count", "1"]})
    told = "the job cannot be saved: No space left on device"
    assert (answer.status_code, answer.json()["msg"]) == (429, told)
    assert desk.do(id, "resume", 429)["msg"] == told
    assert desk.job(id)["state"] == "cancelled"


def test_at_the_supervisors_start_the_disk_is_full(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "write_json", full)
    file = tmp_path / "family"
    id = desk.start("deaf", str(file))
    job = desk.until(id, "failed")
    assert job["error"] == "it could not be started: No space left on device"
    lab = desk.client.app.state.lab  # type: ignore[attr-defined]
    assert lab.jobs._supervisors == {}  # what could not be written down does not run


# Who may


def test_guests_look_and_no_more(tmp_path: Path) -> None:
    app = make(tmp_path / "lab")
    lab = app.state.lab
    lab.access.code, lab.access._owner_key = "ABC234", "key"
    with TestClient(app, base_url=ADDRESS) as owner:
        stranger = someone_new(owner)
        assert stranger.get("/api/jobs").status_code == 403
        owner.post("/api/enter", json={"key": "key"})
        guest = someone_new(owner)
        guest.post("/api/enter", json={"code": "ABC234"})
        desk = Desk(owner)
        id = desk.start("count", "3")
        desk.until(id, "done")
        seen = guest.get(f"/api/jobs/{id}").json()
        assert (seen["state"], seen["title"], seen["done"]) == ("done", "A fake", 3)
        assert seen["can"] == {"cancel": False, "resume": False, "delete": False}
        assert (seen["command"], seen["folder"], seen["log"]) == ("", None, "")
        assert seen["facts"] == {"last": 2, "file": "…/net.pt"}
        assert seen["steps"][1]["text"] == "counted 1, kept in …/1.txt"
        for text in (guest.get(f"/api/jobs/{id}").text, guest.get("/api/jobs").text):
            assert "secret" not in text
            assert str(tmp_path) not in text
        assert guest.get(f"/api/jobs/{id}/log").status_code == 403
        for deed in ("cancel", "resume", "delete"):
            answer = guest.post(f"/api/jobs/{id}/{deed}", json={})
            assert (answer.status_code, answer.json()["code"]) == (403, "access")
        assert "secret" in owner.get(f"/api/jobs/{id}").text


def someone_new(client: TestClient) -> TestClient:
    found = TestClient(client.app, base_url=ADDRESS)
    found.portal = client.portal
    return found


def test_other_sites_start_nothing(client: TestClient) -> None:
    answer = client.post(
        f"/api/jobs/{new_id()}/cancel", json={}, headers={"origin": "http://elsewhere.example"}
    )
    assert answer.status_code == 403


# The life of the lab


@pytest.mark.slow
def test_a_closed_lab_leaves_nothing_and_the_next_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    with TestClient(make(folder), base_url=ADDRESS) as client:
        desk = Desk(client)
        going = desk.start("count", "1000", resume=["count", "2"])
        lost = desk.start("count", "1000")
        waiting = desk.start("count", "1")
        asked = desk.start("count", "1", resume=["count", "1"])
        desk.do(asked, "cancel")
        desk.until(going, lambda job: bool(job["done"]))
        desk.until(lost, lambda job: bool(job["done"]))
        pids = [entry.record["pid"] for entry in JobIndex(folder).entries() if entry.record["pid"]]
    assert not any(processes.birth(pid) for pid in pids)
    states = {entry.id: entry.state for entry in JobIndex(folder).entries()}
    assert states == {
        going: "interrupted", lost: "interrupted", waiting: "waiting", asked: "cancelled",
    }  # fmt: skip
    with TestClient(make(folder), base_url=ADDRESS) as client:
        desk = Desk(client)
        assert desk.until(going, "done")["total"] == 2
        desk.until(waiting, "done")
        assert desk.job(lost)["state"] == "interrupted"
        assert desk.job(asked)["state"] == "cancelled"
        desk.do(lost, "delete")


@pytest.mark.slow
def test_two_labs_do_not_both_go_on_with_a_job(tmp_path: Path) -> None:
    """A folder has one lab; if there were two, or a command line, a job would still be run once."""
    folder = tmp_path / "lab"
    book = JobIndex(folder)
    card = module.new_record("match", "x", ["count", "9"], by="page", resume=["count", "9"])
    entry = book.add({**card, "pid": 2**22 + 1, "birth": "gone-1", "started": time.time()})
    apps = [make(folder), make(folder)]
    with TestClient(apps[0], base_url=ADDRESS) as one, TestClient(apps[1], base_url=ADDRESS):
        Desk(one).until(entry.id, "done")
        assert [app.state.lab.jobs._queue for app in apps] == [[], []]
    texts = [step["text"] for step in book.entry(entry.id).steps()]
    assert texts.count("Resumed after it was stopped.") == 1
    assert sum(text.startswith("counted 0") for text in texts) == 1


def test_a_lab_that_lists_hundreds_is_quick(desk: Desk, client: TestClient) -> None:
    book = client.app.state.lab.jobs.book  # type: ignore[attr-defined]
    for n in range(200):
        card = {**module.new_record("match", "x", ["x"], by="page", mine=True), "id": new_id(n)}
        write_json(book.add(card).path / END, {"state": "done", "seconds": 1.0})
    began = time.perf_counter()
    assert len(client.get("/api/jobs").json()["jobs"]) == 200
    assert time.perf_counter() - began < 1.0


def test_the_app_without_jobs_closes_at_once(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path), base_url=ADDRESS) as client:
        assert someone(client).get("/api/jobs").json() == {"jobs": []}
        began = time.monotonic()
    assert time.monotonic() - began < 2.0
