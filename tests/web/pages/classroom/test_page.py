"""The classroom in a browser: tour, points, previews, CHSH, Born's rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from playproof.web.pages.classroom import tour
from tests.support.longer import longer

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = api.expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def classroom(page: Page, url: str) -> Page:
    page.goto(f"{url}/#/classroom")
    expect(page.get_by_test_id("matrix").locator("table")).to_be_visible()
    expect(page.get_by_test_id("chsh-result")).to_contain_text("S =")
    return page


def point(page: Page, name: str) -> Locator:
    return page.locator(f'play-board button[data-at="{name}"]')


def question(page: Page) -> Locator:
    return page.get_by_test_id("question")


def begin(page: Page, **chosen: str) -> None:
    """Fill the form and begin; ``born`` ticks the box."""
    for name, value in chosen.items():
        if name != "born":
            page.get_by_test_id("class-start").locator(f'[name="{name}"]').select_option(value)
    if "born" in chosen:
        page.get_by_test_id("start-born").check()
    page.get_by_test_id("class-begin").click()
    page.wait_for_url(re.compile(r"#/classroom/\w+"))
    expect(question(page)).to_contain_text("Black places")
    expect(question(page)).to_be_in_viewport()  # the form is far below


# The tour


def test_it_opens_in_the_middle_of_the_papers_game(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    expect(desk.get_by_test_id("tour-heading")).to_have_text("The middle of the game")
    expect(question(desk)).to_have_text("Black keeps one of A5, E6")
    expect(desk.get_by_test_id("step-name")).to_have_text("Collapse, step 2 of 3")
    expect(desk.locator(".rail-now")).to_have_text(re.compile("2.*other side", re.S))
    expect(desk.get_by_test_id("ket").locator("button")).to_have_count(2)
    expect(desk.get_by_test_id("ket-text")).to_contain_text("α₁|0⟩_{A5}|1⟩_{E6} − β₁")  # noqa: RUF001
    expect(desk.get_by_test_id("ways").locator("li")).to_have_count(3)


@pytest.mark.slow
def test_the_tour_goes_to_its_end_by_keys_and_buttons(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    desk.get_by_test_id("tour-first").click()
    heading = desk.get_by_test_id("tour-heading")
    seen = tour.STEPS[: longer(8, len(tour.STEPS))]
    for number, step in enumerate(seen):
        expect(heading).to_have_text(step.heading)
        expect(desk.get_by_test_id("tour-text")).to_have_text(step.text)
        stones = len(tour.states()[number].view().pieces)
        drawn = desk.locator("play-board button[data-at]:not([aria-label*='empty'])")
        expect(drawn).to_have_count(stones)
        if number < len(seen) - 1:
            if number % 2:
                desk.keyboard.press(".")
            else:
                desk.get_by_test_id("tour-next").click()
    desk.keyboard.press(">")
    expect(heading).to_have_text(tour.STEPS[-1].heading)
    expect(question(desk)).to_have_text("The game is over")
    desk.keyboard.press("<")
    expect(heading).to_have_text(tour.STEPS[0].heading)
    desk.keyboard.press(",")  # nothing comes before it
    expect(heading).to_have_text(tour.STEPS[0].heading)


def test_a_point_that_is_looked_at_tells_its_state(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    head, cells = desk.get_by_test_id("point-head"), desk.get_by_test_id("matrix").locator("td")
    point(desk, "E6").hover()
    expect(head).to_have_text("E6: a black stone with probability 0.5")
    expect(cells).to_have_text(["", "0.5", "0", "0", "0.5"])
    expect(desk.get_by_test_id("entropy")).to_have_text("1")
    point(desk, "C3").hover()
    expect(head).to_have_text("C3: certainly a white stone")
    expect(cells).to_have_text(["", "0", "0", "0", "1"])
    expect(desk.get_by_test_id("entropy")).to_have_text("0")
    point(desk, "C3").focus()
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("ArrowDown")
    expect(head).to_have_text("D2: certainly a black stone")
    desk.locator(".point-card select").select_option("A1")
    expect(head).to_have_text("A1: certainly empty")


def test_both_outcomes_are_shown_before_anything_is_decided(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    outcomes = desk.locator(".outcome")
    expect(outcomes).to_have_count(2)
    expect(outcomes.nth(1)).to_contain_text("E6 stays, A5 goes")
    outcomes.nth(1).click()
    expect(desk.get_by_test_id("ghost-what")).to_have_text("E6 stays, A5 goes")
    expect(point(desk, "A5")).to_have_attribute("aria-label", re.compile("empty"))
    desk.mouse.move(5, 5)
    expect(point(desk, "A5")).to_have_attribute("aria-label", re.compile("empty"))
    desk.get_by_test_id("ghost-back").click()
    expect(point(desk, "A5")).not_to_have_attribute("aria-label", re.compile("empty"))
    desk.locator('[data-pair="2"]').click()
    expect(outcomes.nth(0)).to_contain_text("B4 stays, E5 goes")
    expect(outcomes.nth(0)).to_contain_text("probability 0.5")
    expect(desk.get_by_test_id("ket-says")).to_contain_text("White, pair 2")
    desk.get_by_test_id("ket-numbers").click()
    expect(desk.get_by_test_id("ket-text")).to_contain_text("0.707|0⟩_{A5}|1⟩_{E6}")


# CHSH


def test_chsh_stays_within_two_and_says_what_it_is_not(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    card = desk.get_by_test_id("chsh")
    expect(desk.get_by_test_id("chsh-result")).to_have_text(
        "S = 2 in this game. It can never be more than 2."
    )
    expect(desk.get_by_test_id("caveat")).to_contain_text("Its correlations are classical")
    card.locator('select[name="b2"]').select_option("A1")
    expect(desk.get_by_test_id("chsh-result")).to_contain_text("S = 1 ")
    sampled = desk.get_by_test_id("chsh-sampled")
    before = sampled.text_content()
    card.locator('select[name="collapses"]').select_option("20")
    desk.get_by_test_id("chsh-run").click()
    expect(sampled).to_contain_text("20 collapses")
    assert sampled.text_content() != before
    card.locator('select[name="b"]').select_option("A5")
    expect(card.locator(".problem")).to_contain_text("A5 for both")
    desk.get_by_test_id("chsh-best").click()
    expect(desk.get_by_test_id("chsh-result")).to_contain_text("S = 2 ")
    expect(card.locator(".problem")).to_have_text("")
    angle = card.locator('input[type="range"]')
    angle.fill("0")
    expect(desk.get_by_test_id("chsh-real")).to_contain_text("S = 2, no more than the game")
    angle.fill("45")
    expect(desk.get_by_test_id("chsh-real")).to_contain_text("S = 2.828")


# A game


@pytest.mark.slow
def test_playing_on_from_the_tour(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    desk.get_by_test_id("tour-play").click()
    desk.wait_for_url(re.compile(r"#/classroom/\w+"))
    expect(question(desk)).to_have_text("Black keeps one of A5, E6")
    desk.locator(".outcome").nth(0).hover()
    expect(desk.get_by_test_id("ghost-what")).to_have_text("A5 stays, E6 goes")
    desk.get_by_test_id("title").hover()
    expect(desk.get_by_test_id("ghost-what")).to_be_hidden()
    point(desk, "E6").click()
    expect(question(desk)).to_have_text("White keeps one of B4, E5")
    expect(desk.get_by_test_id("why")).to_contain_text("there is no choice")
    expect(desk.locator(".outcome")).to_have_count(1)
    point(desk, "E5").click()
    expect(question(desk)).to_contain_text("Black places the first")
    point(desk, "A5").click()
    expect(question(desk)).to_contain_text("entangled with A5")
    point(desk, "F6").hover()
    expect(desk.get_by_test_id("what-if")).to_contain_text("the new pair collapses at once")
    desk.get_by_test_id("look-into").click()
    expect(desk.get_by_test_id("preview-intro")).to_contain_text("can end in 2 ways")
    expect(desk.get_by_test_id("ways")).to_contain_text("Black: F6")

    lesson = desk.url.rpartition("/")[2]  # to be gone on with here, not under Play
    desk.goto(f"{serve}/#/play")
    desk.wait_for_url(re.compile(r"#/play/\w+"))
    assert not desk.url.endswith(lesson)


@pytest.mark.slow
def test_borns_rule_can_be_switched_on_and_off_in_a_game(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    begin(desk, board="5x5")
    for name in ("B2", "D4"):
        point(desk, name).click()
    expect(question(desk)).to_contain_text("White places")
    born = desk.get_by_test_id("born")
    expect(born).not_to_be_checked()
    first = desk.url
    born.click()
    expect(desk).not_to_have_url(first)
    expect(born).to_be_checked()
    expect(question(desk)).to_contain_text("White places the first")
    expect(desk.locator('[data-pair="1"]')).to_be_visible()
    for name in ("C2", "A5"):
        point(desk, name).click()
    expect(question(desk)).to_contain_text("Black places")  # chance has decided everything
    desk.keyboard.press(",")
    expect(question(desk)).to_have_text("Chance keeps one of C2, A5")
    desk.keyboard.press(",")
    expect(question(desk)).to_have_text("Chance keeps one of B2, D4")
    expect(desk.locator(".outcome").first).to_contain_text("probability 0.5")
    expect(desk.get_by_test_id("ways")).to_contain_text("probability 0.25")
    second = desk.url
    born.click()
    expect(desk).not_to_have_url(second)
    expect(born).not_to_be_checked()


def test_a_variant_with_unequal_chances(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    desk.get_by_test_id("start-born").check()
    desk.locator('input[name="later"]').fill("80")
    begin(desk, board="5x5", born="yes")
    point(desk, "A1").click()
    expect(question(desk)).to_contain_text("entangled with A1")
    point(desk, "C3").click()
    expect(question(desk)).to_contain_text("White")
    point(desk, "C3").hover()
    expect(desk.get_by_test_id("point-head")).to_have_text("C3: a black stone with probability 0.8")
    expect(desk.get_by_test_id("entropy")).to_have_text("0.722")


def test_triplets_say_which_question_their_entropy_answers(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    begin(desk, board="5x5", variant="ghz")
    for i, name in enumerate(("A1", "C3", "E5")):
        expect(desk.get_by_test_id("moves").locator("li")).to_have_count(i)
        point(desk, name).click()
    expect(question(desk)).to_contain_text("White")
    point(desk, "A1").hover()
    expect(desk.get_by_test_id("point-words")).to_contain_text("1.585 bits")
    desk.locator('[data-pair="1"]').click()
    expect(desk.locator(".outcome")).to_have_count(3)


def test_alone_on_this_machine_it_says_how_a_class_can_come_in(desk: Page, serve: str) -> None:
    classroom(desk, serve)
    expect(desk.get_by_test_id("class-invite")).to_contain_text("playproof serve --host")


def test_a_game_that_is_not_there(desk: Page, serve: str, problems: Any) -> None:
    desk.goto(f"{serve}/#/classroom/nowhere")
    expect(desk.get_by_role("alert").first).to_be_visible()
    desk.get_by_role("link", name="To the classroom").click()
    expect(question(desk)).to_have_text("Black keeps one of A5, E6")


def test_a_game_of_another_kind_is_not_for_the_classroom(desk: Page, serve: str) -> None:
    desk.goto(f"{serve}/#/play")
    desk.wait_for_url(re.compile(r"#/play/\w+"))
    desk.goto(desk.url.replace("/play/", "/classroom/"))
    expect(desk.locator(".problem").first).to_contain_text("the classroom is for Quantum Go")
