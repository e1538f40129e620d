"""The chess paper's pipeline at its smallest, from games to Elo."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof import UsageError
from playproof.agents.engines.process import find_program
from playproof.cli.main import main
from playproof.formats import pgn
from playproof.nets.files import load
from playproof.papers import rl_chess
from tests.support.arena.players_here import players_here

USAGE = 2
TINY = replace(
    rl_chess.QUICK,
    games=12,
    plies=24,
    imitation=rl_chess.QUICK.imitation | {"iterations": "1", "steps": "2", "evaluate_every": "1"},
    self_play=rl_chess.QUICK.self_play
    | {"iterations": "1", "cycles": "24", "ply_limit": "8", "evaluate_every": "1"}
    | {"evaluation_games": "2", "evaluation_simulations": "2"},
    rated_games=2,
)


def test_games_of_our_own_are_games() -> None:
    text = rl_chess.make_games(3, 20, 5)
    assert text == rl_chess.make_games(3, 20, 5)
    assert text != rl_chess.make_games(3, 20, 6)
    for number in (1, 2, 3):
        state, record = pgn.read(text, number=number)
        assert len(state.actions) <= 20
        assert record.result in ("1-0", "1/2-1/2", "0-1")


@pytest.mark.slow
def test_the_pipeline_runs_to_its_end_and_is_not_run_twice(tmp_path: Path) -> None:
    parts: list[str] = []
    net = tmp_path / "self-play" / "net.safetensors"
    with players_here():
        found = rl_chess.run(tmp_path, TINY, seed=2, on_progress=parts.append)
        kept = load(net).weights
        again = rl_chess.run(tmp_path, TINY, seed=2)
    told = {(figure.part, figure.what): figure for figure in found}
    assert told["data", "games"].here == "12 of our own"
    assert told["data", "games"].paper.startswith("1,183,411")
    assert told["self-play", "cycles between updates"].here == "24"
    assert told["self-play", "cycles between updates"].paper == "50,000"
    assert told["self-play", "states in all"].paper == "1,000,000"
    if find_program("stockfish"):
        assert told["Elo", "games"].here == "2"
        assert parts[-1] == "Elo"
    # What is finished is found again: the same figures and weights.
    assert [figure for figure in again if figure.part != "Elo"] == [
        figure for figure in found if figure.part != "Elo"
    ]
    np.testing.assert_array_equal(load(net).weights, kept)
    assert load(net).observation == "paper-13"


def test_the_command_wants_to_know_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("paper", "rl-chess")) == USAGE
    assert "want --quick, or --data DIR" in capsys.readouterr().err
    assert main(("paper", "rl-chess", "--data", "somewhere")) == USAGE
    assert "--out DIR" in capsys.readouterr().err


def test_the_command_tells_json(monkeypatch: pytest.MonkeyPatch, capsys, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from playproof.cli.papers.rl_chess import rl_chess as command

    monkeypatch.setattr(
        rl_chess, "run", lambda *given, **more: [rl_chess.Figure("a", "b", "c", "d")]
    )
    command(quick=True, out=tmp_path, seed=3, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found == {
        "seed": 3,
        "figures": [{"part": "a", "what": "b", "paper": "c", "here": "d"}],
    }
    command(quick=True, out=tmp_path, seed=3)
    assert "paper   here" in capsys.readouterr().out


def test_sizes_are_changed_by_part() -> None:
    found = rl_chess.apply_changes(
        rl_chess.FULL, {"imitation.iterations": "75", "self-play.cycles": "9", "games": "100"}
    )
    assert found.imitation == {"iterations": "75"}
    assert found.self_play == {"cycles": "9"}
    assert (found.level, found.rated_games) == (2000, 100)
    assert rl_chess.FULL.imitation == {}
    for name in ("iterations", "games.x", "other.key", "imitation."):
        with pytest.raises(UsageError, match=r"want imitation\.KEY, self-play\.KEY, level or"):
            rl_chess.apply_changes(rl_chess.FULL, {name: "1"})
