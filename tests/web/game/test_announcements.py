"""Moves as sentences: what a screen reader hears of them, in every game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof import make
from playproof.web.game.announcements import move_sentence
from playproof.web.server import make_app
from tests.support.web.people import ADDRESS, Talker, someone


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One lab for the file: its computer takes a second to start."""
    with TestClient(make_app(tmp_path_factory.mktemp("lab")), base_url=ADDRESS) as found:
        found.get("/api/catalog")
        yield found


def sentence(spec: str, moves: str) -> str:
    """Of the last move."""
    state = make(spec).start().play(moves)
    before = state.start.play(state.moves[:-1])
    name = before.display_names(state.actions[-1])[0]
    views = before.view().to_json(), state.view().to_json()
    return move_sentence(state.game, before.current_player, name, *views)


@pytest.mark.parametrize(
    ("spec", "moves", "told"),
    [
        ("othello", "f5", "Black plays f5, flips 1."),
        ("othello", "c4 c5 b6 d3 c2 a7", "White plays a7, flips 2."),
        ("go:board=5x5", "C3", "Black plays C3."),
        ("go:board=5x5", "A2 A1 pass pass", "White passes."),
        ("go:board=5x5", "A2 A1 B1", "Black plays B1, takes 1."),
        ("chess", "e4 d5 exd5", "White plays exd5, takes 1."),
        ("chess", "e4", "White plays e4."),
        ("choko", "C3 B2", "Red plays B2."),
        ("quantum-go:board=5x5", "C3 B2", "Black plays B2."),
    ],
)
def test_a_move_in_words(spec: str, moves: str, told: str) -> None:
    assert sentence(spec, moves) == told


@pytest.mark.parametrize("game", ["othello", "go", "choko", "chess", "quantum-go"])
def test_the_computers_move_is_told_to_who_plays_it(talk: Talker, game: str) -> None:
    talk.new(game, "human", "random", seed=2)
    assert talk.state["view"]["announcement"] == "Your turn."
    sides = talk.state["players"]
    seen: list[str] = []
    while not any(f"{sides[1]} plays" in text for text in seen):
        talk.move(*talk.state["view"]["legal"][0]["c"])
        seen.append(talk.settled()["view"]["announcement"])
    assert (
        seen[-1].startswith(f"{sides[1]} plays {talk.state['moves'][-1]}") or game == "quantum-go"
    )
    assert seen[-1].endswith("Your turn.")


def test_others_hear_the_last_move_alone(client: TestClient, talk: Talker) -> None:
    state = talk.new("othello", "human", "random", seed=2)
    talk.ask("share", on=True)
    talk.move("f5")
    talk.settled()
    with Talker(someone(client)) as guest:
        seen: dict[str, Any] = guest.ask("join", id=state["id"])
        told = seen["view"]["announcement"]
        assert told.startswith("White plays ")
        assert "Your turn" not in told
        assert guest.ask("goto", ply=1)["view"]["announcement"] == "Black plays f5, flips 1."
        assert guest.ask("goto", ply=0)["view"]["announcement"] == ""


def test_in_an_analysis_nobody_is_told_that_it_is_his_turn(talk: Talker) -> None:
    talk.ask("new", game="othello", text="f5d6", analysis=True)
    assert talk.state["view"]["announcement"] == "White plays d6, flips 1."
