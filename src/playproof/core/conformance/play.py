"""Laws of playing: what is legal, what is refused, and how a game ends."""

from __future__ import annotations

import numpy as np

from playproof.core.conformance.laws import Law, fail, holds, law, refusal, same
from playproof.core.conformance.random_games import Sampler, hash_of, in_kernel_order, snapshot
from playproof.core.errors import IllegalAction
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, no_count


@law(3)
def legal_actions(game: Game, sampler: Sampler) -> None:
    """Legal actions are a sorted list of different numbers below num_actions, and legal_mask flags
    exactly these."""
    for state in sampler.track(sampler.walk(game)):
        legal = state.legal_actions()
        same(legal, sorted(set(legal)), "legal_actions()")
        same(legal, sorted(in_kernel_order(state)), "legal_actions()")
        wrong = [a for a in legal if type(a) is not int or not 0 <= a < game.num_actions]
        same(wrong, [], "what is no action among legal_actions()")
        same(state.legal_mask().dtype, np.dtype(np.bool_), "the type of legal_mask()")
        same(np.flatnonzero(state.legal_mask()).tolist(), legal, "what legal_mask() flags")


@law(3)
def counting(game: Game, sampler: Sampler) -> None:
    """count agrees with the list of legal actions, and is -1 if a game does not define it."""
    for state in sampler.track(sampler.walk(game)):
        count = game.kernels.count(game.option_words, game.tables, state.row.copy(), state.history)
        unable = game.kernels.count is no_count
        same(count, -1 if unable else len(state.legal_actions()), "count")


@law(3)
def going_on(game: Game, sampler: Sampler) -> None:
    """A game goes on, with a player to move, exactly as long as there is a legal action."""
    *earlier, last = sampler.walk(game)
    for state in sampler.track(earlier):
        holds(state.legal_actions(), "there is no legal action before the end")
        same(state.outcome, None, "the outcome before the end")
        holds(
            state.current_player in (0, 1, CHANCE),
            f"current_player is {state.current_player}, expected 0, 1 or CHANCE",
        )
        same(state.returns(), (0.0, 0.0), "returns() before the end")
    sampler.current = last
    holds(last.is_terminal, "the last state is not terminal")
    same(last.legal_actions(), [], "legal_actions() after the end")
    holds(not last.legal_mask().any(), "legal_mask() flags an action after the end")
    same(last.current_player, None, "current_player after the end")
    holds(not last.is_chance, "chance is to move after the end")


@law(3)
def zero_sum(game: Game, sampler: Sampler) -> None:
    """What one side wins, the other loses: 1, 0 or -1 from the first player's side."""
    end = sampler.walk(game)[-1]
    first, second = end.returns()
    same(first + second, 0.0, "the sum of returns()")
    same(first, end.outcome, "what the first player gets")
    holds(first in (1.0, 0.0, -1.0), f"the first player gets {first}, expected 1, 0 or -1")
    holds(np.isfinite(end.score), f"the score is {end.score}, expected a number")


@law(3)
def states_stay(game: Game, sampler: Sampler) -> None:
    """Playing a move does not change the state before it."""
    for state in sampler.track(sampler.states(game, 8)):
        before = snapshot(state)
        children = [state.apply(action) for action in state.legal_actions()]
        same(snapshot(state), before, "the state after it was played from")
        holds(
            all(child.actions[:-1] == state.actions for child in children),
            "the actions of a state do not begin with those of the state before",
        )
        try:
            state.row[0] = 0
        except ValueError:
            continue
        fail("the row of a state can be written to")


@law(3)
def undo(game: Game, sampler: Sampler) -> None:
    """before() is the state some actions ago: apply depends on the row, the history and the
    action alone."""
    walk = sampler.walk(game)
    end = walk[-1]
    for plies in {1, 2, len(walk) // 2, len(walk) - 1}:
        if plies < len(walk):
            same(snapshot(end.before(plies)), snapshot(walk[-1 - plies]), f"before({plies})")
    start = snapshot(game.start())
    same(snapshot(end.before(len(walk) + 5)), start, "before() of more actions than there were")
    same(snapshot(end.start), start, "the start of a state")


@law(3)
def history(game: Game, sampler: Sampler) -> None:
    """The history of a state is the hashes of the earlier states, if the game uses it."""
    walk = sampler.walk(game)
    for ply, state in enumerate(sampler.track(walk)):
        past = [hash_of(earlier) for earlier in walk[:ply]] if game.uses_history else []
        same(state.history.tolist(), past, "the history")


@law(3)
def chance(game: Game, sampler: Sampler) -> None:
    """Chance has a positive probability for each legal action; they add up to 1."""
    for state in sampler.track(sampler.walk(game)):
        odds = dict(state.chance_outcomes())
        if state.is_chance:
            same(sorted(odds), state.legal_actions(), "what chance may do")
            holds(min(odds.values()) > 0.0, f"the odds are {odds}, expected none of 0")
            total = sum(odds.values())
            holds(abs(total - 1.0) <= 1e-12, f"the odds add up to {total}, expected 1")
        else:
            same(odds, {}, "the odds where chance is not to move")


@law(3)
def searching(game: Game, sampler: Sampler) -> None:
    """Noisy moves are legal, an evaluation is a number, and no game outlasts actions_left."""
    walk = sampler.walk(game)
    for ply, state in enumerate(sampler.track(walk)):
        arguments = game.option_words, game.tables, state.row.copy(), state.history
        out = np.empty(game.action_room, np.int32)
        noisy = out[: game.kernels.noisy(*arguments, out)].tolist()
        same(len(set(noisy)), len(noisy), "the number of different noisy moves")
        holds(set(noisy) <= set(state.legal_actions()), f"noisy lists illegal ones: {noisy}")
        value = (game.kernels.evaluate or game.kernels.score)(*arguments)
        holds(np.isfinite(value), f"the evaluation is {value}, expected a number")
        left = game.actions_left(state)
        over = len(walk) - 1 - ply
        holds(
            left is None or left >= over,
            f"actions_left is {left}, but the game went on for {over} actions",
        )


@law(3)
def illegal_actions(game: Game, sampler: Sampler) -> None:
    """An illegal action is refused in one line that names the game, and changes nothing."""
    for state in sampler.track(sampler.states(game, 2)):
        before = snapshot(state)
        wrong = set(np.random.default_rng(sampler.seed).integers(0, game.num_actions, 40).tolist())
        wrong -= set(state.legal_actions())
        for action in [*wrong, -1, -(2**70), game.num_actions, 2**31, 2**63, 10**30]:
            line = refusal(IllegalAction, lambda s=state, a=action: s.apply(a), f"action {action}")  # type: ignore[misc]
            holds(game.title in line, f"the refusal does not name the game: {line}")
        same(snapshot(state), before, "the state after an illegal action")


@law(3)
def after_the_end(game: Game, sampler: Sampler) -> None:
    """Nothing can be played after the end."""
    end = sampler.walk(game)[-1]
    for action in [*end.actions[-5:], 0, game.num_actions - 1]:
        line = refusal(IllegalAction, lambda a=action: end.apply(a), f"action {action}")  # type: ignore[misc]
        holds("over" in line, f"the refusal does not say that the game is over: {line}")
    line = refusal(IllegalAction, lambda: end.apply(end.moves[-1]), "the last move once more")
    holds("over" in line, f"the refusal does not say that the game is over: {line}")


LAWS: tuple[Law, ...] = (
    legal_actions, counting, going_on, zero_sum, states_stay, undo, history, chance, searching,
    illegal_actions, after_the_end,
)  # fmt: skip
