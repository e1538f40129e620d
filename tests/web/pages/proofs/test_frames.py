"""The 33-move games, the lemma and the levels, as the page shows them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from playproof import make
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.proofs.othello.constructible import is_constructible
from playproof.proofs.othello.retrograde.search import Reachable, reach
from playproof.web.pages.proofs import frames as proofs_frames
from playproof.web.pages.proofs import lemma as proofs_lemma
from playproof.web.pages.proofs import levels as proofs_levels
from tests.support.paths import DOCS

GAME = make("othello")


@pytest.mark.parametrize(
    ("name", "side", "plies", "stones"),
    [("black", "b", 26, 30), ("white", "w", 27, 31), ("earliest", "w", 25, 29)],
)
def test_each_game_ends_with_33_numbered_moves(
    name: str, side: str, plies: int, stones: int
) -> None:
    found = proofs_frames.game_frames(name)
    assert len(found["frames"]) == plies + 1
    last = found["frames"][-1]["view"]
    assert [mark["t"] for mark in last["marks"]] == list(range(1, 34))
    assert (last["turn"]["c"], len(last["pieces"])) == (side, stones)
    assert last["legal"] == []
    assert "33 legal moves" in found["frames"][-1]["text"]
    assert (
        GAME.start().play(found["record"]).position
        == GAME.start().play(proofs_frames.record(name)).position
    )


def test_the_census_shows_every_position_with_its_33_moves() -> None:
    census = proofs_frames.census()
    positions = census["positions"]
    assert len(positions) == sum(row["reachable"] for row in census["totals"]) == 915
    assert {one["squares"].count("*") for one in positions} == {33}
    for one in positions:
        assert one["stones"] == sum(one["squares"].count(letter) for letter in "XO")
    last = proofs_frames.game_frames("census-915")
    assert last["record"] == positions[-1]["record"]
    assert last["moves"] == 33
    with pytest.raises(UsageError, match="want census-1 to census-915"):
        proofs_frames.game_frames("census-916")


def test_the_document_and_the_page_show_the_same_earliest_game() -> None:
    page = DOCS / "papers" / "othello33.md"
    assert proofs_frames.EARLIEST in page.read_text(encoding="utf-8")


def test_the_unfillable_squares_are_those_of_the_document() -> None:
    found = proofs_lemma.lemma("unfillable")
    assert found["stuck"] == ["c1", "d1", "f1"]
    crossed = [mark["at"] for mark in found["frames"][-1]["view"]["marks"]]
    assert crossed == ["c1", "d1", "f1"]
    texts = " ".join(frame["text"] for frame in found["frames"])
    assert "f1: next to it is g2, but h3 behind that is empty." in texts
    page = DOCS / "proofs" / "for-players.md"
    text = page.read_text(encoding="utf-8")
    assert proofs_lemma.UNFILLABLE in text
    assert proofs_lemma.STUBBORN in text


def test_squares_are_filled_only_beside_two_in_a_line() -> None:
    frames = proofs_lemma.lemma("stubborn")["frames"]
    filled = {piece["at"] for piece in frames[0]["view"]["pieces"]}
    assert filled == {"d4", "e4", "d5", "e5"}
    for frame in frames[1:-1]:
        (new,), view = frame["view"]["last"], frame["view"]
        near, far = (mark["at"] for mark in view["marks"])
        assert {near, far} <= filled
        step = [ord(a) - ord(b) for a, b in zip(near, new, strict=True)]
        assert [ord(a) - ord(b) for a, b in zip(far, near, strict=True)] == step
        assert new in view["heat"] or new not in filled
        filled.add(new)
        assert {piece["at"] for piece in view["pieces"]} == filled


def test_the_filling_agrees_with_the_lemma_of_the_proofs() -> None:
    chance = random.Random(3)
    outcomes = set()
    for _ in range(300):
        squares = 0x0000001818000000
        for _ in range(chance.randrange(1, 20)):
            grow = 0
            for shift in (1, 7, 8, 9):
                grow |= squares << shift | squares >> shift
            free = [bit for bit in range(64) if grow >> bit & 1 and not squares >> bit & 1]
            squares |= 1 << chance.choice(free)
        letters = "".join("X" if squares >> bit & 1 else "-" for bit in range(64))
        found = proofs_lemma.filling(GAME.position(letters + " O"))
        assert found["constructible"] == is_constructible(squares)
        outcomes.add(found["constructible"])
    assert outcomes == {True, False}


@pytest.mark.parametrize("name", ["stubborn", "unfillable", "earliest"])
def test_levels_end_as_the_search_says(name: str, tmp_path: Path) -> None:
    found = proofs_levels.candidate_levels(name, tmp_path)
    state = proofs_frames.read_othello(found["position"])
    reached = isinstance(reach(state, symmetric=True), Reachable)
    assert found["end"] == ("met" if reached else "nothing")
    counts = [level["positions"] for level in found["levels"]]
    assert counts[0] == 1
    if name == "stubborn":
        assert counts == [1, 3, 3, 5, 7, 14, 4, 4, 0]
    for level in found["levels"]:
        if level["example"]:
            assert 64 - level["example"].count("-") == level["stones"]
        assert (level["known"] is not None) == (level["stones"] <= proofs_levels.KNOWN)


def test_levels_are_kept_and_made_again_when_spoiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = proofs_levels.candidate_levels("stubborn", tmp_path)
    file = tmp_path / "levels-stubborn.json"
    with monkeypatch.context() as patch:
        patch.setattr(proofs_levels, "count", lambda state: 1 / 0)
        assert proofs_levels.candidate_levels("stubborn", tmp_path) == first
    for spoiled in ("{", "[]", file.read_text().replace('"format": 1', '"format": 0')):
        file.write_text(spoiled)
        assert proofs_levels.candidate_levels("stubborn", tmp_path) == first


def test_too_many_positions_stop_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs_levels, "MOST", 20)
    found = proofs_levels.own_levels(proofs_frames.EARLIEST)
    assert found["end"] == "stopped"
    assert found["levels"][-1]["positions"] > 20


@pytest.mark.parametrize("text", ["f5f5", "X" * 300, "zz", "X" * 1000])
def test_what_is_no_position_is_refused_in_a_line(text: str) -> None:
    for look in (proofs_lemma.own_lemma, proofs_levels.own_levels):
        with pytest.raises(PlayproofError) as trouble:
            look(text)
        assert "\n" not in str(trouble.value)


def test_a_very_long_text_is_not_read() -> None:
    with pytest.raises(DataError, match="64 squares"):
        proofs_frames.read_othello("f5" * 1500)
