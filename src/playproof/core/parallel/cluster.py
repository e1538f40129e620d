"""Tasks on a Ray cluster, behind the same Executor as local processes.

Ray is an extra (``pip install playproof[cluster]``), imported only when a cluster is used.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from playproof.core.errors import PlayproofError, UsageError, one_line

T = TypeVar("T")

LOCAL = "local"  # the address that starts a cluster on this machine


class RayExecutor(Executor):
    """Submits each call as a Ray task of one core."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._remote: dict[Callable[..., Any], Any] = {}

    @property
    def workers(self) -> int:
        """The cores of the whole cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        if fn not in self._remote:
            self._remote[fn] = self._ray.remote(fn)
        return self._remote[fn].remote(*args, **kwargs).future()  # type: ignore[no-any-return]


@contextmanager
def cluster(address: str, *, cores: int | None = None) -> Iterator[RayExecutor]:
    """An Executor over the Ray cluster at ``address``; ``local`` starts one on this machine."""
    try:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray
    except ImportError:
        raise PlayproofError(
            "a cluster needs Ray: install it with pip install 'playproof[cluster]'"
        ) from None
    with tempfile.TemporaryDirectory(prefix="playproof-ray-", ignore_cleanup_errors=True) as home:
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if address == LOCAL:
            # Its own folder and token: otherwise Ray writes into the user's home.
            settings |= {"num_cpus": cores, "include_dashboard": False, "_temp_dir": home}
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        try:
            _check_reachable(address)
            ray.init(address=address, **settings)
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise UsageError(
                f"there is no Ray cluster at {address} ({one_line(error)[:200]}): "
                f"want HOST:PORT of one, or {LOCAL}"
            ) from None
        try:
            pool = RayExecutor(ray)
            _check_same_version(pool)
            yield pool
        finally:
            ray.shutdown()


def _check_reachable(address: str) -> None:
    """Fail at once where nobody listens: Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon:
        socket.create_connection((host, int(port)), timeout=10.0).close()


def fingerprint() -> str:
    """A hash of the sources of this installation of Playproof."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(file.relative_to(package).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _check_same_version(pool: RayExecutor) -> None:
    """Refuse a cluster whose games might differ from this machine's."""
    try:
        theirs = pool.submit(fingerprint).result()
    except Exception as error:
        raise PlayproofError(
            "the cluster's workers cannot run Playproof: install the same version there "
            f"({one_line(error)[-200:]})"
        ) from None
    if theirs != fingerprint():
        raise PlayproofError(
            "the cluster's workers have another version of Playproof than this machine: "
            "install the same one on both"
        )
