"""What scripts, files and links of version 0.1 name is still there: games, agents, options,
settings of training, networks, commands, and what ``import playproof`` offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import playproof as house
from playproof.learning.presets import find
from tests.support.cli.running import Answer
from tests.support.compatibility.made import MADE, json_of

Playproof = Callable[..., Answer]

NAMES = MADE / "names"
OLD = json_of(NAMES / "commands.json")
PRESETS = json_of(NAMES / "presets.json")


def by_name(listed: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in listed}


def test_games_and_agents_with_their_options(playproof: Playproof) -> None:
    new, old = playproof("games", "--json").json(), json_of(NAMES / "games.json")
    for kind in ("games", "agents"):
        now = by_name(new[kind])
        for name, was in by_name(old[kind]).items():
            assert set(now[name]) >= set(was), f"fields of {kind} {name}"
            if kind == "agents":
                assert set(now[name]["options"]) >= set(was["options"]), name
                continue
            options = by_name(now[name]["options"])
            for option, meant in by_name(was["options"]).items():
                assert options[option]["default"] == meant["default"], f"{name}:{option}"
    for name, was in by_name(old["games"]).items():
        now_game = by_name(new["games"])[name]
        for field in ("actions", "symmetries", "players"):
            assert now_game[field] == was[field], f"{field} of {name}"
        observations = now_game["observations"]
        assert {kind: observations[kind] for kind in was["observations"]} == was["observations"]


def test_networks(playproof: Playproof) -> None:
    new, old = (
        by_name(x["nets"])
        for x in (playproof("nets", "--json").json(), json_of(NAMES / "nets.json"))
    )
    assert list(new) == list(old)
    for name, was in old.items():
        assert {
            field: new[name][field] for field in was if field not in ("summary", "strength")
        } == {field: was[field] for field in was if field not in ("summary", "strength")}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_what_it_was(preset: str) -> None:
    """The same command goes on with a run only if it means the same settings.

    How often a run is evaluated may change, since a run goes on with its own answer to that."""
    was = PRESETS[preset]
    was["settings"].pop("evaluate_every", None)
    found = find(preset)
    assert found.algorithm.name == was["algorithm"]
    now = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(found.settings).items()}
    assert {name: now.get(name) for name in was["settings"]} == was["settings"]


@pytest.mark.parametrize("command", OLD["commands"], ids=lambda command: command or "playproof")
def test_a_command_takes_its_options(
    command: str, playproof: Playproof, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    answer = playproof(*command.split(), "--help")
    assert answer.code == 0, answer.err
    words = {word.strip("│,") for word in answer.out.replace("/", " ").split()}
    hidden = {"--no-browser", "--browser"}  # two names of one, of which help shows one
    assert set(OLD["commands"][command]) - hidden - words == set()


def test_the_door_of_the_package() -> None:
    assert [name for name in OLD["door"] if not hasattr(house, name)] == []
    assert house.names() == house.list_games()


PAGES = (
    "home", "play", "analyse", "classroom", "games", "rules", "proofs", "truth", "train",
    "tournaments", "papers", "jobs",
)  # fmt: skip
REMEMBERED = (
    "always", "analysis", "budget", "example", "heat", "keys", "lessons", "new", "theme", "watched",
)  # fmt: skip


def test_links_and_what_browsers_remember() -> None:
    """Links to pages are in jobs, and in people's notes; browsers keep settings by name."""
    static = Path(house.__file__).parent / "web" / "static"
    routes = (static / "app.js").read_text("utf-8")
    assert [page for page in PAGES if f'  {page}: ["' not in routes] == []
    everything = "\n".join(file.read_text("utf-8") for file in static.rglob("*.js"))
    assert [name for name in REMEMBERED if f'"{name}"' not in everything] == []
    assert everything.count("localStorage.getItem(`playproof.${name}`)") == 1
    assert 'localStorage.getItem("playproof.theme")' in everything
