"""Games with a mistake: the law that it breaks is named, and no memory is harmed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playproof
from playproof import Batch, Game, PlayproofError
from playproof.core.conformance import batches, view_contract
from playproof.core.conformance.laws import LawBroken
from playproof.core.conformance.location import location_of_state
from playproof.core.conformance.run import LAWS, ConformanceReport, LawChecker, LawVerdict
from playproof.core.conformance.safety import SAFETY, play_games
from playproof.core.game import HEADROOM
from playproof.core.playouts import playouts
from tests.support.cli import running
from tests.support.cli.running import environment, process
from tests.support.conformance.broken_games import BROKEN
from tests.support.paths import ROOT
from tests.support.toys import coin
from tests.support.toys.coin import Coin


def verdicts(game: Game) -> list[LawVerdict]:
    """What is said of a game, up to the laws that need all kernels compiled."""
    court = LawChecker(game, 3, seed=1)
    found = court.safety()
    if all(verdict.ok for verdict in found):
        found += [court.law(n) for n, law in enumerate(LAWS) if law not in batches.LAWS]
    return found


@pytest.mark.parametrize("mistake", BROKEN)
def test_the_law_that_a_mistake_breaks_is_named(mistake: str) -> None:
    law, cls = BROKEN[mistake]
    broken = {verdict.law: verdict for verdict in verdicts(cls()) if verdict.ok is False}
    assert law in broken, f"{mistake} breaks {list(broken)}"
    if law in SAFETY:
        assert list(broken) == [law]
    verdict = broken[law]
    assert verdict.what
    assert "\n" not in verdict.what
    assert verdict.sentence.endswith(".")
    assert verdict.place is not None


UNSAFE = [name for name, (law, _) in BROKEN.items() if law in SAFETY]


@pytest.mark.parametrize("mistake", UNSAFE)
def test_an_unsafe_game_is_refused_before_it_is_played(mistake: str) -> None:
    law, cls = BROKEN[mistake]
    game = cls()
    for use in (
        game.start,
        lambda: playouts(game, 5, seed=1),
        lambda: Batch(game, np.zeros((5, game.words), np.uint64)).legal_mask(),
    ):
        with pytest.raises(PlayproofError, match=rf"^the game coin cannot be played: .*law {law}"):
            use()


def test_where_it_broke_can_be_played_again() -> None:
    game = BROKEN["a view without a move"][1]()
    verdict = next(v for v in verdicts(game) if v.law == "views")
    assert verdict.place is not None
    assert verdict.place.actions is not None
    assert verdict.place.moves is not None
    state = Coin().start()
    for action in verdict.place.actions:
        state = state.apply(action)
    assert Coin().start().play(verdict.place.moves) == state
    assert state.position == verdict.place.position


def test_a_sound_game_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sources are known by their content: the next process need not try it again."""
    from playproof.core.conformance import first_use

    Coin(cells=7).start()
    monkeypatch.setattr(first_use, "play_games", lambda *a, **k: pytest.fail("tried again"))
    Coin(cells=7).start()


def test_a_position_that_trials_do_not_reach_harms_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As many actions too many as there is head room; whoever counts them says so."""
    game = Coin()
    game.start()  # was tried, and found good
    game.max_actions = 2
    assert game.action_room >= 2 + HEADROOM
    line = "Coin walk: a position has 3 legal actions, but max_actions is 2; playproof conform coin"
    for use in (
        lambda: game.start().legal_actions(),
        lambda: playouts(game, 5, seed=1),
        lambda: Batch.start(game, 3).legal_lists(),
    ):
        with pytest.raises(PlayproofError, match=f"^{line}"):
            use()


def test_large_tables_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playproof.core.conformance.guarded_kernels.MOST_TABLE_WORDS", -1)
    play_games(Coin(), 2, seed=1)
    monkeypatch.setattr(coin.Coin, "tables", np.arange(3, dtype=np.uint64), raising=False)
    play_games(Coin(), 2, seed=1)


# What is said


@pytest.mark.parametrize(
    ("where", "value", "line"),
    [
        (("legal", 0, "kinds", 0), "from", "the kind of a click of d3 is 'from', which is not src"),
        (("pieces", 0, "k"), "pawn", "the kind of the piece on d4 is 'pawn', which is not disc, "),
        (("board", "style"), "marble", "the board's style is 'marble', which is not felt, check, "),
        (("last",), ["d9", "d3"], "the last move on d9, which is not on the board"),
    ],
)
def test_a_wrong_view_is_told_in_words(
    where: tuple[str | int, ...], value: object, line: str
) -> None:
    view: Any = playproof.make("othello").start().view().to_json()
    inner = view
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    with pytest.raises(LawBroken) as told:
        view_contract.check(view, ("b", "w"))
    assert str(told.value).startswith(f"the View breaks the contract: {line}")


def test_a_row_of_a_batch_is_not_called_the_start() -> None:
    game = playproof.make("othello:size=4")
    assert str(location_of_state(game, 1, game.start())).startswith("seed 1, at the start: ")
    after = game.start().play("b1")
    assert str(location_of_state(game, 1, after)) == f"seed 1, after b1: {after.position}"
    row = Batch.of([after], seed=1)[0]
    assert str(location_of_state(game, 1, row)) == f"seed 1, in {after.position}"


def test_one_law_is_kept() -> None:
    seen = (LawVerdict("first", "A law.", True), LawVerdict("second", "Another.", None))
    report = ConformanceReport("coin", 1, 1, seen)
    assert str(report).endswith("coin: 1 law is kept, 1 could not be looked at.")


# The whole run


def test_conform_reports_every_law() -> None:
    ticks: list[tuple[int, int]] = []
    report = playproof.conform(
        Coin(cells=7), games=1, seed=3, on_progress=lambda done, total: ticks.append((done, total))
    )
    assert report.ok, str(report)
    assert report.broken == []
    names = [verdict.law for verdict in report.verdicts]
    assert names == ["bounds", *SAFETY, *(law.name for law in LAWS)]
    assert len(set(names)) == len(names)
    assert ticks[-1] == (len(names), len(names))
    assert str(report).endswith(f"\ncoin:cells=7: {len(names)} laws are kept.")
    data = report.to_json()
    assert (data["game"], data["seed"], data["games"], data["ok"]) == ("coin:cells=7", 3, 1, True)
    with pytest.raises(playproof.UsageError, match="0 games to a law: want 1 or more"):
        playproof.conform(Coin(), games=0)


LESS = """
from tests.support.toys.coin import Coin as Right

class Less(Right):
    name = "less"
    def __init__(self, **options):
        super().__init__(**options)
        self.max_actions = 2
"""


@pytest.fixture
def less(tmp_path: Path) -> str:
    (tmp_path / "less_room.py").write_text(LESS)
    return str(tmp_path / "less_room.py")


@pytest.fixture
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes can import what is here."""
    monkeypatch.setattr(running, "SOURCES", f"{environment()['PYTHONPATH']}:{ROOT}")


@pytest.mark.slow
@pytest.mark.usefixtures("_toys")
def test_the_command_names_the_law_and_the_line(less: str) -> None:
    answer = process("--load", less, "conform", "less", "--seed", "1", "--games", "1")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert any(line.startswith("BROKEN  max-actions ") for line in lines)
    assert "actions returns 3: want 0 to 2, which is max_actions" in answer.out
    assert "actions raises IndexError (coin.py, line " in answer.out
    assert lines[-1].startswith("less: 0 laws are kept, 2 are broken, ")


@pytest.mark.slow
@pytest.mark.usefixtures("_toys")
def test_other_commands_refuse_it_too(less: str) -> None:
    answer = process("--load", less, "conform", "less", "--seed", "1", "--games", "1", "--json")
    assert answer.code == 1
    assert '"ok": false' in answer.out
    answer = process("playouts", "less", "--load", less)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("error: the game less cannot be played: actions returns 3")
    assert answer.err.count("\n") == 1


CRASH = """
import os
from tests.support.toys.coin import Coin as Right

class Crash(Right):
    name = "crash"
    def view(self, state):
        os.abort()
"""


@pytest.mark.slow
def test_a_game_that_ends_its_process_has_broken_a_law(tmp_path: Path) -> None:
    (tmp_path / "crash_game.py").write_text(CRASH)
    script = f"""if True:
        import sys
        sys.path += [{str(tmp_path)!r}, {str(ROOT)!r}]
        import playproof, crash_game
        if __name__ == "__main__":
            report = playproof.conform(crash_game.Crash(), games=1, isolated=True)
            print([(v.law, v.what) for v in report.broken])
    """
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        env=environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.stdout == "[('views', 'its process ended its process by SIGABRT')]\n", done.stderr
