"""``playproof paper chokozero``, its experiments in small: played, told, drawn and refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.cli.papers import chokozero_experiments
from playproof.papers.chokozero import openings as chokozero_openings
from playproof.papers.chokozero import times as chokozero_times
from playproof.papers.chokozero import train as chokozero_train
from playproof.papers.chokozero.claims import assess as claims
from tests.support.cli.running import Answer
from tests.support.learning.run_folders import metrics, write_run
from tests.support.papers.tiny_training import tiny

Playproof = Callable[..., Answer]


def flat(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.slow
def test_a_small_round_robin_resumes(playproof: Playproof, tmp_path: Path) -> None:
    words = ["paper", "chokozero", "--only", "table", "--agent", "v3", "--agent", "minimax"]
    words += ["--file", str(tmp_path / "games.sqlite"), "--workers", "1", "--seed", "5"]
    two = playproof(*words, "--games", "2", "--json")
    four = playproof(*words, "--games", "4")
    assert (two.code, four.code) == (0, 0), two.err + four.err
    assert f"seed 5, games in {tmp_path / 'games.sqlite'}" in two.err
    assert "2 of 4 games are there already" in four.err
    # Every game is there exactly once, with what the paper says beside it.
    cells = {(c["column"], c["row"]): c for c in two.json()["table_1"]["table"]}
    assert set(cells) == {("PPO V3", "Minimax"), ("Minimax", "PPO V3")}
    one, other = cells["PPO V3", "Minimax"], cells["Minimax", "PPO V3"]
    assert one["won"] + one["drawn"] + other["won"] == pytest.approx(1.0)
    assert (one["paper"], other["paper"]) == (0.0, 0.5)
    (statement,) = two.json()["statements"]
    assert statement["says"] == "Minimax is stronger than PPO V3"
    assert statement["holds"] is None  # two games decide nothing
    # And as text.
    lines = flat(four.out)
    assert "Table 1: percent of games that the column wins against the row" in lines
    head = next(line for line in four.out.splitlines() if line.split() == ["PPO", "V3", "Minimax"])
    row = next(line for line in four.out.splitlines() if line.startswith("  PPO V3  "))
    assert row.index("%") > head.index("Minimax")  # under the column that it is of
    assert any(
        line.startswith("Minimax is stronger than PPO V3 +50 % =50 % -0 %") for line in lines
    )
    assert "4 games in a pair, from random:plies=4,balance=0.3 openings" in " ".join(lines)
    assert max(map(len, four.out.splitlines())) <= 120


def test_the_shipped_curves_are_printed_and_drawn(playproof: Playproof, tmp_path: Path) -> None:
    picture = tmp_path / "curves.svg"
    answer = playproof("paper", "chokozero", "--only", "curves", "--svg", str(picture))
    assert (answer.code, answer.err) == (0, f"drew {picture}\n")
    lines = flat(answer.out)
    assert any(line.startswith("PPO V1 5,000 ") and line.endswith("3.41 %") for line in lines)
    assert any(line.startswith("V1: wins stay ahead of losses") for line in lines)
    drawn = picture.read_text()
    for title in ("DQL", "PPO V1 (Figure 1)", "PPO V2 (Figure 2)", "PPO V3 (Figure 3)", "PPO+"):
        assert f">{title}<" in drawn


def test_the_curves_of_runs_are_printed(playproof: Playproof, tmp_path: Path) -> None:
    write_run(tmp_path / "one", metrics(10), preset="choko-ppo-v1", seed=1)
    write_run(tmp_path / "two", metrics(10), preset="choko-ppo-v1", seed=2)
    answer = playproof("paper", "chokozero", "--only", "curves", "--runs", str(tmp_path), "--json")
    first, second = answer.json()["curves"]
    assert (first["seed"], second["seed"]) == (1, 2)
    assert first["clipped"] == pytest.approx(0.05)
    assert first["tenths"][9] == {"wins": 10, "draws": 5, "losses": 5}


def test_the_data_of_the_curves_is_made(playproof: Playproof, tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "one", metrics(10), preset="choko-ppo-v2")
    file = tmp_path / "curves.json"
    words = ["paper", "chokozero", "--make-curves", str(tmp_path / "runs"), "--out", str(file)]
    assert playproof(*words).code == 0
    assert "[5, 0.05, [10, 5, 5], [20, 0, 0]],\n[10," in file.read_text()
    write_run(tmp_path / "runs" / "again", metrics(10), preset="choko-ppo-v2", seed=2)
    refused = playproof(*words)
    assert (refused.code, "two runs of choko-ppo-v2" in refused.err) == (3, True)


def test_openings_and_times_are_printed(
    playproof: Playproof, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chokozero_openings, "FEW_GAMES", 4)
    monkeypatch.setattr(chokozero_times, "FEW_POSITIONS", 2)
    words = ["paper", "chokozero", "--only", "openings", "--only", "times", "--quick"]
    answer = playproof(*words, "--agent", "v1", "--agent", "minimax")
    assert (answer.code, answer.err) == (0, "seed 1\n")
    lines = flat(answer.out)
    assert any(line.startswith("PPO V1 4 ") for line in lines)
    assert not any(line.startswith("PPO V2 4 ") for line in lines)  # was not asked for
    assert any(line.startswith("Minimax ") and "about 3 s" in line for line in lines)
    assert any(line.startswith("PPO V3 180,738 180,738 ") for line in lines)
    answer = playproof(*words, "--agent", "v1", "--agent", "minimax", "--json").json()
    (opened,) = answer["openings"]
    assert sum(opened["plies"][0].values()) == pytest.approx(1.0)
    assert all(one["positions"] == 2 for one in answer["times"])


def test_the_letter_of_the_text_in_small(playproof: Playproof, tmp_path: Path) -> None:
    words = ["paper", "chokozero", "--only", "letter", "--games", "2", "--workers", "1"]
    words += ["--file", str(tmp_path / "games.sqlite")]
    words += ["--agent", "points", "--agent", "v1", "--agent", "pgts"]
    answer = playproof(*words)
    assert answer.code == 0, answer.err
    assert "seed 1, games in" in answer.err
    lines = flat(answer.out)
    assert "The letter of the text: other readings of Minimax and PGTS" in lines
    assert any(line.startswith("Minimax, points +") for line in lines)
    assert any("p +100 =0 -0" in line for line in lines)
    assert max(map(len, answer.out.splitlines())) <= 120
    again = playproof(*words, "--json")
    assert "6 of 6 games are there already" in again.err
    letter = again.json()["letter"]
    for part in ("openings", "empty_board"):
        points = next(r for r in letter[part]["readings"] if r["agent"] == "Minimax, points")
        assert [pair["two"] for pair in points["comparisons"]] == ["PGTS", "PPO V1"]
        (pair,) = letter[part]["pgts_and_minimax"]
        assert pair["paper"] == [15, 85, 0]
        assert sum(pair["percent"]) == pytest.approx(100.0)


@pytest.mark.slow
def test_nets_are_trained_first(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chokozero_train, "settings", tiny)
    words = ["paper", "chokozero", "--train", str(tmp_path / "runs"), "--games", "2"]
    words += ["--only", "curves", "--only", "empty", "--agent", "v1", "--agent", "v2", "--json"]
    answer = playproof(*words)
    assert f"choko-ppo-plus: 2 iterations in {tmp_path / 'runs' / 'choko-ppo-plus'}" in answer.err
    assert {course["iterations"] for course in answer.json()["curves"]} == {2}
    assert len(answer.json()["empty_board"]["table"]) == 2
    refused = playproof(*words, "--seed", "77")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "holds a run with other settings" in refused.err


def test_claims_are_printed(playproof: Playproof, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_sizes = claims.ClaimSizes(games=2, per_family=3, yardstick=6, searched=2, quick=True)
    monkeypatch.setattr(claims, "QUICK", tiny_sizes)
    words = ["paper", "chokozero", "--only", "claims", "--quick", "--seed", "2"]
    answer = playproof(*words)
    assert (answer.code, answer.err) == (0, "seed 2\n")
    text = " ".join(answer.out.split())
    assert "secure-capture (section 4.3): “our PPO V2 agent consistently eliminated" in text
    assert "Of 4 claims with the word consistently, 0 deserve it." in text
    assert "Section 4.2: --only curves" in text
    assert any(line.startswith("PPO V2, test set ") for line in flat(answer.out))
    assert max(map(len, answer.out.splitlines())) <= 120
    data = playproof(*words, "--json").json()["claims"]
    assert (data["seed"], data["games"]) == (2, 2)
    verdicts = {claim["name"]: claim["verdict"] for claim in data["claims"]}
    assert verdicts["corners-jumped"] == verdicts["single-action"] == "holds"
    assert verdicts["corners-captured"] == "does not hold"
    assert verdicts["against-humans"] == "cannot be tested"


def test_the_claims_of_other_nets(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nets: list[dict[str, str]] = []

    def assess(files: dict[str, str], **options: object) -> claims.Assessment:
        nets.append(files)
        return claims.Assessment(1, claims.QUICK, claims.UNTESTED)

    monkeypatch.setattr(chokozero_experiments, "assess", assess)
    write_run(tmp_path / "one", metrics(3), preset="choko-ppo-v3")
    net = tmp_path / "one" / "net.safetensors"
    net.write_bytes(b"")
    words = ["paper", "chokozero", "--runs", str(tmp_path)]
    answer = playproof(*words, "--only", "claims")
    assert answer.code == 0
    assert answer.err == f"seed 1\nchoko-ppo-v3: {net}\n"
    assert nets == [{"choko-ppo-v3": str(net)}]
    refused = playproof(*words, "--only", "times")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "--runs is for curves and claims: add --only curves or --only claims" in refused.err
    refused = playproof("paper", "chokozero", "--runs", str(tmp_path / "no"), "--only", "claims")
    assert (refused.code, "there is no folder" in refused.err) == (3, True)
