"""The proven value of a position: Othello endings, and small boards of Go and Quantum Go."""

from __future__ import annotations

from collections.abc import Callable

from playproof.core.errors import DataError, UsageError
from playproof.core.game import Game
from playproof.core.registry import resolve_state
from playproof.core.state import State
from playproof.core.stopping import StopFlag, interruptible
from playproof.search.othello_endgame import solver as othello_endgame
from playproof.search.othello_endgame.solver import Solution
from playproof.search.small_board_margins import Margin, solve_margin
from playproof.tables import small_boards

_SOLVED_BY_MARGIN = ("go", "quantum-go")


def solve(
    position: Game | State | str,
    *,
    exact: bool = True,
    seconds: float | None = None,
    megabytes: int = 64,
    stop: StopFlag | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Solution | Margin:
    """Solve a position of Othello, or a small board of Go or Quantum Go from its start.

    For Othello the result is a ``Solution`` from the mover's side: the score with best play and a
    line that achieves it, or with ``exact=False`` only who wins. For Go and Quantum Go it is a
    ``Margin``: how much Black wins by, komi aside. If ``seconds`` or ``stop`` ends the search
    early, ``Solution.finished`` or ``Margin.exact`` is false and the bounds are those proven so
    far.

    >>> import playproof
    >>> othello = playproof.make("othello", size=4)
    >>> solution = playproof.solve(othello)
    >>> solution.score, othello.action_name(solution.best_move)
    (-8, 'b1')
    >>> playproof.solve("go:board=2x2").lower
    1
    """
    state = resolve_state(position)
    game = state.game
    if game.name in _SOLVED_BY_MARGIN:
        if state.actions or state != game.start() or not exact:
            raise UsageError(f"{game.name} is solved from the start, and by how much")
        return _solve_board(game, seconds, megabytes, stop, on_progress)
    if game.name != "othello":
        raise UsageError(
            f"there is no solver for {game.name}: want othello, go or quantum-go, or search as "
            f"deep as needed with playproof analyse {game.spec} --agent alphabeta:depth=20"
        )
    if state.is_terminal:
        raise DataError(f"the game is over ({state.view().over}): there is nothing to solve")
    return interruptible(
        lambda flag: othello_endgame.solve(
            state, exact=exact, megabytes=megabytes, seconds=seconds, stop=flag
        ),
        stop,
    )


def _solve_board(
    game: Game,
    seconds: float | None,
    megabytes: int,
    stop: StopFlag | None,
    on_progress: Callable[[str], None] | None,
) -> Margin:
    """Solve a small board from its start.

    Under simple ko the board is a finite graph and is solved whole. Superko depends on the past,
    so such a board is searched.
    """
    report = on_progress or (lambda text: None)
    if game.options["ko"] == "simple":
        bounds = small_boards.solve(
            game,
            on_progress=lambda expanded, reached: report(f"{expanded:,} of {reached:,} decisions"),
        )
        return Margin(bounds.lower, bounds.upper, (), bounds.nodes, bounds.seconds)
    return interruptible(
        lambda flag: solve_margin(
            game, seconds=seconds, megabytes=megabytes, stop=flag,
            on_progress=lambda low, high: report(f"{low:+d} to {high:+d}"),
        ),
        stop,
    )  # fmt: skip
