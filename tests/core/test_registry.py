"""The registry: games by name, ours and those that another package brings."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from playproof import PlayproofError, UsageError, make, names, register
from playproof.core import registry
from playproof.core.compiling import cache_home
from playproof.games.othello.game import Othello
from tests.support.core.processes import python
from tests.support.core.ring_game import Ring
from tests.support.paths import SUPPORT


@pytest.fixture
def empty_register(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(registry, "_registered", {})


# One process


def test_equal_calls_give_the_same_game() -> None:
    game = make("othello")
    assert make("othello:size=8") is make("othello", size=8) is make("othello", size="8") is game
    assert make("othello:empties_to_winner=no") is game


def test_games_of_endless_options_do_not_pile_up() -> None:
    """Any number is a komi, and a guest may ask for game after game."""
    used = make("go", board="5x5")
    for half in range(3 * registry._MOST_CACHED):
        make("go", board="5x5", komi=half / 2)
        assert make("go", board="5x5") is used  # what is used stays
    assert len(registry._cache) <= registry._MOST_CACHED


def test_other_options_are_another_game() -> None:
    assert make("othello", size=6) is not make("othello")
    assert make("othello", size=6) != make("othello")
    assert make("choko", cap=50) != make("choko")
    assert make("choko:lone_jump").options == {"lone_jump": True, "cap": 100}


def test_our_games_are_there() -> None:
    assert {"choko", "othello"} <= set(names())
    assert names() == sorted(names())


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("otello", "there is no game 'otello'; did you mean othello? (known: "),
        ("chokko:cap=9", "there is no game 'chokko'; did you mean choko? (known: "),
        ("Othello", "there is no game 'Othello'; did you mean othello? (known: "),
        ("parcheesi", "there is no game 'parcheesi' (known: "),
    ],
)
def test_an_unknown_game_is_answered_with_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        make(name)
    assert str(error.value).startswith(hint)
    assert "choko" in str(error.value)


@pytest.mark.usefixtures("empty_register")
def test_a_registered_game_can_be_made() -> None:
    assert register(Ring) is Ring  # so it can stand above a class
    assert "ring" in names()
    assert make("ring:places=7") == Ring(places=7)
    register(Ring)  # once more is no harm


@pytest.mark.usefixtures("empty_register")
def test_a_name_is_given_once() -> None:
    register(Ring)

    class Usurper(Ring):
        pass

    with pytest.raises(UsageError, match=r"^a game called 'ring' is already there: choose anoth"):
        register(Usurper)
    assert type(make("ring")) is Ring

    class Reversi(Othello):
        pass  # which left the name as it was

    with pytest.raises(UsageError, match=r"^a game called 'othello' is already there"):
        register(Reversi)
    assert type(make("othello")) is Othello


def test_what_was_registered_in_a_test_is_forgotten() -> None:
    with pytest.raises(UsageError, match="there is no game 'ring'"):
        make("ring")


# A package of somebody else


@pytest.fixture
def borrowed_cache(tmp_path: Path) -> Path:
    """A cache that has our compiled kernels, and takes in theirs only for this test."""
    folder = tmp_path / "cache"
    (folder / "kernels").mkdir(parents=True)
    for ours in cache_home().iterdir():
        os.symlink(ours, folder / "kernels" / ours.name)
    return folder


def install(folder: Path, modules: dict[str, str], games: dict[str, str]) -> None:
    """A distribution as pip would leave it: its modules, and its entry points."""
    notes = folder / "their_games-1.0.dist-info"
    notes.mkdir(parents=True)
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: their-games\nVersion: 1.0\n")
    points = "".join(f"{name} = {target}\n" for name, target in games.items())
    (notes / "entry_points.txt").write_text(f"[playproof.games]\n{points}")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)


@pytest.mark.slow
def test_a_game_from_an_entry_point_is_a_game_like_ours(
    tmp_path: Path, borrowed_cache: Path
) -> None:
    site = tmp_path / "site"
    install(site, {}, {"ring": "ring_game:Ring"})
    shutil.copy(SUPPORT / "core" / "ring_game.py", site)
    script = """if True:
        import json, sys
        import playproof
        listed = playproof.names()
        early = "ring_game" in sys.modules
        game = playproof.make("ring:places=5")
        played = playproof.playouts(game, 500, seed=1)
        state = game.start().play("+1 +2")
        print(json.dumps({
            "listed": "ring" in listed and "othello" in listed,
            "early": early,
            "same": playproof.make("ring") is game,
            "perft": [playproof.perft(game, depth) for depth in range(5)],
            "results": sorted(set(played.results.tolist())),
            "again": playproof.State.parse(state.serialize()) == state,
        }))
    """
    told = json.loads(python("-c", script, folders=(site,), PLAYPROOF_CACHE=str(borrowed_cache)))
    assert told == {
        "listed": True,
        "early": False,  # listing names imports no one's code
        "same": True,
        "perft": [1, 2, 4, 8, 16],
        "results": [-1, 1],
        "again": True,
    }


BROKEN = {
    "crash": ("crash_game:Crash", "raise RuntimeError('out of dice')"),
    "absent": ("no_such_module:Game", None),
    "hollow": ("hollow_game:Game", "# nothing here"),
    "stone": ("stone_game:STONE", "STONE = 'not a game'"),
    "plain": ("plain_game:Plain", "class Plain: pass"),
}


def test_a_broken_package_is_one_clear_error_and_breaks_nothing_else(tmp_path: Path) -> None:
    modules = {t.split(":")[0]: text for t, text in BROKEN.values() if text is not None}
    # A foreign 'othello' may be listed, but must not take the place of ours.
    games = {name: target for name, (target, _) in BROKEN.items()} | {"othello": "crash_game:X"}
    install(tmp_path, modules, games)
    script = """if True:
        import json, sys
        import playproof
        errors = {}
        for name in sys.argv[1:]:
            try:
                playproof.make(name)
            except playproof.PlayproofError as error:
                errors[name] = str(error)
            except BaseException as error:
                errors[name] = f"escaped: {error!r}"
        print(json.dumps([playproof.names(), errors, repr(playproof.make("othello"))]))
    """
    listed, errors, othello = json.loads(python("-c", script, *BROKEN, folders=(tmp_path,)))
    assert {*BROKEN, "othello", "choko"} <= set(listed)
    assert len(listed) == len(set(listed))
    assert othello == "<Game othello>"
    assert set(errors) == set(BROKEN)
    for name, (target, _) in BROKEN.items():
        assert errors[name].startswith(f"the game '{name}' of {target} ")
        assert "\n" not in errors[name]
    assert errors["crash"].endswith("cannot be loaded: out of dice")
    for name in ("stone", "plain"):
        assert errors[name].endswith("is not a subclass of playproof.Game")


@pytest.mark.parametrize(
    "text", ["raise ValueError('first\\nsecond')", "raise SystemExit('no game today')"]
)
def test_however_a_package_fails_the_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    install(tmp_path, {"odd_game": text}, {"odd": "odd_game:Odd"})
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PlayproofError, match=r"^the game 'odd' of odd_game:Odd cannot") as error:
        make("odd")
    assert "\n" not in str(error.value)
