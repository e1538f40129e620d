"""Which networks the lab offers and takes for which game: those that cover it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from playproof import make
from playproof.nets import shipped
from playproof.nets.files import save
from playproof.web.catalog import listing as catalog
from playproof.web.protocol.refusal import Refusal
from tests.nets.test_game_families import COVERED, OTHERS, family_net


def forget() -> None:
    for kept in (catalog._coverage, catalog._lacks_torch, catalog._catalog):
        kept.cache_clear()


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    forget()
    yield
    forget()


def test_a_net_is_taken_for_the_games_that_it_covers() -> None:
    for spec in ("net:choko-ppo-v1", "mcts:net=choko-ppo-v3,simulations=10"):
        for game in ("choko", "choko:cap=0"):
            assert catalog.check_agent(spec, make(game)) == spec
        with pytest.raises(Refusal, match=r"does not play choko:lone_jump=true: it plays choko$"):
            catalog.check_agent(spec, make("choko:lone_jump"))


@pytest.mark.parametrize("name", ["wide", "run/wide"])
def test_a_net_of_a_family_is_taken_for_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path))
    save(family_net(), tmp_path / "wide.safetensors")
    save(family_net(), tmp_path / "runs" / "wide" / "net.safetensors")
    for game in COVERED:
        assert catalog.check_agent(f"net:{name}", make(game)) == f"net:{name}"
    for game, wanted in OTHERS.items():
        with pytest.raises(Refusal) as told:
            catalog.check_agent(f"net:{name}", make(game))
        assert name in str(told.value)
        assert make(game).spec in str(told.value)
        assert str(tmp_path) not in str(told.value)
        assert wanted in str(told.value) or name == "wide"


def test_an_opponent_whose_net_plays_no_variant_is_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offered() -> list[str]:
        forget()
        games = {game["name"]: game for game in catalog.catalog()["games"]}
        return [opponent["spec"] for opponent in games["choko"]["opponents"]]

    assert "net:choko-ppo-v1" in offered()
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    save(family_net(), tmp_path / "choko-ppo-v1.safetensors")  # of another game, by this name
    assert "net:choko-ppo-v1" not in offered()
    (tmp_path / "choko-ppo-v1.safetensors").write_bytes(b"damaged")
    assert {"random", "greedy"} <= set(offered())
