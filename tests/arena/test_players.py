"""Players that are no spec strings: agents and classes that live in this process."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from playproof import Agent, Batch, Decision, UsageError, make, make_agent
from playproof.arena.database import GameDatabase
from playproof.arena.standings import Standings
from playproof.arena.tournament import match, tournament
from tests.support.cli.running import environment
from tests.support.toys.coin import Coin

pytestmark = pytest.mark.usefixtures("here")
GAME = "othello:size=4"


class Fickle(Agent):
    """Plays the n-th legal move, whatever n is: an object that its spec says nothing of."""

    name = "fickle"
    summary = "the n-th legal move"

    def __init__(self, game: object, *, n: int = 0, seed: int = 0) -> None:
        super().__init__(make(GAME) if game is None else game, seed=seed)  # type: ignore[arg-type]
        self.n, self.asked = n, 0

    def choose(self, batch: Batch) -> list[Decision]:
        self.asked += 1
        if self.n < 0:
            raise ValueError("no such move")
        legal = [batch[row].legal_actions() for row in range(len(batch))]
        return [Decision(actions[self.n % len(actions)]) for actions in legal]


def play(folder: Path, *players: object, games: int = 4) -> Standings:
    return tournament(
        make(GAME),
        players,  # type: ignore[arg-type]
        games,
        path=folder / "games.sqlite",
        seed=1,
    )


def test_objects_classes_and_specs_meet(tmp_path: Path) -> None:
    mine = Fickle(make(GAME), n=1)
    found = play(tmp_path, mine, Fickle, make_agent("greedy", GAME), "random")
    assert found.players == ["fickle", "fickle (2)", "greedy", "random"]
    assert {score.games for score in found.scores.values()} == {4}
    assert mine.asked > 10
    assert not found.failures


def test_an_objects_games_are_not_another_ones(tmp_path: Path) -> None:
    first = play(tmp_path, Fickle(make(GAME), n=0), "random")
    second = play(tmp_path, Fickle(make(GAME), n=1), "random")
    with GameDatabase(tmp_path / "games.sqlite") as store:
        assert len(store.find()) == 8
    assert [one.games for one in second.reuse] == [0]
    assert second.reuse[0].others == 4
    assert first.players == second.players
    # Of a class the source is known: an unchanged one goes on.
    play(tmp_path, Fickle, "random")
    assert [one.games for one in play(tmp_path, Fickle, "random").reuse] == [4, 4]


def test_an_object_that_raises_loses(tmp_path: Path) -> None:
    found = play(tmp_path, Fickle(make(GAME), n=-1), "random")
    assert found.scores[0, 1].losses == 4
    assert found.failures == {"fickle raised ValueError: no such move": 4}


def test_an_object_that_is_slow_loses(tmp_path: Path) -> None:
    agent = Fickle(make(GAME))
    found = match(GAME, agent, "random", 2, path=tmp_path / "games", seed=1, limit=1e-9)
    assert found.scores[0, 1].losses >= 1
    assert any("fickle gave its answer after" in reason for reason in found.failures)


def test_a_game_that_nobody_registered_is_played(tmp_path: Path) -> None:
    found = match(Coin(), "random", "random", 4, path=tmp_path / "games", seed=1)
    assert found.scores[0, 1].games == 4
    assert found.game == "coin"


@pytest.mark.parametrize(
    ("player", "says"),
    [
        (make_agent("greedy", "choko"), "greedy was made for choko, not for othello:size=4"),
        (7, "a player is a spec such as .* or an Agent, not a value of type int"),
        (make_agent("human", GAME), "plays in 'playproof play', not in matches"),
    ],
)
def test_who_cannot_play_is_one_line(tmp_path: Path, player: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        play(tmp_path, player, "random")


def test_objects_do_not_travel(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot play on a cluster"):
        match(GAME, Fickle, "random", 2, path=tmp_path / "games", cluster="local")


def test_print_shows_a_match_and_a_table(tmp_path: Path) -> None:
    lines = str(play(tmp_path, "random", "greedy")).splitlines()
    assert lines[0] == "random against greedy, 4 games of othello:size=4"
    assert lines[1].startswith("score   ")
    lines = str(play(tmp_path, "random", "greedy", "mcts:simulations=20")).splitlines()
    assert lines[0] == "othello:size=4, 3 players, 12 games, seed 1"
    assert lines[2].split() == ["player", "Elo", "points", "1", "2", "3"]
    assert [line.split()[0] for line in lines[3:6]] == ["1", "2", "3"]
    assert {line.split()[1] for line in lines[3:6]} == {"random", "greedy", "mcts:simulations=20"}
    assert all(line.count(" %") == 2 for line in lines[3:6])
    assert lines[6:] == ["reuses 4 games of random", "reuses 4 games of greedy"]


@pytest.mark.slow
def test_an_agent_of_a_prompt_plays(tmp_path: Path) -> None:
    """As in a notebook: its class is in a main module that has no file."""
    session = f"""
        import playproof
        from playproof.arena.tournament import match

        @playproof.register_agent
        class First(playproof.Agent):
            name, summary = "first", "the first legal move"

            def choose(self, batch):
                rows = range(len(batch))
                return [playproof.Decision(batch[row].legal_actions()[0]) for row in rows]

        for player in ("first", First, First(playproof.make("{GAME}"))):
            found = match("{GAME}", player, First, 2, path={str(tmp_path / "games")!r}, seed=1)
            print(found.scores[0, 1].games, found.failures)
    """
    said = subprocess.run(
        [sys.executable, "-"], input=textwrap.dedent(session), text=True, capture_output=True,
        env=environment(), timeout=300,
    )  # fmt: skip
    assert said.stdout == "2 {}\n" * 3, said.stderr
