"""Jobs on a cluster: our side of it.  A real cluster plays a tournament in make verify."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

import pytest

from playproof import PlayproofError, UsageError
from playproof.core.parallel import cluster as ours
from playproof.core.parallel.cluster import LOCAL, cluster
from tests.support.core import executor_tasks
from tests.support.core.fake_ray import FakeRay


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    found = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", found)
    # Who works on the sources while the tests run has two versions of them.
    monkeypatch.setattr(ours, "fingerprint", functools.cache(ours.fingerprint))
    for name in ("RAY_AUTH_TOKEN", "RAY_USAGE_STATS_ENABLED"):
        monkeypatch.setenv(name, "0")  # so that it is as before, afterwards
        del os.environ[name]
    return found


def test_jobs_are_done_there(ray: FakeRay) -> None:
    with cluster(LOCAL) as pool:
        assert pool.workers == 3
        assert [pool.submit(executor_tasks.slow_square, n, 0.0).result() for n in (2, 3)] == [4, 9]
        with pytest.raises(ZeroDivisionError):
            pool.submit(lambda: 1 // 0).result()
        assert not ray.ended
    assert ray.ended
    assert ray.tasks == ["fingerprint", "slow_square", "slow_square", "<lambda>"]


def test_a_cluster_of_our_own_writes_to_a_folder_that_goes_away(ray: FakeRay) -> None:
    with cluster(LOCAL, cores=2):
        assert ray.settings is not None
        assert ray.settings["num_cpus"] == 2
        folder = Path(ray.settings["_temp_dir"])
        assert folder.is_dir()
        assert len(os.environ["RAY_AUTH_TOKEN"]) == 64
        assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    assert not folder.exists()


def test_another_ones_cluster_is_taken_as_it_is(ray: FakeRay) -> None:
    with cluster("auto", cores=2):
        assert ray.settings is not None
        assert ray.settings["address"] == "auto"
        assert not {"num_cpus", "_temp_dir"} & set(ray.settings)


def test_it_ends_with_an_error_too(ray: FakeRay) -> None:
    with pytest.raises(KeyError), cluster(LOCAL):
        raise KeyError
    assert ray.ended


def test_other_games_than_ours_are_not_played(
    ray: FakeRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = iter(["theirs", "ours"])
    monkeypatch.setattr(ours, "fingerprint", lambda: next(versions))
    with pytest.raises(PlayproofError, match="have another version of Playproof"), cluster(LOCAL):
        pytest.fail("it was taken")
    assert ray.ended
    with pytest.raises(PlayproofError, match="cannot run Playproof: install"), cluster(LOCAL):
        pytest.fail("it was taken")


def test_what_is_not_there_is_one_line(ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("nowhere", "127.0.0.1:1", "ray://127.0.0.1:1", "here:there"):
        with pytest.raises(UsageError) as refused, cluster(address):
            pytest.fail("it was found")
        assert str(refused.value).startswith(f"there is no Ray cluster at {address} (")
        assert "want HOST:PORT of one, or local" in str(refused.value)
        assert "\n" not in str(refused.value)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PlayproofError, match="a cluster needs Ray: install it with pip"):
        cluster(LOCAL).__enter__()
