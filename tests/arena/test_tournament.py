"""Tournaments: the same table however it is played; its players are in this process."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from playproof import UsageError
from playproof.arena.database import GameDatabase
from playproof.arena.standings import Standings
from playproof.arena.statistics.sprt import Sprt
from playproof.arena.tournament import MatchConfig, Tournament, _Schedule, match, tournament

pytestmark = pytest.mark.usefixtures("here")


def play(folder: Path, name: str = "games.sqlite", **config: object) -> Standings:
    settings: dict[str, object] = {"seed": 5, "workers": 1, **config}
    games = settings.pop("games", 12)
    players = settings.pop("players", ["random", "greedy"])
    game = settings.pop("game", "othello:size=4")
    return tournament(game, players, games, path=folder / name, **settings)  # type: ignore[arg-type]


def test_the_table_does_not_depend_on_batch_or_workers(tmp_path: Path) -> None:
    one = play(tmp_path, "a", batch=1)
    two = play(tmp_path, "b", batch=64, workers=2)
    assert one.to_json() == two.to_json()
    assert one.scores[0, 1].games == 12
    with GameDatabase(tmp_path / "a") as a, GameDatabase(tmp_path / "b") as b:
        first, second = ({k.record.to_json() for k in store.find()} for store in (a, b))
    assert first == second
    assert len(first) == 12


def test_together_is_all_at_once_from_the_first_job_on(tmp_path: Path) -> None:
    with GameDatabase(tmp_path / "games") as store:
        for together, first in ((False, 2), (True, 5)):
            config = MatchConfig(pairs=9, seed=1, batch=5, together=together)
            prepared = Tournament.prepare("othello:size=4", ["random", "greedy"], config, store)
            job = _Schedule(prepared, prepared._openings())._next_job()
            assert job is not None
            assert len(job[1]) == first
    assert play(tmp_path, "a", together=True).to_json() == play(tmp_path, "b").to_json()


def test_another_seed_is_another_tournament(tmp_path: Path) -> None:
    play(tmp_path, seed=5)
    play(tmp_path, seed=6)
    with GameDatabase(tmp_path / "games.sqlite") as store:
        found = store.find()
    assert len(found) == 24
    assert len({kept.record.moves for kept in found}) > 20  # a small board has few games


def test_more_games_go_on_where_fewer_ended(tmp_path: Path) -> None:
    few = play(tmp_path, games=6)
    with GameDatabase(tmp_path / "games.sqlite") as store:
        before = [k.record.to_json() for k in store.find()]
    many = play(tmp_path, games=12)
    with GameDatabase(tmp_path / "games.sqlite") as store:
        after = [k.record.to_json() for k in store.find()]
    assert after[:6] == before
    assert many.to_json() == play(tmp_path, "other", games=12).to_json()
    assert play(tmp_path, games=6).to_json() == few.to_json()  # and fewer are still fewer


def test_a_finished_tournament_is_told_and_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = play(tmp_path)
    monkeypatch.setattr("playproof.arena.tournament.play", None)
    assert play(tmp_path).to_json() == before.to_json()


def test_without_a_seed_a_killed_run_goes_on_and_a_finished_one_does_not(tmp_path: Path) -> None:
    with GameDatabase(tmp_path / "games.sqlite") as store:

        def prepare() -> Tournament:
            return Tournament.prepare("othello:size=4", ["random", "greedy"], MatchConfig(4), store)

        killed = prepare()
        assert not killed.resumed
        # What a kill leaves behind: a run that was begun.
        request = {"players": ["random", "greedy"], "pairs": 4, "sprt": None}
        store.start_run(killed.event, request)
        again = prepare()
        assert again.resumed
        assert again.event == killed.event
        again.run()
        fresh = prepare()
        assert not fresh.resumed
        assert fresh.event.seed != killed.event.seed


def test_a_player_may_meet_itself(tmp_path: Path) -> None:
    found = play(tmp_path, players=["greedy", "greedy", "greedy"], games=4)
    assert found.players == ["greedy", "greedy (2)", "greedy (3)"]
    assert set(found.scores) == {(0, 1), (0, 2), (1, 2)}


def test_specs_are_written_in_one_way(tmp_path: Path) -> None:
    found = play(tmp_path, players=["mcts:simulations=800,time=0", "random"], games=2)
    assert found.players == ["mcts", "random"]


def test_sides_are_swapped_within_a_pair(tmp_path: Path) -> None:
    play(tmp_path, games=8)
    with GameDatabase(tmp_path / "games.sqlite") as store:
        found = store.find()
    for one, two in zip(found[::2], found[1::2], strict=True):
        assert (one.first, one.second) == (two.second, two.first)
        assert one.opening == two.opening
    assert len({kept.opening for kept in found}) == 4


def test_a_sequential_test_stops_early_and_counts_up_to_the_decision(tmp_path: Path) -> None:
    sprt = Sprt(0.0, 200.0)
    config = {"game": "choko", "players": ["greedy", "random"], "games": 200, "sprt": sprt}
    found = play(tmp_path, **config)
    score = found.scores[0, 1]
    assert found.verdict == "accept H1"
    assert score.games < 100
    # The same whatever was under way when it was decided.
    other = play(tmp_path, "other", batch=1, workers=2, **config)
    assert other.to_json() == found.to_json()
    assert found.to_json()["sprt"]["decision"] == "accept H1"


def test_a_sequential_test_of_equals_accepts_the_other(tmp_path: Path) -> None:
    config = {"players": ["random", "random"], "games": 400, "sprt": Sprt(0.0, 150.0)}
    assert play(tmp_path, game="othello:size=6", **config).verdict == "accept H0"


def test_a_changed_book_is_another_event(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    for moves in ("b1a1", "b1c1"):
        book.write_text(f"{moves}\n")
        play(tmp_path, games=2, openings=f"{book}:balance=1")
        with GameDatabase(tmp_path / "games.sqlite") as store:
            assert [kept.opening for kept in store.find(limit=2)] == [moves] * 2


def test_hostile_agents_do_not_stop_a_tournament(tmp_path: Path) -> None:
    players = ["random", "raising", "illegal", "killing"]
    found = play(tmp_path, players=players, games=4, game="othello:size=6", limit=20.0)
    assert all(score.games == 4 for score in found.scores.values())
    culprits = {reason.split()[0] for reason in found.failures}
    assert culprits == {"raising", "illegal", "killing"}
    with GameDatabase(tmp_path / "games.sqlite") as store:
        failed = store.find(failed=True)
    assert sum(found.failures.values()) == len(failed)
    assert {k.record.reason for k in failed} == set(found.failures)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"players": ["greedy"]}, "1 players cannot meet: name two or more"),
        ({"players": ["greedy", "gredy"]}, "there is no agent 'gredy'; did you mean greedy?"),
        ({"players": ["human", "greedy"]}, "human plays in 'playproof play', not in matches"),
        ({"games": 3}, "3 games cannot be played in pairs: want an even number from 2"),
        ({"games": 0}, "0 games cannot be played in pairs"),
        ({"limit": 0.0}, "a limit of 0 s for a move: want more than 0"),
        ({"limit": math.nan}, "a limit of nan s for a move"),
        ({"seed": -1}, "a seed of -1: want a whole number from 0, below 2^63"),
        ({"seed": 2**63}, "a seed of 9223372036854775808: want"),
        ({"workers": 0}, "0 workers cannot work"),
        ({"openings": "no.book"}, "there is no book no.book"),
        ({"openings": "random:depth=3"}, "random has no option 'depth'"),
        ({"game": "chequers"}, "there is no game 'chequers'"),
        ({"players": ["mcts:simulations=-1", "greedy"]}, "simulations"),
        (
            {"players": ["random"] * 3, "sprt": Sprt(0, 5)},
            "a sequential test compares 2 players, not 3",
        ),
    ],
)
def test_a_wrong_wish_is_refused_before_a_game_is_played(
    tmp_path: Path, wrong: dict[str, object], line: str
) -> None:
    with pytest.raises(UsageError) as refused:
        play(tmp_path, **wrong)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)
    with GameDatabase(tmp_path / "games.sqlite") as store:
        assert store.find() == []


def test_a_match_is_a_tournament_of_two(tmp_path: Path) -> None:
    found = match("othello:size=4", "greedy", "random", 4, path=tmp_path / "m", seed=1, workers=1)
    assert found.players == ["greedy", "random"]
    assert list(found.scores) == [(0, 1)]
