"""Openings: all different, none decided, always the same for a seed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import playproof
from playproof import PlayproofError, State, UsageError
from playproof.arena.openings import Opening, OpeningSource
from playproof.search.mcts import SearchConfig, TreeSearch
from tests.support.longer import longer

GAMES = ("othello", "choko", "othello:size=6")


def state(game: playproof.Game, opening: Opening) -> State:
    start = game.start() if opening.start is None else game.position(opening.start)
    return start.play(opening.moves)


@pytest.mark.parametrize("spec", GAMES)
def test_no_two_are_the_same_up_to_symmetry(spec: str) -> None:
    game = playproof.make(spec)
    count = longer(60, 150)
    drawn = OpeningSource().draw(game, count, seed=3)
    words = {state(game, opening).canonical().position_words for opening in drawn}
    assert len(drawn) == len(words) == count
    assert not any(state(game, opening).is_terminal for opening in drawn)


@pytest.mark.parametrize("spec", GAMES)
def test_a_longer_list_begins_with_the_shorter(spec: str) -> None:
    game = playproof.make(spec)
    shorter = OpeningSource().draw(game, 40, seed=1)
    assert OpeningSource().draw(game, 90, seed=1)[:40] == shorter
    assert (
        OpeningSource().draw(game, 3, seed=1) == shorter[:3]
    )  # of which only the first are judged
    assert OpeningSource().draw(game, 40, seed=2) != shorter


def test_none_is_decided() -> None:
    game = playproof.make("othello")
    wide = OpeningSource("random:plies=12,balance=1").draw(game, 40, seed=4)
    even = OpeningSource("random:plies=12,balance=0.1").draw(game, 40, seed=4)

    def imbalance(openings: list[Opening]) -> float:
        # Judged with far more simulations than the sieve has.
        config = SearchConfig(simulations=800, seed=9)
        trees = TreeSearch.from_states([state(game, o) for o in openings], config)
        trees.run()
        return sum(abs(trees.root(tree).value) for tree in range(len(openings))) / len(openings)

    assert imbalance(even) < 0.6 * imbalance(wide)


def test_plies_are_as_asked_for_while_there_are_enough() -> None:
    game = playproof.make("choko")
    assert {len(o.moves) for o in OpeningSource("random:plies=4").draw(game, 50, seed=1)} == {4}


def test_where_there_are_too_few_they_get_longer() -> None:
    game = playproof.make("othello")
    lengths = [len(o.moves) for o in OpeningSource("random:plies=1").draw(game, 60, seed=1)]
    assert lengths[0] == 1
    assert max(lengths) > 3
    assert lengths == sorted(lengths)


def test_a_game_without_enough_says_how_many_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "playproof.arena.openings._MAX_EXTRA_PLIES", longer(2, 24)
    )  # it looks no further
    game = playproof.make("othello:size=4")
    with pytest.raises(UsageError) as few:
        OpeningSource("random:plies=5,balance=0.5").draw(game, 5000, seed=1)
    told = re.fullmatch(
        r"10000 games want 5000 openings, and random games of othello:size=4 with 5 to \d+ plies "
        r"have only (\d+) \((\d+) more outside balance 0\.5\): ask for at most (\d+) games, or a "
        r"larger balance \(random:plies=5,balance=1 allows (\d+) games\), or fewer plies "
        r"\(random:plies=1,balance=1\)",
        str(few.value),
    )
    assert told
    found, outside, games, all_games = map(int, told.groups())
    assert games == 2 * found
    assert all_games == 2 * (found + outside)
    # What it says is true.
    assert len(OpeningSource("random:plies=5,balance=0.5").draw(game, found, seed=1)) == found
    assert OpeningSource("random:plies=5,balance=1").draw(game, found + outside, seed=1)


def test_plies_that_no_game_lasts_are_told() -> None:
    game = playproof.make("othello:size=4")
    for plies in (30, 10**9):  # and not waited for
        with pytest.raises(UsageError) as error:
            OpeningSource(f"random:plies={plies}").draw(game, 2, seed=1)
        told = re.fullmatch(
            rf"random:plies={plies} leaves no game of othello:size=4 to play: of 128 random games "
            r"the longest was over after (\d+) plies; ask for fewer",
            str(error.value),
        )
        assert told
        assert 8 <= int(told[1]) <= 20


def test_a_book_that_is_too_small_says_what_it_holds(tmp_path: Path) -> None:
    game = playproof.make("othello:size=4")
    over = game.start()
    while not over.is_terminal:
        over = over.apply(over.legal_actions()[0])
    first, second = game.start().legal_names()[:2]
    for lines, says in (
        (["# nothing"], "4 games want 2 openings, and {} holds none: want a transcript or a"),
        (
            [first, second, over.position],
            "4 games want 2 openings, and {} has only 1 (1 more repeated, counting symmetric ones "
            "as one, 1 more where the game is over): ask for at most 2 games, or a larger book",
        ),
    ):
        book = write(tmp_path / "book.txt", *lines)
        with pytest.raises(UsageError) as error:
            OpeningSource(f"{book}:balance=1").draw(game, 2, seed=1)
        assert str(error.value).startswith(says.format(book))


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_book_of_transcripts_and_positions(tmp_path: Path) -> None:
    game = playproof.make("othello")
    position = game.start().play("f5f6").position
    book = write(tmp_path / "book.txt", "# openings", "f5d6", "f5f4  # a comment", "", position)
    drawn = OpeningSource(str(book)).draw(game, 3, seed=1)
    assert {state(game, o).position for o in drawn} == {
        game.start().play(moves).position for moves in ("f5d6", "f5f4", "f5f6")
    }
    orders = {tuple(OpeningSource(str(book)).draw(game, 3, seed=seed)) for seed in range(20)}
    assert len(orders) > 1


def test_a_book_of_records(tmp_path: Path) -> None:
    game = playproof.make("choko")
    records = [playproof.Record.of(game.start().play(moves)) for moves in ("C3", "A1 B2")]
    book = write(tmp_path / "book.jsonl", *(record.to_json() for record in records))
    assert {o.moves for o in OpeningSource(str(book)).draw(game, 2, seed=1)} == {
        ("C3",),
        ("A1", "B2"),
    }


def test_symmetric_lines_of_a_book_are_one_opening(tmp_path: Path) -> None:
    book = write(tmp_path / "book.txt", "f5", "d3", "c4", "e6")
    with pytest.raises(UsageError, match=r"has only 1 \(3 more repeated"):
        OpeningSource(str(book)).draw(playproof.make("othello"), 2, seed=1)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("f5d6x9", "book.txt, line 2: "),
        ("f5a1", "book.txt, line 2: move 2: "),
        ('{"game": "choko", "moves": []}', "book.txt, line 2: this is a record of choko"),
    ],
)
def test_a_broken_line_of_a_book_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    book = write(tmp_path / "book.txt", "f5", line)
    with pytest.raises(PlayproofError) as broken:
        OpeningSource(str(book)).draw(playproof.make("othello"), 1, seed=1)
    assert complaint in str(broken.value)


def test_a_book_goes_by_its_content(tmp_path: Path) -> None:
    book = write(tmp_path / "book.txt", "f5d6", "f5f4")
    before = OpeningSource(str(book)).spec
    assert OpeningSource(before).spec == before
    write(book, "f5d6", "f5f6")
    assert OpeningSource(str(book)).spec != before
    with pytest.raises(UsageError, match=r"^the book .*book\.txt has changed: its digest is "):
        OpeningSource(before)


def test_a_book_of_another_game_is_refused(tmp_path: Path) -> None:
    record = playproof.Record.of(playproof.make("othello:size=6").start())
    book = write(tmp_path / "book.jsonl", record.to_json())
    with pytest.raises(PlayproofError, match="record 1 is of othello:size=6, not of othello"):
        OpeningSource(str(book)).draw(playproof.make("othello"), 1, seed=1)


@pytest.mark.parametrize("text", ["random", "random:plies=3", "random:balance=1"])
def test_a_source_is_written_in_one_way(text: str) -> None:
    assert OpeningSource(OpeningSource(text).spec).spec == OpeningSource(text).spec
