"""Alpha-beta search over any game, by iterative deepening with a time, depth or node limit.

With all techniques switched off it is the plain minimax of a textbook.

Values are in the game's points from the first player's side. The value of a finished game is its
result times ``WIN`` plus its score, so a value beyond ``PROVEN`` says who wins. The value of a
position whose result the game's probe knows is that result times ``WIN`` plus its evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

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
from playproof.search.alphabeta.config import MAX_DEPTH, AlphaBetaConfig, minimax
from playproof.search.alphabeta.kernels import WIN, Workspace
from playproof.search.one_ply import best_actions

__all__ = [
    "MAX_DEPTH",
    "PROVEN",
    "WIN",
    "AlphaBeta",
    "AlphaBetaConfig",
    "AlphaBetaResult",
    "minimax",
]

PROVEN = WIN / 2
_QUIET_PLIES = 28  # how far noisy moves are followed below the deepest ply
_ENTRY_BYTES = 24  # of an entry of the transposition table
_SWITCHES = 12


@dataclass(frozen=True)
class AlphaBetaResult:
    """The value of a position and the expected play."""

    value: float  # from the first player's side
    action: int | None  # None if the game is over
    line: tuple[int, ...]  # the expected play
    depth: int  # the last depth that was searched completely
    nodes: int
    seconds: float
    exhausted: bool  # every line was followed to the end of the game: the value is exact
    statistics: dict[str, float] = field(default_factory=dict)

    @property
    def proven(self) -> bool:
        """Whether the result of the game is proven."""
        return self.exhausted or abs(self.value) > PROVEN


@dataclass(frozen=True)
class _Request:
    """The parameters of one search."""

    config: AlphaBetaConfig
    lines: int
    excluded: npt.NDArray[np.uint8]  # (num_actions,) 1 for moves that are not searched
    restricted: bool  # whether any move is excluded


def _candidates(
    state: State, lines: int, actions: Sequence[int]
) -> tuple[int, npt.NDArray[np.uint8], bool]:
    """The last three fields of a request to search only ``actions``, or all moves if empty."""
    legal = state.legal_actions()
    candidates = [action for action in legal if action in actions] if actions else legal
    if not candidates:
        raise UsageError("none of the moves to search is legal here")
    excluded = np.zeros(state.game.num_actions, np.uint8)
    if actions:
        excluded[list(set(legal) - set(candidates))] = 1
    return max(1, min(lines, len(candidates))), excluded, len(candidates) < len(legal)


class AlphaBeta:
    """A search of one game, whose memory is kept from search to search."""

    def __init__(self, game: Game | str, config: AlphaBetaConfig | None = None) -> None:
        self.game = resolve_game(game)
        self.config = config or AlphaBetaConfig()
        self._work: Workspace | None = None

    def search(
        self,
        state: State,
        *,
        config: AlphaBetaConfig | None = None,
        stop: StopFlag | None = None,
        on_progress: Callable[[AlphaBetaResult], None] | None = None,
    ) -> AlphaBetaResult:
        """Search ``state``; ``on_progress`` gets the result of every finished depth.

        ``config`` replaces the search's own config for this call. Raising ``stop[0]`` from another
        thread ends the search within milliseconds, with the best move so far.
        """
        on_lines = None if on_progress is None else lambda lines: on_progress(lines[0])
        return self.search_lines(state, 1, config=config, stop=stop, on_progress=on_lines)[0]

    def search_lines(
        self,
        state: State,
        lines: int,
        *,
        actions: Sequence[int] = (),
        config: AlphaBetaConfig | None = None,
        stop: StopFlag | None = None,
        on_progress: Callable[[list[AlphaBetaResult]], None] | None = None,
    ) -> list[AlphaBetaResult]:
        """The best ``lines`` moves, or all if there are fewer, each with its expected play.

        The best move comes first. If ``actions`` are given, only they are searched. Each depth
        searches the best move, then the best of the others, and so on, so that all lines have the
        same depth. Limits apply to all lines together.
        """
        if state.game != self.game:
            raise UsageError(f"this search is for {self.game.spec}, not for {state.game.spec}")
        if state.is_terminal:
            value = compiled.terminal_value(float(state.outcome or 0), state.score)
            return [AlphaBetaResult(value, None, (), 0, 0, 0.0, exhausted=True)]
        flag = stop_flag() if stop is None else stop
        request = _Request(config or self.config, *_candidates(state, lines, actions))
        with deadline(request.config.seconds, lambda: flag.fill(1)):
            return interruptible(lambda flag: self._deepen(state, request, flag, on_progress), flag)

    def clear(self, config: AlphaBetaConfig | None = None) -> None:
        """Clear the memory, so that the next search does not depend on earlier ones.

        The new memory is large enough for a search with ``config``.
        """
        # The new arrays are allocated before the old ones are freed: the system maps fresh zero
        # pages only when they are touched, but would clear reused memory at once.
        self._work = self._make_workspace(*self._sizes(config or self.config))

    @property
    def _probing(self) -> bool:
        return self.game.kernels.probe is not no_probe

    def _deepen(
        self,
        state: State,
        request: _Request,
        flag: StopFlag,
        on_progress: Callable[[list[AlphaBetaResult]], None] | None,
    ) -> list[AlphaBetaResult]:
        """Search depth after depth, until a limit or until all lines are proven."""
        started = time.perf_counter()
        config = request.config
        work = self._prepare(state, config, flag)
        best: list[AlphaBetaResult] = []
        first = 1 if config.deepening else config.depth
        for depth in range(first, config.depth + 1):
            proven = [line for line in best if line.proven] if request.lines > 1 else []
            results = self._search_depth(state, work, request, depth, proven, started)
            stopped = bool(flag[0])
            if not results and not proven:
                break  # no move of this depth was finished
            best = self._merge_lines(state, request, results, proven, best)
            if on_progress and not stopped:
                on_progress(best)
            if stopped or all(line.proven for line in best):
                break
        return best or [self._one_ply_result(state, request, started)]

    def _search_depth(
        self,
        state: State,
        work: Workspace,
        request: _Request,
        depth: int,
        proven: list[AlphaBetaResult],
        started: float,
    ) -> list[AlphaBetaResult]:
        """The lines of one depth beside those that are proven, as many as time allows."""
        results: list[AlphaBetaResult] = []
        while len(proven) + len(results) < request.lines:
            searched = [line.action for line in (*proven, *results) if line.action is not None]
            work.excluded[:] = request.excluded
            work.excluded[searched] = 1
            work.switches[compiled.EXCLUDED] = bool(searched) or request.restricted
            inexact = self._inexact_values(work)
            value = compiled.search(
                self.game.kernel_table, self.game.option_words, self.game.tables, work, depth,
                len(state.history), self._path_hash(state), state.ply,
            )  # fmt: skip
            stopped = bool(work.stop[0])
            if stopped and int(work.counts[0, compiled.ACTION]) < 0:
                break
            exhausted = not stopped and self._inexact_values(work) == inexact
            result = self._read_result(float(value), depth - stopped, started, exhausted)
            results.append(self._extend_line(state, result) if request.lines > 1 else result)
            if stopped:
                break
        return results

    def _extend_line(self, state: State, result: AlphaBetaResult) -> AlphaBetaResult:
        """Extend a line that ends at a stored value by the moves in the transposition table."""
        work, line = self._work, list(result.line)
        assert work is not None
        for action in line:
            state = state.apply(action)
        while not state.is_terminal and not state.is_chance and len(line) < result.depth:
            key = np.uint64(self.game.kernels.hash(self.game.option_words, state.row.copy()))
            if work.switches[compiled.BY_PATH]:
                key ^= np.uint64(mix(self._path_hash(state)))
            if work.switches[compiled.BY_PLY]:
                key ^= np.uint64(mix(np.uint64(state.ply + 0x51ED)))
            slot = compiled.find_entry(work.keys, key)
            action = -1 if slot < 0 else (int(work.entries[slot]) >> 32) - 1
            if action not in state.legal_actions():
                break
            line.append(action)
            state = state.apply(action)
        return replace(result, line=tuple(line))

    def _merge_lines(
        self,
        state: State,
        request: _Request,
        results: list[AlphaBetaResult],
        proven: list[AlphaBetaResult],
        before: list[AlphaBetaResult],
    ) -> list[AlphaBetaResult]:
        """The lines of this depth and the proven ones, best first.

        If time ran out, lines of the depth ``before`` fill the rest.
        """
        if request.lines == 1:
            if before and self._loses(state, results[0]):
                # In a lost position, play the move of the last depth that did not see the loss.
                return [replace(results[0], action=before[0].action, line=before[0].line)]
            return results
        sign = -1.0 if state.current_player == 1 else 1.0
        ordered = sorted([*results, *proven], key=lambda line: -sign * line.value)
        searched = {line.action for line in ordered}
        ordered += [line for line in before if line.action not in searched]
        return ordered[: request.lines]

    def _inexact_values(self, work: Workspace) -> int:
        """How many values so far may rest on an evaluation; stored values may, too."""
        statistics = work.statistics
        return int(statistics[compiled.EVALUATED] + statistics[compiled.HITS])

    def _loses(self, state: State, result: AlphaBetaResult) -> bool:
        sign = -1.0 if state.current_player == 1 else 1.0
        return sign * result.value < -PROVEN

    def _one_ply_result(self, state: State, request: _Request, started: float) -> AlphaBetaResult:
        """The best move by one ply, for a search that was stopped before any move was finished."""
        actions, values = best_actions(Batch.of([state]))
        action, value = int(actions[0]), float(values[0])
        if request.excluded[action]:
            action = next(a for a in state.legal_actions() if not request.excluded[a])
            value = state.apply(action).score
        seconds = time.perf_counter() - started
        return AlphaBetaResult(value, action, (action,), 0, 1, seconds, exhausted=False)

    def _read_result(
        self, value: float, depth: int, started: float, exhausted: bool
    ) -> AlphaBetaResult:
        assert self._work is not None
        statistics, lines = self._work.statistics, self._work.lines
        line = tuple(int(a) for a in lines[0, 1 : 1 + lines[0, 0]])
        nodes, cuts = int(statistics[compiled.NODES]), int(statistics[compiled.CUTS])
        seconds = time.perf_counter() - started
        return AlphaBetaResult(
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

    def _path_hash(self, state: State) -> np.uint64:
        path_hash = np.uint64(0)
        for earlier in state.history:
            path_hash ^= np.uint64(mix(earlier))
        return path_hash

    def _sizes(self, config: AlphaBetaConfig) -> tuple[int, int]:
        """The plies and the entries of the transposition table that a search needs."""
        plies = min(config.depth, MAX_DEPTH) + _QUIET_PLIES * config.quiescence + 2
        # A search with a node limit stores few positions, and memory that is touched costs time.
        most = 4 * config.nodes or config.table_mb * 2**20
        entries = 2
        while (
            config.table
            and 2 * entries * _ENTRY_BYTES <= config.table_mb * 2**20
            and entries < most
        ):
            entries *= 2
        return plies, entries

    def _workspace_for(self, config: AlphaBetaConfig) -> Workspace:
        """The workspace of earlier searches, unless it is too small for this one."""
        plies, entries = self._sizes(config)
        work = self._work
        if work is None or len(work.states) < plies or len(work.keys) < entries:
            work = self._make_workspace(plies, entries)
        return work

    def _make_workspace(self, plies: int, entries: int) -> Workspace:
        game = self.game
        return Workspace(
            states=np.zeros((plies, game.words), np.uint64),
            lists=np.zeros((plies, game.action_room), np.int32),
            ratings=np.zeros((plies, game.action_room), np.int64),
            odds=np.zeros((plies, game.action_room), np.float64),
            lines=np.zeros((plies + 1, plies + 1), np.int64),
            killers=np.full((plies, 2), -1, np.int64),
            bounds=np.zeros((plies, 5), np.float64),
            counts=np.zeros((plies, 7), np.int64),
            path_hashes=np.zeros(plies, np.uint64),
            node_keys=np.zeros(plies, np.uint64),
            hashes=np.zeros(plies, np.uint64),
            history=np.zeros((2, game.num_actions), np.int64),
            noisy_stamps=np.zeros(game.num_actions, np.int64),
            excluded=np.zeros(game.num_actions, np.uint8),
            keys=np.zeros(entries, np.uint64),
            values=np.zeros(entries, np.float64),
            entries=np.zeros(entries, np.int64),
            switches=np.zeros(_SWITCHES, np.int64),
            statistics=np.zeros(compiled.STATISTICS, np.int64),
            stop=stop_flag(),
        )

    def _switches(self, s: AlphaBetaConfig) -> list[bool]:
        parts = [s.pruning, s.scout, s.killers, s.history, s.table, s.equal_depth, s.quiescence]
        path = self.game.uses_history
        by_path = path and self.game.history_binds
        return [*parts, path, self._probing, False, by_path, False]

    def _prepare(self, state: State, config: AlphaBetaConfig, flag: StopFlag) -> Workspace:
        """Prepare the workspace for a search from ``state``."""
        work = self._workspace_for(config)
        work.switches[:] = self._switches(config)
        left = self.game.actions_left(state)
        plies = len(work.states)
        past_length = len(state.history)
        hashes = np.zeros(past_length + plies, np.uint64)
        hashes[:past_length] = state.history
        self._work = work = work._replace(hashes=hashes, stop=flag)
        work.states[0] = state.row
        work.killers.fill(-1)
        work.history[:] >>= 3  # moves that caused cut-offs in the last search may do so again
        work.noisy_stamps.fill(0)
        work.statistics.fill(0)
        work.statistics[compiled.NODE_LIMIT] = config.nodes
        # Near the cap on actions a position's value depends on its ply. For a probe, which sees to
        # the end of the game, the cap is always near.
        work.switches[compiled.BY_PLY] = left is not None and (left <= plies or self._probing)
        if config.equal_depth:
            work.keys.fill(0)  # entries of another root have another depth
        return work
