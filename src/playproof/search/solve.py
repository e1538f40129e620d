"""The exact value of a position, proven: Othello near its end, small boards of Go."""

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

_BY_MARGIN = ("go", "quantum-go")


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

    Of Othello it gives a ``Solution`` from the mover's side: the score with best play and a line
    that keeps it, or with ``exact=False`` only who wins.  Of Go and Quantum Go it gives a
    ``Margin``: by how much Black wins, komi aside.  Where ``seconds`` or ``stop`` ended it early,
    ``Solution.finished`` or ``Margin.exact`` is false and the bounds are what is proven so far.

    >>> import playproof
    >>> othello = playproof.make("othello", size=4)
    >>> solution = playproof.solve(othello)
    >>> solution.score, othello.action_name(solution.best_move)
    (-8, 'b1')
    >>> playproof.solve("go:board=2x2").lower
    1
    """
    state = resolve_state(position)
    game, flag = state.game, stop
    if game.name in _BY_MARGIN:
        if state.actions or state != game.start() or not exact:
            raise UsageError(f"{game.name} is solved from the start, and by how much")
        return _solve_board(game, seconds, megabytes, flag, on_progress)
    if game.name != "othello":
        raise UsageError(
            f"there is no solver for {game.name}: want othello, go or quantum-go, or look as far "
            f"as it takes with playproof analyse {game.spec} --agent alphabeta:depth=20"
        )
    if state.is_terminal:
        raise DataError(f"the game is over ({state.view().over}): there is nothing to solve")
    return interruptible(
        lambda flag: othello_endgame.solve(
            state, exact=exact, megabytes=megabytes, seconds=seconds, stop=flag
        ),
        flag,
    )


def _solve_board(
    game: Game,
    seconds: float | None,
    megabytes: int,
    stop: StopFlag | None,
    on_progress: Callable[[str], None] | None,
) -> Margin:
    """Under simple ko a board is a graph and is solved whole; superko needs the past, so there
    it is searched."""
    tell = on_progress or (lambda text: None)
    if game.options["ko"] == "simple":
        whole = small_boards.solve(
            game, progress=lambda done, known: tell(f"{done:,} of {known:,} decisions")
        )
        return Margin(whole.lower, whole.upper, (), whole.nodes, whole.seconds)
    return interruptible(
        lambda flag: solve_margin(
            game, seconds=seconds, megabytes=megabytes, stop=flag,
            report=lambda low, high: tell(f"{low:+d} to {high:+d}"),
        ),
        stop,
    )  # fmt: skip
