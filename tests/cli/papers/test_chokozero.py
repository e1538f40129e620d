"""``playproof paper chokozero`` from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.papers.choko_solved import sample_games as choko_games
from tests.support.cli.running import Answer

USAGE, DATA = 2, 3
Playproof = Callable[..., Answer]


def test_the_solve_as_text(playproof: Playproof) -> None:
    answer = playproof("paper", "chokozero", "--truth")
    assert (answer.code, answer.err) == (0, "")
    for heading in (
        "Who wins?",
        "The best line",
        "What is a first placement worth? Are corners best?",
        "The initiative is worth more than two pieces",
        "How often does play throw the win away?",
        "The longest wins",
        "How often is it drawn?",
        "Endings that nobody expects",
    ):
        assert f"\n{heading}\n{'=' * len(heading)}\n" in answer.out
    assert "in 59 actions" in answer.out
    assert "30. E4xE2,D4" in answer.out
    assert " 4  61  69  67  69  61\n" in answer.out
    assert "54.79/22.50/22.71   54.79/22.50/22.71   201/200   201/200" in answer.out
    assert "56.12/27.68/16.21   56.1/27.7/16.2   245/242   245/242" in answer.out
    assert answer.out.count("A  B  C  D  E") == 4 + 1 + 1 + 3  # boards with pieces
    assert max(map(len, answer.out.splitlines())) <= 120
    assert "…" not in answer.out


def test_the_solve_as_json(playproof: Playproof) -> None:
    answer = playproof("paper", "chokozero", "--truth", "--json").json()
    for reading in ("off", "on"):
        assert answer["lone_jump"][reading]["value"] == 59
        assert answer["lone_jump"][reading]["first_placements"]["B2"] == 69
    assert answer["lone_jump"]["off"]["hands"]["0"]["longest_win"] == 201
    assert answer["lone_jump"]["off"]["wrong"] == 0
    assert len(answer["line"]) == 59
    assert answer["replies"]["A1"] == ["A5", "E1", "E5"]
    assert answer["endings"]["2v2"]["draws"] == 50_188
    assert answer["longest"]["7"]["actions"] == 205
    assert len(answer["upsets"]) == 38
    assert answer["games"]["random"]["threw"] == 200
    assert {row["kind"] for row in answer["moves"]} == {"corner", "edge", "inner", "step", "jump"}


def test_the_first_placements_as_a_picture(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "first.svg"
    answer = playproof("paper", "chokozero", "--truth", "--svg", str(file), "--json")
    assert (answer.code, answer.err) == (0, f"drew {file}\n")
    picture = file.read_text()
    assert [picture.count(f">{n}<") for n in (59, 61, 67, 69)] == [4, 12, 5, 4]


def test_the_positions_to_query(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choko_games, "sample_positions", list)
    monkeypatch.setattr(choko_games, "PLAYERS", ())
    file = tmp_path / "asked.txt"
    answer = playproof("paper", "chokozero", "--positions", str(file))
    assert (answer.code, answer.err) == (0, f"627 positions in {file}\n")
    assert len(file.read_text().splitlines()) == 627


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--truth", "--positions", "x"], USAGE, "--truth and --positions FILE cannot be combined"),
        (["--make-truth", "a", "b", "c"], USAGE, "--make-truth OFF ON ANSWERS and --out FILE go"),
        (["--make-curves", "a"], USAGE, "--make-curves FOLDER and --out FILE go together"),
        (["--make-curves", "no", "--out", "x"], DATA, "there is no folder no"),
        (["--make-curves", ".", "--out", "x"], DATA, ". holds no run of ChokoZero"),
        (["--positions", "no/such/folder/x"], DATA, "no/such/folder/x"),
        (["--make-truth", "no.json", "b", "c", "--out", "x"], DATA, "no.json cannot be read"),
        (["--truth", "--svg", "no/such/folder/x.svg"], DATA, "cannot be written"),
        (["--json", "--positions", "x"], USAGE, "--json means nothing with --positions FILE"),
        (["--svg", "y", "--positions", "x"], USAGE, "--svg means nothing with --positions FILE"),
        (["--truth", "--games", "4"], USAGE, "--games means nothing with --truth"),
        (["--truth", "--out", "x"], USAGE, "--out means nothing with --truth"),
        (["--only", "figures"], USAGE, "there is no part 'figures': want table, empty, curves"),
        (["--agent", "v9", "--agent", "v1"], USAGE, "there is no agent 'v9' here: want pgts, v3"),
        (["--only", "letter", "--agent", "plus"], USAGE, "no agent 'plus' in this part: want"),
        (["--only", "letter", "--agent", "v1"], USAGE, "these agents do not meet"),
        (["--only", "letter", "--only", "table", "--agent", "v1"], USAGE, "agents of its own"),
        (["--agent", "v1"], USAGE, "one agent has no opponent: name two or more"),
        (["--games", "3", "--agent", "v1", "--agent", "v2"], USAGE, "want an even number"),
        (["--only", "curves", "--svg", "x.pdf"], USAGE, "a name that ends with .svg or .png"),
        (["--only", "curves", "--svg", "no/such/x.svg"], DATA, "no/such/x.svg"),
        (["--only", "curves", "--runs", "no"], DATA, "there is no folder no"),
        (["--only", "times", "--runs", "no"], USAGE, "--runs is for curves and claims"),
        (["--runs", "a", "--train", "b"], USAGE, "leave out --runs"),
        (["--device", "cuda"], USAGE, "--device says where nets are trained: add --train"),
    ],
)
def test_wrong_options_are_reported_in_one_line(
    playproof: Playproof,
    words: list[str],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = playproof("paper", "chokozero", *words)
    assert (answer.code, answer.err.count("\n")) == (code, 1), answer.err
    assert message in answer.err
    assert list(tmp_path.iterdir()) == []
