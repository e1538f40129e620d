"""Ratings by levels: the fit by simulation, and runs with an engine that is a fake."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from playproof import UsageError
from playproof.agents.engines.uci.rated import RatedEngine
from playproof.arena.database import GameDatabase
from playproof.arena.elo.picture import render
from playproof.arena.elo.rating import LevelResult, Tally, fit
from playproof.arena.elo.run import EloMeasurement, mirror_tallies
from playproof.arena.statistics.score import Score, score_of_elo
from playproof.arena.tournament import MatchConfig
from playproof.cli.main import main
from tests.support.paths import FAKE_UCI

FAKE = FAKE_UCI
ENGINE = f"uci:command={sys.executable} {FAKE} sound,depth=1"
pytestmark = pytest.mark.usefixtures("here")
SOON_DRAWN = [f"7k/8/8/8/8/8/{rook}/K7 w - - 96 60" for rook in ("1R6", "2R5", "3R4", "4R3")]


def level(nominal: int, results: list[tuple[float, float]]) -> LevelResult:
    return LevelResult(nominal, "engine", Score.from_results(results), (Tally(), Tally()))


def simulated(truth: float, nominal: int, pairs: int, draws: float, chooser: object) -> LevelResult:
    """Pairs of games whose expected score is Elo's."""
    mean = score_of_elo(truth - nominal)
    odds = [max(0.0, 1 - mean - draws / 2), draws, max(0.0, mean - draws / 2)]
    odds = [p / sum(odds) for p in odds]
    results = chooser.choice([0.0, 0.5, 1.0], size=(pairs, 2), p=odds)  # type: ignore[attr-defined]
    return level(nominal, [tuple(pair) for pair in results.tolist()])


# The fit


def test_one_level_gives_what_a_match_gives() -> None:
    score = Score((10, 5, 8, 20, 30, 27))
    found = fit([LevelResult(1500, "engine", score, (Tally(), Tally()))])
    assert found.elo == pytest.approx(1500 + (score.elo or 0), abs=0.1)
    lower, upper = score.elo_interval()
    assert found.lower == pytest.approx(1500 + (lower or 0), abs=0.2)
    assert found.upper == pytest.approx(1500 + (upper or 0), abs=0.2)
    assert not found.levels_disagree


@pytest.mark.slow
def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    chooser = np.random.default_rng(3)
    held, errors = 0, []
    for _ in range(60):
        truth = float(chooser.uniform(1300, 1750))
        levels = [simulated(truth, n, 30, 0.2, chooser) for n in (1350, 1500, 1700)]
        found = fit(levels)
        assert found.elo is not None
        assert found.lower is not None
        assert found.upper is not None
        held += found.lower <= truth <= found.upper
        errors.append(found.elo - truth)
    assert 52 <= held <= 60  # of 60 at 95 %: 57, three deviations are 5
    assert abs(np.mean(errors)) < 15


def test_more_levels_tell_more() -> None:
    one = [level(1500, [(1.0, 0.0), (0.5, 1.0), (0.0, 0.5), (1.0, 1.0)] * 10)]
    two = [*one, level(1600, [(1.0, 0.0), (0.5, 0.5), (0.0, 0.5), (1.0, 0.0)] * 10)]
    wide, narrow = fit(one), fit(two)
    assert (narrow.upper or 0) - (narrow.lower or 0) < (wide.upper or 0) - (wide.lower or 0)


def _width(levels: list[LevelResult]) -> float:
    found = fit(levels)
    return (found.upper or 0.0) - (found.lower or 0.0)


def test_levels_that_contradict_each_other_are_told() -> None:
    even = [(1.0, 1.0), (0.5, 0.5), (0.0, 0.0), (0.5, 1.0), (0.0, 0.5)] * 16
    lost = [(0.0, 0.0), (0.0, 1.0), (0.0, 0.0)] * 30
    assert not fit([level(1500, even), level(1520, even)]).levels_disagree
    torn, whole = [level(1500, lost), level(1700, even)], [level(1700, even)]
    assert fit(torn).levels_disagree
    assert _width(torn) > 2 * _width(whole)  # more games, and yet it is known less


def test_a_rating_without_an_end_is_a_bound() -> None:
    won, lost = [(1.0, 1.0)] * 20, [(0.0, 0.0)] * 20
    above = fit([level(1350, won), level(1500, won)])
    assert above.elo is None
    assert above.upper is None
    assert 1700 < (above.lower or 0) < 2000
    below = fit([level(1350, lost), level(1500, lost)])
    assert below.lower is None
    assert 900 < (below.upper or 0) < 1200
    with pytest.raises(UsageError, match="no games, no rating"):
        fit([])


def test_the_papers_comparison() -> None:
    more, less = Tally(6, 2, 2), Tally(3, 2, 5)
    score = Score((1, 0, 0, 0, 0, 1))
    assert LevelResult(1350, "e", score, (more, more), (less, less)).reaches is True
    assert LevelResult(1350, "e", score, (more, less), (less, more)).reaches is False
    assert LevelResult(1350, "e", score, (more, less)).reaches is None


def test_colours_of_a_level_with_itself() -> None:
    white, black = mirror_tallies([(1.0, 0.0), (1.0, 0.5), (0.0, 1.0)])  # White won three of six
    assert white == Tally(3, 1, 2)
    assert black == Tally(2, 1, 3)


# Runs


@pytest.fixture(scope="module")
def opponent() -> RatedEngine:
    return RatedEngine.of(ENGINE, "chess")


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Openings whose games are over in a few moves."""
    file = tmp_path_factory.mktemp("book") / "soon-drawn.txt"
    file.write_text("\n".join(SOON_DRAWN))
    return f"{file}:balance=1"


def measured(
    store: GameDatabase, opponent: RatedEngine, book: str, **options: object
) -> EloMeasurement:
    config = MatchConfig(pairs=2, openings=book, seed=5, workers=1)
    settings = {"levels": [1500], "itself": 2, **options}
    return EloMeasurement("chess", "random", opponent, config=config, database=store, **settings)  # type: ignore[arg-type]


def test_an_opponent_is_its_engine_at_a_limit(opponent: RatedEngine) -> None:
    assert opponent.title == "Fake 1.0, sound"
    assert (opponent.lowest, opponent.highest) == (1350, 1650)
    assert opponent.limits == "depth 1"
    assert not opponent.timed
    assert "elo=1500" in opponent.at(1500)
    assert RatedEngine.of(ENGINE, "chess", movetime=20).limits == "movetime 20"
    assert RatedEngine.of(ENGINE, "chess", movetime=20).timed
    with pytest.raises(UsageError, match="levels from 1350 to 1650, not 1700"):
        opponent.check([1500, 1700])
    with pytest.raises(UsageError, match="random has no levels"):
        RatedEngine.of("random", "chess")
    with pytest.raises(UsageError, match="names a level already"):
        RatedEngine.of(f"{ENGINE},elo=1400", "chess")


def test_a_run_is_kept_and_not_played_again(
    tmp_path: Path, opponent: RatedEngine, book: str
) -> None:
    with GameDatabase(tmp_path / "games.sqlite") as store:
        found = measured(store, opponent, book).run()
        parts: list[tuple[str, int, int]] = []
        again = measured(store, opponent, book).run(lambda *part: parts.append(part))
    assert [x.nominal for x in found.levels] == [1500]
    for x in found.levels:
        assert x.score.games == 4
        assert [tally.games for tally in x.colours] == [2, 2]
        assert sum(tally.wins for tally in x.colours) == x.score.wins
        white, black = x.itself
        assert (white.games, black.games) == (2, 2)
        assert (white.wins, white.losses) == (black.losses, black.wins)
        assert x.failures == {}
    assert again.to_json() == found.to_json()
    assert all(done == total for _, done, total in parts)
    assert "Fake 1.0" in render(found)
    data = found.to_json()
    assert data["engine"] == "Fake 1.0, sound"
    assert data["depends_on_machine"] is False
    assert "nominal scale" in data["warning"]


def test_a_run_that_was_stopped_is_found_again(
    tmp_path: Path, opponent: RatedEngine, book: str
) -> None:
    config = MatchConfig(pairs=2, openings=book, workers=1)
    with GameDatabase(tmp_path / "games.sqlite") as store:

        def made(levels: list[int]) -> EloMeasurement:
            return EloMeasurement("chess", "random", opponent, levels, config, store)

        first = made([1500])
        run = store.start_run(first.event, first._run_request)
        again, other = made([1500]), made([1400])
        assert again.resumed
        assert again.event == first.event
        assert not other.resumed
        store.finish_run(run)
        assert not made([1500]).resumed


def test_the_levels_around_an_even_score_are_found(
    tmp_path: Path, opponent: RatedEngine, book: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player of 1480, whose trials are certain; what is asked at each end as well."""
    for truth, expected in ((1480, [1450, 1500]), (1000, [1350]), (9000, [1650])):
        with GameDatabase(tmp_path / f"{truth}.sqlite") as store:
            made = measured(
                store, opponent, book, levels=[1350, 1400, 1450, 1500, 1650], bracket=True
            )

            class Trial:
                def __init__(self, nominal: int, truth: int) -> None:
                    pairs = (0, 0, 0, 0, 0, 10) if nominal < truth else (10, 0, 0, 0, 0, 0)
                    self.scores = {(0, 1): Score(pairs)}

                def standings(self) -> Trial:
                    return self

            def played(specs: list[str], *_: object, truth: int = truth) -> Trial:
                return Trial(int(specs[1].split("elo=")[1].split(",")[0]), truth)

            monkeypatch.setattr(made, "_play", played)
            assert made._bracket(lambda *part: None) == expected


def test_the_command_tells_all_that_a_rating_rests_on(
    tmp_path: Path, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (
        "elo", "chess", "random", "--against", ENGINE, "--levels", "1400", "--games", "2",
        "--itself", "0", "--openings", book, "--seed", "5",
        "--workers", "1", "--file", str(tmp_path / "games.sqlite"),
    )  # fmt: skip
    assert main([*arguments, "--svg", str(tmp_path / "elo.svg")]) == 0
    out = capsys.readouterr().out
    for words in ("Fake 1.0", "depth 1", "1400", "rating", "does not depend on", "warning"):
        assert words in out
    assert (tmp_path / "elo.svg").read_text().startswith("<svg")
    assert main([*arguments, "--json"]) == 0
    again = capsys.readouterr()
    assert json.loads(again.out)["levels"][0]["games"] == 2
    assert "0 of 2 games to play" in again.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--levels", "many"), "--levels many cannot be read"),
        (("--against", "greedy"), "greedy has no levels"),
        (("--levels", "9000", "--against", ENGINE), "levels from 1350 to 1650, not 9000"),
        (("--games", "3"), "3 games cannot be played in pairs"),
    ],
)
def test_a_wrong_wish_is_one_line(
    words: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "x.sqlite")
    assert main(["elo", "chess", "random", *words, "--file", file]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
