"""Looking at runs: the list, one, its figures with their intervals, its files and games."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.arena.statistics.score import wilson
from playproof.core.jobs.index import JobIndex
from playproof.core.jobs.recorder import new_record
from playproof.learning.runs.run import GAMES, METRICS, SETTINGS
from playproof.nets import run_nets
from playproof.web.pages.training.games import EvaluationGameFiles
from playproof.web.pages.training.serializers import MOST_POINTS
from playproof.web.server import make_app
from tests.support.web.people import ADDRESS, Talker
from tests.support.web.training.small_runs import add_line, train


def get(client: TestClient, path: str, status: int = 200) -> Any:
    response = client.get(path)
    assert response.status_code == status, response.text
    return response.json()


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_lab_without_runs(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path), base_url=ADDRESS) as client:
        answer = get(client, "/api/runs")
        assert answer["runs"] == []
        assert all(recipe["seconds"] > 0 and not recipe["here"] for recipe in answer["recipes"])
        assert not (tmp_path / "runs").exists()


def test_the_list_tells_how_each_run_stands(client: TestClient, data: Path) -> None:
    add_line(data / "runs" / "two", iteration=3)  # newer, and without line 4 not finished
    (data / "runs" / "two" / METRICS).write_text(
        "\n".join(map(json.dumps, lines(data / "runs" / "one" / METRICS)[:3])) + "\n"
    )
    found = {run["id"]: run for run in get(client, "/api/runs")["runs"]}
    assert list(found) == ["two", "one"]
    one, two = found["one"], found["two"]
    assert (one["state"], one["iterations"], one["of"]) == ("done", 4, 4)
    assert (two["state"], two["iterations"]) == ("stopped", 3)
    assert (one["title"], one["seed"], one["kept"]) == ("Othello, 4 \u00d7 4", 1, [0, 2, 4])
    assert one["net"] is True
    assert str(data) not in json.dumps(found)


def test_scores_come_with_their_intervals(client: TestClient, data: Path) -> None:
    run = get(client, "/api/runs/one")
    last = lines(data / "runs" / "one" / METRICS)[-1]
    points = last["random_wins"] + last["random_draws"] / 2
    told = run["run"]["evaluation"]["scores"]["random"]
    assert told["score"] == points / 4
    assert told["interval"] == pytest.approx(wilson(points, 4))
    figure = next(f for f in run["chart"]["figures"] if f["name"] == "random_score")
    (curve,) = figure["curves"]
    assert curve["x"] == [2, 4]
    assert (curve["lower"][-1], curve["upper"][-1]) == pytest.approx(wilson(points, 4))
    assert figure["percent"] is True
    assert "random player" in figure["title"]
    assert run["chart"]["figures"][0]["name"] == "random_score"  # what matters comes first
    assert run["folder"] == str(data / "runs" / "one")


def test_the_metrics_twin_gives_lines_after_an_iteration(client: TestClient, data: Path) -> None:
    written = lines(data / "runs" / "one" / METRICS)
    assert get(client, "/api/runs/one/metrics")["points"] == written
    assert get(client, "/api/runs/one/metrics?after=3")["points"] == written[3:]
    get(client, "/api/runs/one/metrics?after=-1", 400)


def test_curves_of_long_runs_are_thinned_and_end_with_the_end(
    client: TestClient, data: Path
) -> None:
    folder = data / "runs" / "one"
    settings = json.loads((folder / SETTINGS).read_text())
    settings["settings"]["iterations"] = 3000
    (folder / SETTINGS).write_text(json.dumps(settings))
    for iteration in range(5, 3001):
        add_line(folder, iteration=iteration, entropy=1.0 / iteration)
    chart = get(client, "/api/runs/one")["chart"]
    curve = next(f for f in chart["figures"] if f["name"] == "entropy")["curves"][0]
    assert len(curve["x"]) <= MOST_POINTS
    assert curve["x"][-1] == 3000
    assert curve["y"][-1] == pytest.approx(1 / 3000)
    assert chart["smooth"] == 30


def test_damage_is_told_in_a_line_without_a_path(client: TestClient, data: Path) -> None:
    (data / "runs" / "one" / METRICS).write_text("nonsense\n{}\n")
    run = get(client, "/api/runs/one")["run"]
    assert run["state"] == "damaged"
    assert "line 1 is damaged" in run["fault"]
    assert str(data) not in run["fault"]
    assert get(client, "/api/runs/two")["run"]["state"] == "done"


def test_settings_that_are_no_numbers_hide_no_run(client: TestClient, data: Path) -> None:
    file = data / "runs" / "one" / SETTINGS
    told = json.loads(file.read_text())
    told["settings"] |= {"seed": True, "iterations": "many", "rate": 2**70}
    file.write_text(json.dumps(told))
    run = get(client, "/api/runs/one")
    assert (run["run"]["of"], run["settings"]["rate"]) == (0, 2**70)
    assert {"one", "two"} <= {one["id"] for one in get(client, "/api/runs")["runs"]}


@pytest.mark.parametrize(
    "id",
    ["three", "..", "%2e%2e", "one~..", "..~one", "~one", "one%2f..%2ftwo", "%2fetc", "a,b",
     "job-x", "job-20250101-000000-abcd", "x" * 300],
)  # fmt: skip
def test_names_lead_nowhere_else(client: TestClient, data: Path, id: str) -> None:
    (data / "settings.json").write_text((data / "runs" / "one" / SETTINGS).read_text())
    response = client.get(f"/api/runs/{id}")
    assert response.status_code == 404
    assert str(data) not in response.text
    assert client.get(f"/api/runs/{id}/net.safetensors").status_code == 404


def test_files_are_those_of_a_list(client: TestClient, data: Path) -> None:
    net = client.get("/api/runs/one/net.safetensors")
    assert net.content == (data / "runs" / "one" / "net.safetensors").read_bytes()
    assert "attachment" in net.headers["content-disposition"]
    assert client.get("/api/runs/one/metrics.jsonl").text.count("\n") == 4
    for name in ("checkpoint.safetensors", "..%2ftwo%2fsettings.json", "nets"):
        assert client.get(f"/api/runs/one/{name}").status_code == 404
    picture = client.get("/api/runs/one/chart.svg?theme=dark")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.startswith("<svg")


def test_compared_runs_say_what_they_differ_in(client: TestClient) -> None:
    answer = get(client, "/api/runs/compare?runs=one,two")
    assert set(answer["differ"]) == {"seed", "rate"}
    assert [line["name"] for line in answer["chart"]["lines"]] == ["one", "two"]
    assert len(answer["chart"]["figures"][0]["curves"]) == 2
    assert client.get("/api/runs/compare.svg?runs=one,two").text.startswith("<svg")
    get(client, "/api/runs/compare?runs=", 400)
    get(client, "/api/runs/compare?runs=" + ",".join("abcdefghi"), 400)
    get(client, "/api/runs/compare?runs=one,three", 404)


def test_seeds_of_one_run_can_be_one_line(client: TestClient, data: Path) -> None:
    train(data / "runs" / "five" / "seed-2", seed=2)
    train(data / "runs" / "five" / "seed-3", seed=3)
    names = "five~seed-2,five~seed-3"
    apart = get(client, f"/api/runs/compare?runs={names}")["chart"]
    together = get(client, f"/api/runs/compare?runs={names}&together=1")["chart"]
    assert len(apart["lines"]) == 2
    assert [line["name"] for line in together["lines"]] == ["five (2 seeds)"]
    entropy = next(f for f in together["figures"] if f["name"] == "entropy")["curves"][0]
    assert all(low <= y for low, y in zip(entropy["lower"], entropy["y"], strict=True))


# Games of the evaluations


def test_games_are_listed_and_stepped_through(client: TestClient, data: Path) -> None:
    file = data / "runs" / "one" / GAMES
    with file.open("a") as out:
        out.write('{"game": "othello", "mov')  # being written
    answer = get(client, "/api/runs/one/games")
    assert answer["of"] == len(answer["games"]) == 8
    assert [game["number"] for game in answer["games"]] == list(range(7, -1, -1))
    assert len(get(client, "/api/runs/one/games?before=3")["games"]) == 3
    game = get(client, "/api/runs/one/games/7")
    record = json.loads(file.read_text().splitlines()[7])
    assert game["moves"] == record["moves"]
    assert [side["player"] for side in game["sides"]] == record["players"]
    views = get(client, "/api/runs/one/games/7/views?from=2&count=3")
    assert (views["from"], len(views["views"])) == (2, 3)
    assert all(not view["legal"] and not view["marks"] for view in views["views"])
    last = get(client, f"/api/runs/one/games/7/views?from={game['of']}")
    assert len(last["views"]) == 1
    assert last["views"][0]["over"]
    get(client, "/api/runs/one/games/7/views?from=900", 400)
    get(client, "/api/runs/one/games/99", 404)
    assert json.loads(client.get("/api/runs/one/games/7/jsonl").text)["moves"] == record["moves"]
    assert client.get("/api/runs/one/games/7/pgn").status_code == 404


def test_of_games_only_what_was_added_is_read(tmp_path: Path) -> None:
    file, games = tmp_path / GAMES, EvaluationGameFiles()

    def line(moves: int) -> str:
        facts = {"iteration": 1, "players": ["a", "b"], "result": "1-0", "moves": ["x"] * moves}
        return json.dumps(facts) + "\n"

    def plies() -> list[int]:
        found = games.list_games(tmp_path)
        assert found["of"] == len(found["games"])
        return [game["plies"] for game in found["games"]]

    assert plies() == []
    file.write_text(line(1) + line(2))
    assert plies() == [2, 1]
    known = games._cache[tmp_path].starts
    with file.open("a") as out:
        out.write(line(3) + line(4)[:10])
    assert plies() == [3, 2, 1]
    assert games._cache[tmp_path].starts is known  # it has grown, and was not made anew
    file.write_text(line(5) * 4)  # a run that went on from an earlier checkpoint
    assert plies() == [5] * 4
    file.write_text(line(6))
    assert plies() == [6]


# Watching, and jobs elsewhere


def test_a_watched_run_tells_what_is_new(client: TestClient, data: Path) -> None:
    with Talker(client) as talk:
        talk.send("watch", topic="run:one")
        first = talk.until(lambda m: m["type"] == "metrics")
        assert (first["fresh"], first["run"]["iterations"]) == (True, 4)
        assert len(first["points"]) == 4
        add_line(data / "runs" / "one", iteration=5, entropy=0.5)
        news = talk.until(lambda m: m["type"] == "metrics")
        assert news["points"] == [{"iteration": 5, "entropy": 0.5}]
        talk.send("watch", topic="run:nobody")
        assert talk.until(lambda m: m["type"] == "error")["topic"] == "run:nobody"


def test_runs_of_jobs_elsewhere_are_found(client: TestClient, data: Path, tmp_path: Path) -> None:
    train(tmp_path / "far away" / "run", seed=7)
    card = new_record(
        "train", "Train", ["train"], by="command line", folder=tmp_path / "far away" / "run"
    )
    job = JobIndex(data).add(card)
    found = {run["id"]: run for run in get(client, "/api/runs")["runs"]}
    run = found[f"job-{job.id}"]
    assert (run["seed"], run["job"]) == (7, job.id)
    assert run["state"] == "done"
    assert get(client, f"/api/runs/job-{job.id}")["run"]["seed"] == 7
    assert client.get(f"/api/runs/job-{job.id}/net.safetensors").status_code == 200


def test_folders_with_odd_names_are_runs_too(client: TestClient, data: Path) -> None:
    odd = ["my run", "größe", "-x", "a~b", "job-20250101-000000-abcd", "compare", "x.safetensors"]
    for name in odd:
        shutil.copytree(data / "runs" / "one", data / "runs" / name)
    shutil.copytree(data / "runs" / "one", data / "runs" / "so many" / "seed 2")
    found = {run["name"]: run["id"] for run in get(client, "/api/runs")["runs"]}
    assert set(found) == {"one", "two", *odd, "so many/seed 2"}
    assert found["my run"] == "-my.20run"
    for name, id in found.items():
        assert get(client, f"/api/runs/{id}")["folder"] == str(data / "runs" / name)
        assert run_nets.file_of(f"run/{id}") == data / "runs" / name / "net.safetensors"
    for other in (
        "-one",
        "-my run",
        "-my.20ru.6e",
        "-..",
        "-.2e.2e",
        "-a.2fb",
        "-.2e",
        "-",
        "-a.00",
    ):
        get(client, f"/api/runs/{other}", 404)
    job = new_record("train", "", [], by="page", folder=data / "runs" / "my run")
    entry = JobIndex(data).add(job)
    assert entry.to_json()["link"] == f"#/train/job-{entry.id}"


def test_a_guest_looks_but_is_shown_no_folder(data: Path) -> None:
    app = make_app(data, code="ABC234", owner_key="k" * 20)
    with TestClient(app, base_url=ADDRESS) as guest:
        assert guest.get("/api/runs").status_code == 403
        guest.post("/api/enter", json={"code": "ABC234"})
        answer = guest.get("/api/runs/one")
        assert answer.status_code == 200
        assert str(data) not in answer.text
        assert guest.get("/api/runs/one/settings.json").status_code == 403
        assert guest.get("/api/runs/one/metrics.jsonl").status_code == 200
        assert guest.post("/api/runs", json={"recipe": "choko"}).status_code == 403
        assert guest.post("/api/runs/one/delete", json={}).status_code == 403
    assert (data / "runs" / "one").exists()
