"""Alpha-beta search over any game: iterative deepening with a time, depth or
node limit.  With its parts switched off it is the plain minimax of a textbook.

Values are in the game's points from the first player's side; a game that is
over is worth its result times ``WIN`` plus its score, so a value beyond
``PROVEN`` says who wins.  A position whose result the game's probe knows is
worth that result times ``WIN`` plus its evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from playproof.core.batch import Batch
from playproof.core.bits import mix
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, ONGOING, no_probe
from playproof.core.registry import resolve_game
from playproof.core.state import State
from playproof.core.stopping import StopFlag, deadline, interruptible, stop_flag
from playproof.search import alphabeta_kernels as compiled
from playproof.search.alphabeta_kernels import WIN, Space
from playproof.search.alphabeta_settings import MAX_DEPTH, Settings, minimax
from playproof.search.one_ply import best_actions

__all__ = ["MAX_DEPTH", "PROVEN", "WIN", "AlphaBeta", "Result", "Settings", "minimax"]

PROVEN = WIN / 2
_QUIET_PLIES = 28  # how far noisy moves are followed below the deepest ply
_ENTRY_BYTES = 24  # of the transposition table


@dataclass(frozen=True)
class Result:
    """What a search found."""

    value: float  # from the first player's side
    action: int | None  # None if the game is over
    line: tuple[int, ...]  # the play it expects
    depth: int  # of the last depth searched to its end
    nodes: int
    seconds: float
    exhausted: bool  # every line was followed to the end of the game: the value is exact
    statistics: dict[str, float] = field(default_factory=dict)

    @property
    def proven(self) -> bool:
        """Whether the result of the game is certain."""
        return self.exhausted or abs(self.value) > PROVEN


class AlphaBeta:
    """A search with its memory, for one game after the other of one kind."""

    def __init__(self, game: Game | str, settings: Settings | None = None) -> None:
        self.game = resolve_game(game)
        self.settings = settings or Settings()
        self._space = self._make_space()

    def search(
        self,
        state: State,
        *,
        stop: StopFlag | None = None,
        report: Callable[[Result], None] | None = None,
    ) -> Result:
        """Search ``state``; ``report`` hears of every finished depth.

        Raising ``stop[0]`` from another thread ends the search within
        milliseconds, with the best it has.
        """
        if state.game != self.game:
            raise UsageError(f"this search is for {self.game.spec}, not for {state.game.spec}")
        if state.is_terminal:
            value = compiled.terminal_value(float(state.outcome or 0), state.score)
            return Result(value, None, (), 0, 0, 0.0, exhausted=True)
        flag = stop_flag() if stop is None else stop
        with deadline(self.settings.seconds, lambda: flag.fill(1)):
            return interruptible(lambda flag: self._deepen(state, flag, report), flag)

    def forget(self) -> None:
        """Empty the memory, so that the next search owes nothing to earlier ones."""
        self._space = self._make_space()  # zeros that are mapped only where they are touched

    def rank(self, state: State, *, stop: StopFlag | None = None) -> list[tuple[int, Result]]:
        """Every legal action with the search of what follows it, best first.

        Limits hold for each action; the depth counts from ``state``.
        """
        found = []
        settings = self.settings
        deeper = Settings(**{**vars(settings), "depth": max(1, settings.depth - 1)})
        searcher = AlphaBeta(self.game, deeper)
        for action in state.legal_actions():
            after = state.apply(action)
            found.append((action, self._known(after) or searcher.search(after, stop=stop)))
        first = state.current_player in (0, CHANCE)
        return sorted(found, key=lambda pair: -pair[1].value if first else pair[1].value)

    # How it is done

    @property
    def _probing(self) -> bool:
        return self.game.kernels.probe is not no_probe

    def _known(self, state: State) -> Result | None:
        """What the game's probe says of a position that is not over."""
        game, kernels = self.game, self.game.kernels
        if not self._probing or state.is_terminal:
            return None
        arguments = (game.option_words, game.tables, state.row.copy(), state.history)
        result = int(kernels.probe(*arguments))
        if result == ONGOING:
            return None
        points = (kernels.evaluate or kernels.score)(*arguments)
        value = compiled.terminal_value(float(result), float(points))
        return Result(value, None, (), 0, 1, 0.0, exhausted=True)

    def _deepen(
        self, state: State, flag: StopFlag, report: Callable[[Result], None] | None
    ) -> Result:
        began = time.perf_counter()
        space = self._prepare(state, flag)
        best: Result | None = None
        first = 1 if self.settings.deepening else self.settings.depth
        for depth in range(first, self.settings.depth + 1):
            estimated = self._estimated(space)
            value = compiled.search(
                self.game.kernel_table, self.game.option_words, self.game.tables, space, depth,
                len(state.history), self._trail(state), state.ply,
            )  # fmt: skip
            stopped = bool(flag[0])
            if stopped and int(space.counts[0, compiled.ACTION]) < 0:
                break  # not one move of this depth was finished
            exhausted = not stopped and self._estimated(space) == estimated
            found = self._result(float(value), depth - stopped, began, exhausted)
            losing = self._loses(state, found)
            if best is None or not losing:
                # A lost position is played by the depth that did not see it lost.
                best = found
            else:
                best = Result(**{**vars(found), "action": best.action, "line": best.line})
            if report and not stopped:
                report(best)
            if stopped or best.proven:
                break
        return best or self._glance(state, began)

    def _estimated(self, space: Space) -> int:
        """Values so far that may rest on an evaluation: a known position's may too."""
        statistics = space.statistics
        return int(statistics[compiled.EVALUATED] + statistics[compiled.HITS])

    def _loses(self, state: State, found: Result) -> bool:
        sign = -1.0 if state.current_player == 1 else 1.0
        return sign * found.value < -PROVEN

    def _glance(self, state: State, began: float) -> Result:
        """Stopped before anything was known: the best move at first sight."""
        actions, values = best_actions(Batch.of([state]))
        seconds = time.perf_counter() - began
        action = int(actions[0])
        return Result(float(values[0]), action, (action,), 0, 1, seconds, exhausted=False)

    def _result(self, value: float, depth: int, began: float, exhausted: bool) -> Result:
        statistics, lines = self._space.statistics, self._space.lines
        line = tuple(int(a) for a in lines[0, 1 : 1 + lines[0, 0]])
        nodes, cuts = int(statistics[compiled.NODES]), int(statistics[compiled.CUTS])
        seconds = time.perf_counter() - began
        return Result(
            value=value,
            action=line[0] if line else None,
            line=line,
            depth=depth,
            nodes=nodes,
            seconds=seconds,
            exhausted=exhausted,
            statistics={
                "evaluated": int(statistics[compiled.EVALUATED]),
                "table_hits": int(statistics[compiled.HITS]),
                "cuts": cuts,
                "first_move_cuts": int(statistics[compiled.FIRST_CUTS]) / max(cuts, 1),
                "nodes_per_second": nodes / max(seconds, 1e-9),
                **({"probed": int(statistics[compiled.PROBED])} if self._probing else {}),
            },
        )

    def _trail(self, state: State) -> np.uint64:
        trail = np.uint64(0)
        for earlier in state.history:
            trail ^= np.uint64(mix(earlier))
        return trail

    def _make_space(self) -> Space:
        game, settings = self.game, self.settings
        plies = min(settings.depth, MAX_DEPTH) + _QUIET_PLIES * settings.quiescence + 2
        # A search of so many nodes stores no more positions: memory that is touched costs time.
        most = 4 * settings.nodes or settings.table_mb * 2**20
        entries = 2
        while (
            settings.table
            and 2 * entries * _ENTRY_BYTES <= settings.table_mb * 2**20
            and entries < most
        ):
            entries *= 2
        return Space(
            states=np.zeros((plies, game.words), np.uint64),
            lists=np.zeros((plies, game.action_room), np.int32),
            worths=np.zeros((plies, game.action_room), np.int64),
            odds=np.zeros((plies, game.action_room), np.float64),
            lines=np.zeros((plies + 1, plies + 1), np.int64),
            killers=np.full((plies, 2), -1, np.int64),
            bounds=np.zeros((plies, 5), np.float64),
            counts=np.zeros((plies, 7), np.int64),
            trails=np.zeros(plies, np.uint64),
            keys_here=np.zeros(plies, np.uint64),
            hashes=np.zeros(plies, np.uint64),
            history=np.zeros((2, game.num_actions), np.int64),
            marks=np.zeros(game.num_actions, np.int64),
            keys=np.zeros(entries, np.uint64),
            values=np.zeros(entries, np.float64),
            facts=np.zeros(entries, np.int64),
            switches=self._switches(),
            statistics=np.zeros(compiled.STATISTICS, np.int64),
            stop=stop_flag(),
        )

    def _switches(self) -> np.ndarray:
        s = self.settings
        parts = [s.pruning, s.scout, s.killers, s.history, s.table, s.equal_depth, s.quiescence]
        path = self.game.uses_history
        by_path = path and self.game.history_binds
        return np.array([*parts, path, self._probing, False, by_path], np.int64)

    def _prepare(self, state: State, flag: StopFlag) -> Space:
        """The memory, made ready for a search from ``state``."""
        space = self._space
        left = self.game.actions_left(state)
        plies = len(space.states)
        known = len(state.history)
        hashes = np.zeros(known + plies, np.uint64)
        hashes[:known] = state.history
        self._space = space = space._replace(hashes=hashes, stop=flag)
        space.states[0] = state.row
        space.killers.fill(-1)
        space.history[:] >>= 3  # what refuted in the last search may do so again
        space.marks.fill(0)
        space.statistics.fill(0)
        space.statistics[compiled.NODE_LIMIT] = self.settings.nodes
        # Near the cap on actions a position's value depends on its ply; for a probe, which
        # sees to the end of the game, the cap is always near.
        space.switches[compiled.BY_PLY] = left is not None and (left <= plies or self._probing)
        if self.settings.equal_depth:
            space.keys.fill(0)  # entries of another root would be of another depth
        return space
