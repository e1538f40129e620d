"""The page on Choko for players says what the truth says."""

from __future__ import annotations

import re

from playproof.core.registry import make
from playproof.papers.choko_solved.report import (
    ENDINGS,
    best_replies,
    first_placements,
    quickest,
    summarize_play,
)
from playproof.papers.choko_solved.sample_games import PLAYERS
from playproof.papers.choko_solved.truth import (
    CLASSES,
    EVEN,
    KINDS,
    shipped,
)
from tests.support.paths import DOCS

TRUTH = shipped()
CHOKO = make("choko")
PAGE = DOCS / "games" / "choko-solved.md"


def table(heading: str) -> list[list[str]]:
    """The first table of the page below a heading, without its head."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1]
    result = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert result is not None
    return [
        [cell.strip(" *`") for cell in line.strip("|").split("|")]
        for line in result[1].splitlines()
    ]


def test_the_page_has_the_line() -> None:
    quoted = re.findall(r"^> (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    moves = CHOKO.split_moves(" ".join(quoted).replace("\\", ""))
    assert tuple(moves) == TRUTH.line


def test_the_page_has_the_first_placements() -> None:
    shown = {row[0]: row[1:] for row in table("Are corners really best?")}
    assert shown == {
        square: [str(TRUTH.off.first[square]), " ".join(best_replies(TRUTH, square)[1])]
        for square in CLASSES
    }


def test_the_page_has_the_moves_that_throw_away() -> None:
    shown = {row[0]: row[1:] for row in table("The initiative is worth more than two pieces")}
    for phase in TRUTH.sample:
        kinds = TRUTH.thrown(phase, won=True, free=True)
        result = [f"{kinds[k][1] / kinds[k][0]:.1%}" if k in kinds else "-" for k in KINDS]
        assert shown[phase] == result


def test_the_page_has_the_players() -> None:
    shown = {row[0]: row[1:] for row in table("What players throw away")}
    for player, games in TRUTH.games.items():
        p = summarize_play(games)
        counts = [p.games, p.blue_won, p.drawn, p.red_won, p.threw]
        assert shown[player] == [*map(str, counts), f"{p.first:.1f}", f"{p.errors:.1f}"]


def test_the_page_has_the_draws() -> None:
    shown = {int(row[0]): row[1:] for row in table("How often is it drawn?")}
    assert shown == {
        own: [f"{TRUTH.off.ending(own, other).drawn:.1%}" for other in EVEN] for own in EVEN
    }


def test_the_page_has_both_readings() -> None:
    rows = table("Both readings of the rules")
    both = (TRUTH.off, TRUTH.on)
    assert rows == [
        ["positions", *(f"{solved.all.positions:,}" for solved in both)],
        ["won/drawn/lost, %", *(solved.all.percent() for solved in both)],
        ["longest win/loss", *(solved.all.longest for solved in both)],
        ["the start", *(f"Blue in {solved.value}" for solved in both)],
    ]


def test_the_page_has_the_counts_in_its_text() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    opening, middle, end = (TRUTH.sample[phase] for phase in ("opening", "middle", "end"))
    lead = TRUTH.off.lead
    answer = [
        f"in {opening['corners']:,} won positions with a free corner, a corner is quickest in "
        f"{opening['corners_best']:,}:",
        f"In {opening['jumps_fail']:,} of {opening['jumps']:,} won opening positions",
        f"In the middle game it is {middle['jumps_fail']:,} of {middle['jumps']:,}, and in the",
        f"endgame {end['jumps_fail']:,} of {end['jumps']:,}.",
        f"Blue has {sum(TRUTH.third['step']):,} steps",
        f"in {quickest(TRUTH.early_capture[1])[1]} actions",
        f"takes {TRUTH.off.all.longest_win} actions",
        f"{100 * opening['random_throws']:.1f} % of the opening positions",
        f"{100 * middle['random_throws']:.1f} % of those of the middle game",
        f"{100 * end['random_throws']:.1f} % of those of the endgame",
        f"wins {lead[0].percent().split('/')[0]} % of the positions with equal pieces",
        f"{lead[2].percent().split('/')[0]} % when it is two ahead",
        f"{lead[-2].percent().split('/')[0]} % when it is two behind",
        f"With perfect play it takes {TRUTH.off.slices['h0-10v4'].longest_loss} actions.",
    ]
    for ending in ENDINGS:
        of = TRUTH.off.slices[ending.slice].positions
        answer.append(f"({TRUTH.upset(ending.slice).positions:,} of {of:,}")
    missing = [words for words in answer if words not in text]
    assert missing == []


def test_the_board_of_first_placements_has_a_number_in_every_pit() -> None:
    view = first_placements(TRUTH)
    assert {mark.at: mark.text for mark in view.marks} == TRUTH.off.first
    assert {mark.kind for mark in view.marks} == {"num"}


def test_the_data_is_of_the_players_that_are_named() -> None:
    assert [player.spec for player in PLAYERS] == list(TRUTH.games)
