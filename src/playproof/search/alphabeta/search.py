"""Alpha-beta search over any game: iterative deepening with a time, depth or
node limit.  With its parts switched off it is the plain minimax of a textbook.

Values are in the game's points from the first player's side; a game that is
over is worth its result times ``WIN`` plus its score, so a value beyond
``PROVEN`` says who wins.  A position whose result the game's probe knows is
worth that result times ``WIN`` plus its evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch
from playproof.core.bits import mix
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import no_probe
from playproof.core.registry import resolve_game
from playproof.core.state import State
from playproof.core.stopping import StopFlag, deadline, interruptible, stop_flag
from playproof.search.alphabeta import kernels as compiled
from playproof.search.alphabeta.config import MAX_DEPTH, Settings, minimax
from playproof.search.alphabeta.kernels import WIN, Space
from playproof.search.one_ply import best_actions

__all__ = ["MAX_DEPTH", "PROVEN", "WIN", "AlphaBeta", "Result", "Settings", "minimax"]

PROVEN = WIN / 2
_QUIET_PLIES = 28  # how far noisy moves are followed below the deepest ply
_ENTRY_BYTES = 24  # of the transposition table
_SWITCHES = 12


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


@dataclass(frozen=True)
class _Plan:
    """What one search is to do."""

    settings: Settings
    lines: int
    barred: npt.NDArray[np.uint8]  # (num_actions,) 1 for moves that are not looked at
    restricted: bool  # whether there are any


def _choices(
    state: State, lines: int, actions: Sequence[int]
) -> tuple[int, npt.NDArray[np.uint8], bool]:
    legal = state.legal_actions()
    wanted = [action for action in legal if action in actions] if actions else legal
    if not wanted:
        raise UsageError("none of the moves to look at is legal here")
    barred = np.zeros(state.game.num_actions, np.uint8)
    if actions:
        barred[list(set(legal) - set(wanted))] = 1
    return max(1, min(lines, len(wanted))), barred, len(wanted) < len(legal)


class AlphaBeta:
    """A search with its memory, for one game after the other of one kind."""

    def __init__(self, game: Game | str, settings: Settings | None = None) -> None:
        self.game = resolve_game(game)
        self.settings = settings or Settings()
        self._space: Space | None = None

    def search(
        self,
        state: State,
        *,
        settings: Settings | None = None,
        stop: StopFlag | None = None,
        on_progress: Callable[[Result], None] | None = None,
    ) -> Result:
        """Search ``state``; ``on_progress`` hears of every finished depth.

        ``settings`` are the search's own unless others are given for this once.  Raising
        ``stop[0]`` from another thread ends the search within milliseconds, with the best it
        has.
        """
        hear = None if on_progress is None else lambda lines: on_progress(lines[0])
        found = self.search_lines(state, 1, settings=settings, stop=stop, on_progress=hear)
        return found[0]

    def search_lines(
        self,
        state: State,
        lines: int,
        *,
        actions: Sequence[int] = (),
        settings: Settings | None = None,
        stop: StopFlag | None = None,
        on_progress: Callable[[list[Result]], None] | None = None,
    ) -> list[Result]:
        """The best ``lines`` moves with what follows each, best first; all moves if there are
        no more.  Only ``actions`` are looked at, if any are given.

        Each depth searches the best move, then the best of the others, and so on, so that
        all lines are of one depth; limits hold for all of them together.
        """
        if state.game != self.game:
            raise UsageError(f"this search is for {self.game.spec}, not for {state.game.spec}")
        if state.is_terminal:
            value = compiled.terminal_value(float(state.outcome or 0), state.score)
            return [Result(value, None, (), 0, 0, 0.0, exhausted=True)]
        flag = stop_flag() if stop is None else stop
        plan = _Plan(settings or self.settings, *_choices(state, lines, actions))
        with deadline(plan.settings.seconds, lambda: flag.fill(1)):
            return interruptible(lambda flag: self._deepen(state, plan, flag, on_progress), flag)

    def forget(self, settings: Settings | None = None) -> None:
        """Empty the memory, so that the next search owes nothing to earlier ones; what is made
        is for a search by ``settings``."""
        # Zeros are mapped only where they are touched, if they are made before the old ones go:
        # memory that has just been given back would be cleared by hand, all of it.
        self._space = self._make_space(*self._sizes(settings or self.settings))

    # How it is done

    @property
    def _probing(self) -> bool:
        return self.game.kernels.probe is not no_probe

    def _deepen(
        self,
        state: State,
        plan: _Plan,
        flag: StopFlag,
        on_progress: Callable[[list[Result]], None] | None,
    ) -> list[Result]:
        began = time.perf_counter()
        settings = plan.settings
        space = self._prepare(state, settings, flag)
        best: list[Result] = []
        first = 1 if settings.deepening else settings.depth
        for depth in range(first, settings.depth + 1):
            settled = [line for line in best if line.proven] if plan.lines > 1 else []
            found = self._depth(state, space, plan, depth, settled, began)
            stopped = bool(flag[0])
            if not found and not settled:
                break  # not one move of this depth was finished
            best = self._together(state, plan, found, settled, best)
            if on_progress and not stopped:
                on_progress(best)
            if stopped or all(line.proven for line in best):
                break
        return best or [self._glance(state, plan, began)]

    def _depth(
        self,
        state: State,
        space: Space,
        plan: _Plan,
        depth: int,
        settled: list[Result],
        began: float,
    ) -> list[Result]:
        """The lines of one depth, as many of them as there is time for."""
        found: list[Result] = []
        while len(settled) + len(found) < plan.lines:
            known = [line.action for line in (*settled, *found) if line.action is not None]
            space.barred[:] = plan.barred
            space.barred[known] = 1
            space.switches[compiled.BARRED] = bool(known) or plan.restricted
            estimated = self._estimated(space)
            value = compiled.search(
                self.game.kernel_table, self.game.option_words, self.game.tables, space, depth,
                len(state.history), self._trail(state), state.ply,
            )  # fmt: skip
            stopped = bool(space.stop[0])
            if stopped and int(space.counts[0, compiled.ACTION]) < 0:
                break
            exhausted = not stopped and self._estimated(space) == estimated
            line = self._result(float(value), depth - stopped, began, exhausted)
            found.append(self._continued(state, line) if plan.lines > 1 else line)
            if stopped:
                break
        return found

    def _continued(self, state: State, found: Result) -> Result:
        """A line that ends where a stored value was found, with the moves stored from there."""
        space, line = self._space, list(found.line)
        assert space is not None
        for action in line:
            state = state.apply(action)
        while not state.is_terminal and not state.is_chance and len(line) < found.depth:
            key = np.uint64(self.game.kernels.hash(self.game.option_words, state.row.copy()))
            if space.switches[compiled.BY_PATH]:
                key ^= np.uint64(mix(self._trail(state)))
            if space.switches[compiled.BY_PLY]:
                key ^= np.uint64(mix(np.uint64(state.ply + 0x51ED)))
            slot = compiled.find_entry(space.keys, key)
            action = -1 if slot < 0 else (int(space.facts[slot]) >> 32) - 1
            if action not in state.legal_actions():
                break
            line.append(action)
            state = state.apply(action)
        return Result(**{**vars(found), "line": tuple(line)})

    def _together(
        self,
        state: State,
        plan: _Plan,
        found: list[Result],
        settled: list[Result],
        before: list[Result],
    ) -> list[Result]:
        """The lines of this depth, with those that are proven; where time was up, the others
        are those of the depth before."""
        if plan.lines == 1:
            if before and self._loses(state, found[0]):
                # A lost position is played by the depth that did not see it lost.
                kept = {"action": before[0].action, "line": before[0].line}
                return [Result(**{**vars(found[0]), **kept})]
            return found
        sign = -1.0 if state.current_player == 1 else 1.0
        ordered = sorted([*found, *settled], key=lambda line: -sign * line.value)
        known = {line.action for line in ordered}
        ordered += [line for line in before if line.action not in known]
        return ordered[: plan.lines]

    def _estimated(self, space: Space) -> int:
        """Values so far that may rest on an evaluation: a known position's may too."""
        statistics = space.statistics
        return int(statistics[compiled.EVALUATED] + statistics[compiled.HITS])

    def _loses(self, state: State, found: Result) -> bool:
        sign = -1.0 if state.current_player == 1 else 1.0
        return sign * found.value < -PROVEN

    def _glance(self, state: State, plan: _Plan, began: float) -> Result:
        """Stopped before anything was known: the best move at first sight."""
        actions, values = best_actions(Batch.of([state]))
        action, value = int(actions[0]), float(values[0])
        if plan.barred[action]:
            action = next(a for a in state.legal_actions() if not plan.barred[a])
            value = state.apply(action).score
        seconds = time.perf_counter() - began
        return Result(value, action, (action,), 0, 1, seconds, exhausted=False)

    def _result(self, value: float, depth: int, began: float, exhausted: bool) -> Result:
        assert self._space is not None
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

    def _sizes(self, settings: Settings) -> tuple[int, int]:
        """Plies, and entries of the transposition table, for which a search needs room."""
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
        return plies, entries

    def _space_for(self, settings: Settings) -> Space:
        """The memory of earlier searches, unless it is too small for this one."""
        plies, entries = self._sizes(settings)
        space = self._space
        if space is None or len(space.states) < plies or len(space.keys) < entries:
            space = self._make_space(plies, entries)
        return space

    def _make_space(self, plies: int, entries: int) -> Space:
        game = self.game
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
            barred=np.zeros(game.num_actions, np.uint8),
            keys=np.zeros(entries, np.uint64),
            values=np.zeros(entries, np.float64),
            facts=np.zeros(entries, np.int64),
            switches=np.zeros(_SWITCHES, np.int64),
            statistics=np.zeros(compiled.STATISTICS, np.int64),
            stop=stop_flag(),
        )

    def _switches(self, s: Settings) -> list[bool]:
        parts = [s.pruning, s.scout, s.killers, s.history, s.table, s.equal_depth, s.quiescence]
        path = self.game.uses_history
        by_path = path and self.game.history_binds
        return [*parts, path, self._probing, False, by_path, False]

    def _prepare(self, state: State, settings: Settings, flag: StopFlag) -> Space:
        """The memory, made ready for a search from ``state``."""
        space = self._space_for(settings)
        space.switches[:] = self._switches(settings)
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
        space.statistics[compiled.NODE_LIMIT] = settings.nodes
        # Near the cap on actions a position's value depends on its ply; for a probe, which
        # sees to the end of the game, the cap is always near.
        space.switches[compiled.BY_PLY] = left is not None and (left <= plies or self._probing)
        if settings.equal_depth:
            space.keys.fill(0)  # entries of another root would be of another depth
        return space
