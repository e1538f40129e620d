"""A kill in the middle of games; ``make verify`` has twenty, with jobs.

Jobs whose lab is killed are tested in ``tests/web/jobs``.
"""

from __future__ import annotations

from web.load import killing


def test_no_move_that_was_shown_is_lost() -> None:
    killed = killing.run(1, seed=11, longest=0.3, iterations=0, games=0, moves=30)
    assert killed.moves >= 30
    assert killed.longest < killing.GONE_WITHIN
