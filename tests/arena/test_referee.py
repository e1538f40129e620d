"""The referee: games that do not depend on their company, and agents that do not spoil them.

Where not said otherwise the players sit in this process, without a process to lose.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof import PlayproofError, UsageError
from playproof.arena.database import GameDatabase
from playproof.arena.referee import FinishedGame, GameTask, MatchJob, Player, play
from playproof.core import registry
from tests.support.arena import coin_game, hostile
from tests.support.arena.players_here import Here
from tests.support.toys.coin import Coin

here = pytest.mark.usefixtures("here")


def job(game: str, one: str, two: str, games: int, limit: float = 30.0) -> MatchJob:
    players = tuple(
        Player(label, spec, seed) for label, spec, seed in ((one, one, 1), (two, two, 2))
    )
    tasks = tuple(GameTask(i // 2, i % 2, 100 + i, None, ()) for i in range(games))
    modules = (hostile.__name__,)
    return MatchJob(game, players, (0, 1), tasks, limit, patience=60.0, modules=modules)


def part(of: MatchJob, begin: int, end: int) -> MatchJob:
    return MatchJob(of.game, of.players, of.seats, of.tasks[begin:end], of.limit, 60.0, of.modules)


@here
@pytest.mark.parametrize(
    ("game", "one", "two"),
    [
        ("othello:size=4", "greedy", "mcts:simulations=20"),
        ("choko", "alphabeta:depth=2", "random"),
        ("othello", "mcts:simulations=10,temperature=1", "greedy"),
    ],
)
def test_a_game_is_the_same_alone_and_in_company(game: str, one: str, two: str) -> None:
    whole = job(game, one, two, 8)
    together = play(whole)
    assert [p.record for p in play(part(whole, 0, 3)) + play(part(whole, 3, 8))] == [
        p.record for p in together
    ]
    alone = [play(part(whole, i, i + 1))[0].record for i in (1, 6)]
    assert alone == [together[1].record, together[6].record]


@here
def test_every_record_replays_to_its_result() -> None:
    for game in ("othello:size=6", "choko"):
        for played in play(job(game, "random", "greedy", 12)):
            state = played.record.replay()
            assert state.outcome == played.result
            first, second = ("random", "greedy") if played.task.leg == 0 else ("greedy", "random")
            assert played.players == played.record.players == (first, second)


@here
def test_an_opening_is_played_before_the_players_begin() -> None:
    tasks = (GameTask(0, 0, 5, None, ("f5", "d6")), GameTask(0, 1, 6, None, ("f5", "f6")))
    base = job("othello", "random", "greedy", 2)
    games = play(MatchJob(base.game, base.players, base.seats, tasks, 30.0))
    assert [p.record.moves[:2] for p in games] == [("f5", "d6"), ("f5", "f6")]
    assert all(p.record.replay().is_terminal for p in games)


def sound_and_lost(
    played: list[FinishedGame], culprit: str
) -> tuple[list[FinishedGame], list[FinishedGame]]:
    lost = [p for p in played if p.reason is not None]
    for p in lost:
        # Only the culprit loses by a reason, and the record says so.
        assert p.players[0 if p.result == -1 else 1] == culprit
        assert p.record.reason == p.reason
        assert p.record.result == {1: "1-0", -1: "0-1"}[p.result]
        assert not p.record.replay().is_terminal
        assert p.task.seed % 2 == 0
    sound = [p for p in played if p.reason is None]
    assert all(p.record.replay().is_terminal for p in sound)
    return sound, lost


@here
@pytest.mark.parametrize(
    ("culprit", "reason"),
    [
        ("raising", "raising raised ValueError: no idea what to do"),
        ("hanging", "hanging gave no answer within 30 s"),
        ("killing", "killing ended its process by SIGKILL"),
        ("exiting", "exiting ended its process with exit code 7"),
        ("short", "short gave 0 answers to 1 positions"),
        ("illegal:answer=none", "illegal:answer=none answered None, which is no action"),
        ("illegal:answer=text", "illegal:answer=text answered f5, which is no action"),
        ("illegal:answer=far", "illegal:answer=far answered 1000000000, which is no action"),
    ],
)
def test_a_hostile_agent_loses_its_game_and_no_other(culprit: str, reason: str) -> None:
    whole = job("othello:size=6", culprit, "random", 4)
    sound, lost = sound_and_lost(play(whole), culprit)
    assert {p.task.seed for p in lost} == {100, 102}
    assert {p.reason for p in lost} == {reason}
    # The sound games are what they are without the others.
    odd = MatchJob(whole.game, whole.players, (0, 1), whole.tasks[1::2], 30.0, 60.0, whole.modules)
    assert [p.record for p in play(odd)] == [p.record for p in sound]


@here
def test_who_loses_the_process_does_not_cost_the_other_its_time() -> None:
    # To get ready again takes the other longer than a move may.
    whole = job("othello:size=6", "killing", "tardy", 4, 1.2)
    _, lost = sound_and_lost(play(whole), "killing")
    assert len(lost) == 2


@pytest.mark.slow
def test_processes_are_lost_with_one_game_each() -> None:
    """In a process of their own: one dies, the other hangs, and the third game is played on."""
    base = job("othello:size=6", "killing", "hanging", 2, 2.0)
    tasks = (*base.tasks, GameTask(1, 1, 102, None, ()))
    sound, hung = {101: None}, "hanging gave no answer within 2 s"
    lost = {100: "killing ended its process by SIGKILL", 102: hung}
    games = play(MatchJob(base.game, base.players, (0, 1), tasks, 2.0, 60.0, base.modules))
    assert {p.task.seed: p.reason for p in games} == sound | lost
    assert [p.players[0 if p.result == -1 else 1] for p in games if p.reason] == [
        "killing", "hanging",
    ]  # fmt: skip
    assert games[1].record.replay().is_terminal


@here
def test_many_positions_may_take_longer_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Here, "starts", 0)
    played = play(job("othello:size=4", "pensive", "random", 4, 1.3))
    assert [p.reason for p in played] == [None] * 4
    assert Here.starts == 2  # killed over two positions at once, and never again


@here
def test_a_reason_is_one_short_line_whatever_the_error_says(tmp_path: Path) -> None:
    played = play(job("othello:size=6", "cursing", "random", 4))
    _, lost = sound_and_lost(played, "cursing")
    for p in lost:
        assert p.reason is not None
        assert p.reason.startswith("cursing raised ValueError: \N{REPLACEMENT CHARACTER}")
        assert p.reason.isprintable()
        assert len(p.reason) < 400
    with GameDatabase(tmp_path / "games.sqlite") as store:  # a file takes it
        store.add(store.event("othello:size=6", "random", 1), "cursing", "random", played,
                  {0: "", 1: ""})  # fmt: skip
        assert len(store.find(failed=True)) == len(lost)


@here
def test_an_answer_that_cannot_be_named_is_a_failure() -> None:
    _, lost = sound_and_lost(play(job("othello:size=6", "unspeakable", "random", 2)), "unspeakable")
    assert [p.reason for p in lost] == ["unspeakable raised RuntimeError: no name"]


@here
def test_an_illegal_move_is_named() -> None:
    played = play(job("choko", "random", "illegal", 4))
    _, lost = sound_and_lost(played, "illegal")
    assert lost
    for p in lost:
        assert p.reason is not None
        prefix = "illegal answered the illegal move "
        assert p.reason.startswith(prefix)
        state = p.record.replay()
        assert p.reason.removeprefix(prefix) not in state.legal_names()


@here
def test_an_agent_that_dies_while_it_is_made_loses_alone() -> None:
    played = play(job("othello:size=4", "random", "unmakeable", 2))
    assert [p.reason for p in played] == ["unmakeable ended its process with exit code 3"] * 2
    assert [p.result for p in played] == [1, -1]


@here
def test_an_agent_with_a_wrong_option_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match=r"^mcts:simulations=0: "):
        play(job("othello:size=4", "mcts:simulations=0", "random", 2))


@here
def test_a_module_that_is_not_there_is_named() -> None:
    base = job("othello:size=4", "random", "greedy", 2)
    lacking = MatchJob(base.game, base.players, (0, 1), base.tasks, 30.0, 60.0, ("no_such_module",))
    with pytest.raises(PlayproofError, match=r"the module no_such_module, .* install it there"):
        play(lacking)


def test_what_an_agent_prints_stays_off_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    play(job("othello:size=4", "shouting", "random", 2))
    assert "I think" not in capfd.readouterr().out


@here
def test_chance_moves_are_the_referees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._registered, "coin", Coin)
    base = job("coin", "random", "greedy", 8)
    games = play(
        MatchJob(
            base.game,
            base.players,
            (0, 1),
            base.tasks,
            30.0,
            60.0,
            (coin_game.__name__,),
        )
    )
    assert all(p.record.replay().is_terminal for p in games)
    assert any({"heads", "tails"} & set(p.record.moves) for p in games)
