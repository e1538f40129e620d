"""Playing: all games, versions, seats, undo, resignation, going back, chance, events."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from playproof.core.state import State
from playproof.web.catalog import house_games as offers
from playproof.web.game import views
from tests.support.web.people import Talker, any_move

GAMES = [(name, variant.id) for name in offers.GAMES for variant in offers.VARIANTS[name]]


@pytest.mark.parametrize(("game", "variant"), GAMES)
def test_every_variant_is_played_by_clicks(talk: Talker, game: str, variant: str) -> None:
    chooser = random.Random(1)
    state = talk.new(game, variant=variant, seed=5)
    assert state["variant"] == variant
    for _ in range(14):
        if state["result"] != "*":
            break
        before = state
        state = talk.move(*any_move(state, chooser))
        assert state["type"] == "state", state
        assert state["ver"] > before["ver"]
        assert state["of"] == state["ply"] == len(state["moves"]) > before["of"]
        assert state["result"] != "*" or state["view"]["turn"]["who"] == "you"
    # The same moves by the rules alone.
    from playproof.core.registry import make

    played = make(game, **state["options"]).start().play(state["moves"])
    assert played.view().to_json()["pieces"] == state["view"]["pieces"]


def test_a_game_to_its_end(talk: Talker) -> None:
    chooser = random.Random(2)
    state = talk.new("othello", variant="4x4")
    while state["result"] == "*":
        assert state["can"]["move"]
        state = talk.move(*any_move(state, chooser))
    assert state["view"]["over"] == state["reason"] != ""
    assert state["view"]["legal"] == []
    assert state["can"]["move"] is False
    assert talk.refused("move", ver=state["ver"], c=["a1"]) == "illegal"
    assert talk.refused("resign", ver=state["ver"]) == "turn"


def test_what_may_not_be_names_the_reason_and_sends_the_state(talk: Talker) -> None:
    first = talk.new("othello")
    talk.move("d3")
    answer = talk.ask("move", ver=first["ver"], c=["c3"])
    assert answer["code"] == "stale"
    assert talk.heard[-1]["type"] == "state"
    assert talk.heard[-1]["ver"] == talk.state["ver"] > first["ver"]
    answer = talk.ask("move", ver=talk.state["ver"], c=["a1"])
    assert (answer["code"], "a1 is not legal here" in answer["msg"]) == ("illegal", True)
    assert talk.state["moves"] == ["d3"]
    assert talk.refused("move", ver=talk.state["ver"], c=["pass"]) == "illegal"


def test_the_beginning_of_a_move_is_no_move(talk: Talker) -> None:
    state = talk.new("chess")
    answer = talk.ask("move", ver=state["ver"], c=["e2"])
    assert "beginning of a move" in answer["msg"]
    assert talk.move("e2", "e4")["moves"] == ["e4"]


def test_promotion_is_a_click_more(talk: Talker) -> None:
    talk.new("chess", text="8/P6k/8/8/8/8/8/K7 w - - 0 1")
    clicks = [move["c"] for move in talk.state["view"]["legal"]]
    assert ["a7", "a8", "opt:q"] in clicks
    assert talk.move("a7", "a8", "opt:n")["moves"] == ["a8=N"]


def test_a_move_by_its_number(talk: Talker) -> None:
    """As a thinking tells it; with clicks beside it nobody would know which is meant."""
    state = talk.new("chess")
    last = talk.ask("think", ver=state["ver"], agent="alphabeta:depth=2", lines=2)
    first, second = last["top"]
    assert first["actions"][0] == first["action"] == last["actions"][0]
    assert len(first["actions"]) == len(first["line"]) == len(first["actions"])
    state = talk.ask("move", ver=state["ver"], action=second["action"])
    assert state["moves"] == [second["n"]]
    for wrong in ({"action": 1, "c": ["e2", "e4"]}, {}):
        answer = talk.ask("move", ver=state["ver"], **wrong)
        assert (answer["code"], "either c" in answer["msg"]) == ("bad", True)
    answer = talk.ask("move", ver=state["ver"], action=2**20)
    assert (answer["code"], "is not legal here" in answer["msg"]) == ("illegal", True)


# Two people


def test_two_people_at_two_screens(talk: Talker, talkers: Callable[[], Talker]) -> None:
    guest, watcher = talkers(), talkers()
    state = talk.new("othello", "human", "open")
    id = state["id"]
    assert [seat["kind"] for seat in state["seats"]] == ["human", "open"]
    assert state["shared"] is True
    joined = guest.ask("join", id=id, seat=1)
    assert [seat["you"] for seat in joined["seats"]] == [False, True]
    assert joined["seats"][0] | {"name": "Guest", "here": True} == joined["seats"][0]
    talk.until(lambda m: m["type"] == "state" and m["seats"][1]["kind"] == "human")
    watcher.ask("join", id=id)
    assert watcher.state["can"] == {"move": False, "undo": False, "redo": False, "resign": False}
    assert watcher.state["view"]["legal"] == watcher.state["view"]["actions"] == []
    # Not one's own turn, not one's own seat, not a free seat.
    assert guest.refused("move", ver=guest.state["ver"], c=["d3"]) == "turn"
    assert watcher.refused("move", ver=watcher.state["ver"], c=["d3"]) == "turn"
    assert watcher.refused("resign", ver=watcher.state["ver"]) == "turn"
    assert watcher.refused("undo", ver=watcher.state["ver"]) == "illegal"
    assert watcher.refused("join", id=id, seat=1) == "busy"
    assert watcher.refused("share", on=False) == "access"
    assert watcher.refused("delete") == "access"
    talk.until(lambda m: m["type"] == "state")
    talk.move("d3")
    assert talk.state["view"]["turn"]["who"] == "other"
    guest.until(lambda m: m["type"] == "state" and m["moves"] == ["d3"])
    assert guest.state["view"]["turn"]["who"] == "you"
    assert guest.state["can"]["move"] is True
    guest.move("c3")
    # What the other has answered is not mine to take back.
    talk.until(lambda m: m["type"] == "state" and len(m["moves"]) == 2)
    assert talk.state["can"]["undo"] is False
    assert talk.refused("undo", ver=talk.state["ver"]) == "illegal"
    assert guest.ask("undo", ver=guest.state["ver"])["moves"] == ["d3"]


def test_who_goes_is_seen_to_go_and_comes_back(talk: Talker, talkers: Callable[[], Talker]) -> None:
    guest = talkers()
    id = talk.new("choko", "human", "open")["id"]
    guest.ask("join", id=id, seat=1)
    talk.until(lambda m: m["type"] == "state" and m["seats"][1]["here"])
    guest.__exit__()
    talk.until(lambda m: m["type"] == "state" and not m["seats"][1]["here"])
    talk.move("C3")
    with Talker(guest.client) as again:
        state = again.ask("join", id=id)
        assert state["moves"] == ["C3"]
        assert state["seats"][1]["you"] is True
        assert again.move("C4")["moves"] == ["C3", "C4"]


def test_a_game_that_is_not_shared_is_private(talk: Talker, talkers: Callable[[], Talker]) -> None:
    guest = talkers()
    id = talk.new("othello", "human", "greedy")["id"]
    assert guest.refused("join", id=id) == "access"
    assert guest.refused("join", id="nosuchgame") == "gone"
    assert talk.ask("share", on=True)["shared"] is True
    assert guest.ask("join", id=id)["type"] == "state"
    assert talk.ask("share", on=False)["shared"] is False
    gone = guest.until(lambda m: m["type"] == "error")
    assert gone["code"] == "access"
    assert guest.ask("goto", ply=0)["code"] == "gone"


# Undo, redo, resigning


def test_undo_goes_back_to_ones_own_decision(talk: Talker) -> None:
    talk.new("othello", "human", "greedy")
    assert talk.state["can"]["undo"] is False
    talk.move("d3")
    talk.settled()
    assert talk.state["of"] == 2
    version = talk.state["ver"]
    state = talk.ask("undo", ver=version)
    assert (state["moves"], state["ver"]) == ([], version + 1)
    assert state["can"] == {"move": True, "undo": False, "redo": True, "resign": True}
    again = talk.ask("redo", ver=state["ver"])
    assert len(again["moves"]) == 2
    assert talk.refused("redo", ver=again["ver"]) == "illegal"


def test_on_one_screen_undo_takes_one_move(talk: Talker) -> None:
    talk.new("othello")
    for square in ("d3", "c3", "c4"):
        talk.move(square)
    assert talk.ask("undo", ver=talk.state["ver"])["moves"] == ["d3", "c3"]
    assert talk.ask("undo", ver=talk.state["ver"])["moves"] == ["d3"]
    assert talk.ask("redo", ver=talk.state["ver"])["moves"] == ["d3", "c3"]
    talk.ask("undo", ver=talk.state["ver"])
    talk.move("e3")
    assert talk.state["can"]["redo"] is False
    # The picture is the new move's, not the one that was taken back.
    assert talk.state["view"]["last"] == ["e3"]


def test_resigning_ends_a_game_and_undo_goes_on(talk: Talker) -> None:
    talk.new("choko", "human", "random")
    talk.move("C3")
    talk.settled()
    state = talk.ask("resign", ver=talk.state["ver"])
    assert (state["result"], state["reason"]) == ("0-1", "Blue resigned")
    assert state["view"]["over"] == "Blue resigned."
    assert state["view"]["marks"] == []
    assert talk.refused("move", ver=state["ver"], c=["A1"]) == "illegal"
    assert talk.ask("undo", ver=talk.state["ver"])["result"] == "*"


# Going back


def test_going_back_is_for_oneself_and_is_not_dragged_forward(
    talk: Talker, talkers: Callable[[], Talker]
) -> None:
    watcher = talkers()
    id = talk.new("othello", "human", "open")["id"]
    watcher.ask("join", id=id)
    talk.ask("join", id=id, seat=1)
    for square in ("d3", "c3", "c4"):
        talk.move(square)
    watcher.until(lambda m: m["type"] == "state" and m["of"] == 3)
    assert watcher.ask("goto", ply=1)["ply"] == 1
    talk.move("e3")
    seen = watcher.until(lambda m: m["type"] == "state" and m["of"] == 4)
    assert (seen["ply"], seen["view"]["last"]) == (1, ["d3"])
    assert watcher.refused("goto", ply=5) == "bad"
    assert watcher.ask("goto", ply="last")["ply"] == 4
    assert talk.state["ply"] == 4
    # An earlier position is looked at, not played from.
    talk.ask("goto", ply=2)
    assert talk.state["view"]["legal"] == []
    assert talk.state["can"]["move"] is False
    assert talk.refused("move", ver=talk.state["ver"], c=["d2"]) == "stale"


# Quantum Go


def quantum(talk: Talker, *seats: str, **options: object) -> None:
    talk.new("quantum-go", *seats, variant={"board": "5x5", **options}, seed=3)


def test_the_opponents_pair_is_the_opponents_to_keep(
    talk: Talker, talkers: Callable[[], Talker]
) -> None:
    guest = talkers()
    quantum(talk, "human", "open")
    guest.ask("join", id=talk.state["id"], seat=1)
    talk.until(lambda m: m["type"] == "state" and m["seats"][1]["kind"] == "human")
    talk.move("B2")
    assert talk.state["can"]["move"] is True  # a pair is two decisions of one side
    talk.move("D4")
    guest.until(lambda m: m["type"] == "state" and m["of"] == 2)
    guest.move("B3")  # touches B2
    guest.move("D2")
    # White has moved, and Black decides what becomes of Black's pair.
    talk.until(lambda m: m["type"] == "state" and m["of"] == 4)
    assert "Black keeps one of" in talk.state["view"]["say"]
    assert talk.state["can"]["move"] is True
    assert guest.state["can"]["move"] is False
    assert guest.refused("move", ver=guest.state["ver"], c=["B2"]) == "turn"
    talk.move("D4")
    event = talk.state["view"]["events"][0]
    assert event == {
        "k": "collapse", "pair": "1", "by": "Black", "to": "D4", "gone": "B2", "p": 0.5,
    }  # fmt: skip


def test_born_collapses_are_played_by_the_server_and_told(talk: Talker) -> None:
    quantum(talk, collapse="born")
    for point in ("B2", "D4", "B3", "D2"):
        talk.move(point)
    state = talk.state
    drawn = state["view"]["events"]
    assert len(drawn) >= 1
    assert all(e["by"] == "chance" and e["k"] == "collapse" for e in drawn)
    # The second collapse may have no choice left after the first.
    assert (drawn[0]["p"], drawn[-1]["p"] in (0.5, 1.0)) == (0.5, True)
    assert len(state["moves"]) == 4 + len(drawn)
    assert state["can"]["move"] is True
    # The same again: chance is drawn from the game's seed, and cannot be tried until it suits.
    moves = state["moves"]
    talk.ask("undo", ver=talk.state["ver"])
    assert talk.state["moves"] == moves[:3]
    assert talk.move("D2")["moves"] == moves


def test_other_seeds_give_other_chance(talk: Talker) -> None:
    found = set()
    for seed in range(12):
        talk.new("quantum-go", variant={"board": "5x5", "collapse": "born"}, seed=seed)
        for point in ("B2", "D4", "B3", "D2"):
            talk.move(point)
        found.add(tuple(talk.state["moves"][4:]))
    assert len(found) > 1


# Long lists


def test_a_long_list_is_asked_for_click_by_click(
    talk: Talker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MOST_SENT", 10)
    state = talk.new("chess", text="8/P6k/8/8/8/8/3R4/K7 w - - 0 1")
    assert (state["view"]["lazy"], state["view"]["legal"]) == (True, [])
    first = talk.ask("next", ver=state["ver"], prefix=[])
    assert {"t": "a7", "kind": "src", "ends": False} in first["tokens"]
    second = talk.ask("next", ver=state["ver"], prefix=["a7"])
    assert second["tokens"] == [{"t": "a8", "kind": "to", "ends": False}]
    third = talk.ask("next", ver=state["ver"], prefix=["a7", "a8"])
    assert {"t": "opt:q", "kind": "to", "ends": True, "n": "a8=Q"} in third["tokens"]
    assert talk.refused("next", ver=state["ver"], prefix=["h1"]) == "illegal"
    assert talk.refused("next", ver=0, prefix=[]) == "stale"
    assert talk.move("a7", "a8", "opt:q")["moves"] == ["a8=Q"]


# Beginning from a text


@pytest.mark.parametrize(
    ("text", "game", "moves"),
    [
        ("f5d6c4", "othello", 3),
        ("-" * 27 + "OX------XO" + "-" * 27 + " X", "othello", 0),
        ("C3 D3 B3 A1", "choko", 4),
        ("5/5/2b2/5/5 r 11 12 b 1", "choko", 0),
        ("1. e4 e5 2. Nf3", "chess", 3),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "chess", 0),
        ('[Event "?"]\n[White "a"]\n\n1. d4 d5 *\n', "chess", 2),
        ("(;GM[1]FF[4]SZ[9];B[ee];W[cc])", "go", 2),
        ('{"game": "othello", "options": {"size": 4}, "moves": ["a2"]}', "othello", 1),
    ],
)
def test_a_text_tells_its_game(talk: Talker, text: str, game: str, moves: int) -> None:
    answer = talk.ask("new", text=text, analysis=True)
    assert (answer["type"], answer.get("game")) == ("state", game), answer
    assert len(answer["moves"]) == moves


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(;GM[1]FF[4]SZ[9];B[zz])", "no point of this board"),
        ('{"game": "nim", "moves": []}', "a game of nim"),
        ('{"game": "othello"}', "'moves' must be"),
        ('[Event "?"]\n\n1. Ke4 *\n', "Ke4"),
        ('[Event "?"]\n[Playproof "choko"]\n\n1. e4 *\n', ""),
        ('[Event "?"]\n[Playproof "/etc/passwd"]\n\n*\n', "there is no game"),
        ('[Event "?"]\n[FEN "x"]\n\n1. e4 *\n', ""),
        ("hello, world", "no record, transcript or position"),
        ("{" * 5000, "broken JSON"),
        ("   ", "needs game"),
        ("\x00\x01", "no record"),
    ],
)
def test_a_text_that_means_nothing_is_told_so(talk: Talker, text: str, says: str) -> None:
    answer = talk.ask("new", text=text)
    assert answer["code"] == "bad"
    assert says in answer["msg"]


def test_a_game_of_quantum_go_travels_as_sgf(talk: Talker) -> None:
    quantum(talk)
    for point in ("B2", "D4", "B3", "D2", "D4"):
        talk.move(point)
    moves, id = talk.state["moves"], talk.state["id"]
    text = talk.client.get(f"/api/games/{id}.sgf").text
    # The points of a pair have no order of their own there.
    assert sorted(talk.ask("new", text=text)["moves"]) == sorted(moves)
    assert talk.state["game"] == "quantum-go"


@pytest.mark.parametrize(
    "text", ["/etc/passwd", "README.md", "games.pgn", "~/.bashrc", "x.sgf", "../lab.sqlite"]
)
@pytest.mark.parametrize("game", [None, "chess", "othello", "go"])
def test_a_text_is_never_a_file(talk: Talker, text: str, game: str | None) -> None:
    fields = {"text": text} | ({"game": game} if game else {})
    answer = talk.ask("new", **fields)
    assert answer["code"] == "bad"
    assert "cannot be read:" not in answer["msg"]
    assert "No such file" not in answer["msg"]


def test_a_position_line_begins_a_game_of_its_own_options(talk: Talker) -> None:
    quantum(talk)
    for point in ("B2", "D4", "A5"):
        talk.move(point)
    from playproof.core.registry import make

    position = make("quantum-go", board="5x5").start().play(talk.state["moves"]).position
    state = talk.new("quantum-go", variant={"board": "5x5"}, text=position)
    assert state["of"] == 0
    assert len(state["view"]["pieces"]) == 3
    assert State.parse(talk_state(talk)).position == position


def talk_state(talk: Talker) -> str:
    room = talk.client.app.state.lab.lobby.rooms[talk.state["id"]]  # type: ignore[attr-defined]
    return str(room.state.serialize())


# What a hostile reading found


def test_a_deleted_game_does_not_come_back(talk: Talker, client: TestClient) -> None:
    id = talk.new("othello", "random", "random", variant="4x4")["id"]
    assert client.post(f"/api/games/{id}/delete").status_code == 200
    time.sleep(1.0)  # the agents' next move would have been made by now
    assert client.get(f"/api/games/{id}").status_code == 404


def test_who_resigned_against_a_person_has_resigned(
    talk: Talker, talkers: Callable[[], Talker]
) -> None:
    guest = talkers()
    id = talk.new("othello", "human", "open")["id"]
    guest.ask("join", id=id, seat=1)
    talk.until(lambda m: m["type"] == "state" and m["seats"][1]["kind"] == "human")
    talk.move("d3")
    talk.ask("resign", ver=talk.state["ver"])
    assert talk.state["can"]["undo"] is False
    assert talk.refused("undo", ver=talk.state["ver"]) == "illegal"


def test_a_visit_over_http_leaves_nobody_behind(talk: Talker, client: TestClient) -> None:
    id = talk.new("othello", "random", "random", variant="4x4")["id"]
    talk.ask("leave")
    client.post(f"/api/games/{id}/join", json={})
    lab = client.app.state.lab  # type: ignore[attr-defined]
    assert id not in lab.sessions
    assert not lab.lobby.rooms[id].connected


@pytest.mark.parametrize("broken", ['{"seconds": 1%s}' % ("0" * 400), '"\\ud800"'])
def test_numbers_and_texts_that_cannot_be_told_back(client: TestClient, broken: str) -> None:
    text = f'{{"game": "othello", "seats": ["human", "human"], "clock": {broken}}}'
    answer = client.post("/api/games", content=text)
    assert answer.status_code == 400
    assert answer.json()["code"] == "bad"
