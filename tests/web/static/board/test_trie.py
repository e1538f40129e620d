"""The walk down the trie of clicks, without a board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

JUMPS = [
    {"c": ["a3"], "n": "a3", "x": [], "kinds": ["to"]},
    {"c": ["b1", "b2"], "n": "b1-b2", "x": [], "kinds": ["src", "to"]},
    {"c": ["b1", "d1", "e5"], "n": "b1xd1,e5", "x": ["c1", "e5"], "kinds": ["src", "to", "rm"]},
    {"c": ["b1", "d1", "a5"], "n": "b1xd1,a5", "x": ["c1", "a5"], "kinds": ["src", "to", "rm"]},
    {"c": ["c3", "c4"], "n": "c3-c4", "x": [], "kinds": ["src", "to"]},
]


@pytest.fixture(scope="module")
def blank(browser: Browser, site: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{site}/empty.html")
    yield page
    page.close()


def walk(page: Page, script: str, legal: list[dict[str, Any]], lazy: bool = False) -> Any:
    """The value of ``script``, in which ``w`` is a walk."""
    return page.evaluate(
        """async ([legal, lazy, script]) => {
          const { Walk, find } = await import("/static/board/trie.js");
          const w = new Walk(legal, lazy);
          return SCRIPT;
        }""".replace("SCRIPT", script),
        [legal, lazy, script],
    )


def test_one_click_makes_a_move(blank: Page) -> None:
    assert walk(blank, "[w.click('a3'), w.chosen.n]", JUMPS) == ["move", "a3"]


def test_three_clicks_make_a_move(blank: Page) -> None:
    found = walk(blank, "[w.click('b1'), w.click('d1'), w.click('a5'), w.chosen.n]", JUMPS)
    assert found == ["step", "step", "move", "b1xd1,a5"]


def test_the_choices_are_what_may_follow(blank: Page) -> None:
    script = "[[...w.choices.keys()], w.click('b1'), [...w.choices.keys()]]"
    assert walk(blank, script, JUMPS) == [["a3", "b1", "c3"], "step", ["b2", "d1"]]


def test_what_goes_for_certain_is_known_before_the_last_click(blank: Page) -> None:
    found = walk(blank, "[w.click('b1'), w.node.gone, w.click('d1'), w.node.gone]", JUMPS)
    assert found == ["step", [], "step", ["c1"]]


def test_clicks_are_taken_back_one_by_one(blank: Page) -> None:
    script = "[w.click('b1'), w.click('d1'), w.back(), w.path.length, w.back(), w.back()]"
    assert walk(blank, script, JUMPS) == ["step", "step", "back", 1, "back", "nothing"]


def test_a_click_on_what_was_chosen_takes_it_back(blank: Page) -> None:
    assert walk(blank, "[w.click('b1'), w.click('b1'), w.canGoBack]", JUMPS)[1:] == ["back", False]


def test_a_click_on_another_beginning_begins_again(blank: Page) -> None:
    found = walk(blank, "[w.click('b1'), w.click('c3'), w.node.tokens]", JUMPS)
    assert found == ["step", "step", ["c3"]]


def test_a_click_elsewhere_is_nothing(blank: Page) -> None:
    found = walk(blank, "[w.click('e4'), w.click('b1'), w.click('e4'), w.node.tokens]", JUMPS)
    assert found == ["nothing", "step", "nothing", ["b1"]]


def test_nothing_follows_a_move(blank: Page) -> None:
    script = "[w.click('a3'), w.click('b1'), w.back(), w.choices.size, w.confirm()]"
    assert walk(blank, script, JUMPS) == ["move", "nothing", "nothing", 0, "nothing"]


def test_a_move_waits_for_its_confirmation(blank: Page) -> None:
    script = "[w.click('a3', true), w.chosen, w.pending.token, w.click('a3', true), w.chosen.n]"
    assert walk(blank, script, JUMPS) == ["wait", None, "a3", "move", "a3"]


def test_another_choice_replaces_the_one_that_waits(blank: Page) -> None:
    script = """[w.click('a3', true), w.click('c3', true), w.pending,
      w.click('c4', true), w.back(), w.node.tokens]"""
    assert walk(blank, script, JUMPS) == ["wait", "step", None, "wait", "back", ["c3"]]


def test_an_option_needs_no_second_tap(blank: Page) -> None:
    legal = [{"c": ["a7", "a8", f"opt:{k}"], "n": k, "kinds": ["src", "to", "to"]} for k in "qn"]
    script = "[w.click('a7', true), w.click('a8', true), w.click('opt:n', true), w.chosen.n]"
    assert walk(blank, script, legal) == ["step", "step", "move", "n"]


def test_a_removal_that_is_no_choice_is_not_asked_for(blank: Page) -> None:
    legal = [{"c": ["b1", "d1", "c1"], "n": "b1xd1,c1", "x": ["c1"], "kinds": ["src", "to", "rm"]}]
    found = walk(blank, "[w.click('b1'), w.click('d1'), w.chosen.c]", legal)
    assert found == ["step", "move", ["b1", "d1", "c1"]]


def test_a_move_that_begins_another_waits_for_either(blank: Page) -> None:
    legal = [
        {"c": ["a1"], "n": "stay", "kinds": ["to"]},
        {"c": ["a1", "a2"], "n": "on", "kinds": ["src", "to"]},
    ]
    assert walk(blank, "[w.click('a1'), w.confirm(), w.chosen.n]", legal) == [
        "step",
        "move",
        "stay",
    ]
    assert walk(blank, "[w.click('a1'), w.click('a2'), w.chosen.n]", legal)[2] == "on"


def test_a_lazy_list_is_asked_for_branch_by_branch(blank: Page) -> None:
    script = """[w.root.known, w.click('a1'),
      w.offer([], [{t: 'a1', kind: 'src', ends: false}, {t: 'c3', ends: true, n: 'c3'}]),
      w.click('a1'), w.offer(['a1'], [{t: 'b1', kind: 'to', ends: true}]),
      w.offer(['a1'], []), w.offer(['z9'], []), w.click('b1'), w.chosen.c, w.chosen.n]"""
    assert walk(blank, script, [], lazy=True) == [
        False, "nothing", True, "ask", True, False, False, "move", ["a1", "b1"], "a1 b1",
    ]  # fmt: skip
