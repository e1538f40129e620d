"""The laws that keep memory safe, tested in random games whose kernels are called under guard.

They are tested first: a game that breaks one of them is not played in any other way.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from playproof.core.conformance.guarded_kernels import GuardedKernels, SafetyViolation
from playproof.core.conformance.random_games import LONGEST
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, ONGOING, Kernels, Words, no_chance, no_count

# In the order in which they are tested.
SAFETY = {
    "declarations": "What a game declares fits together: words, num_actions, max_actions, "
    "observations, position_mask, option_words, tables and the start row.",
    "max-actions": "No position has more legal actions than max_actions, and no kernel lists more.",
    "action-numbers": "Legal actions are numbers from 0 to num_actions - 1, each listed once.",
    "words": "apply and transform write the words of a row and nothing outside them.",
    "observation-shape": "observe writes every entry of its shape and nothing outside them.",
    "arguments": "Kernels read only their arguments, and write only where they should.",
    "players": "player answers 0, 1 or CHANCE, and CHANCE only in a game with a chance kernel.",
    "end": "There is no legal action exactly if outcome is 1, 0 or -1; otherwise it is ONGOING.",
    "count": "count is the number of actions listed, if a game defines it.",
    "odds": "chance lists the legal actions, with positive probabilities that add up to 1.",
    "noisy": "noisy lists legal actions.",
    "images": "transform_action gives an action of the game for every action and symmetry.",
}

_MOST_IMAGES = 5000  # actions whose images are checked


class UnsafeGame(Exception):
    """A safety law is broken: which one, how, and in which random game."""

    def __init__(self, violation: SafetyViolation, trace: Trace) -> None:
        super().__init__(str(violation))
        self.law, self.trace = violation.law, trace


@dataclass
class Trace:
    """A random game played by its kernels alone, and how far it has got."""

    seed: int
    row: Words | None = None
    actions: list[int] = field(default_factory=list)


def check_declarations(game: Game) -> None:
    """Raise a SafetyViolation if what the game declares does not fit together."""

    def require(condition: object, what: str) -> None:
        if not condition:
            raise SafetyViolation("declarations", what)

    for name in ("words", "num_actions", "max_actions", "symmetries"):
        value: Any = getattr(game, name, None)
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        require(whole and value >= 1, f"{name} is {value!r}, expected a whole number from 1 on")
    observations = getattr(game, "observations", None)
    require(
        isinstance(observations, dict) and observations,
        f"observations is {observations!r}, expected a name and a shape at least",
    )
    for name, shape in game.observations.items():
        require(
            isinstance(shape, tuple)
            and shape
            and all(isinstance(n, int | np.integer) and n >= 1 for n in shape),
            f"the shape of {name!r} is {shape!r}, expected whole numbers from 1 on",
        )
    require(isinstance(game.kernels, Kernels), f"kernels is {type(game.kernels).__name__}")
    lengths: dict[str, Any] = {
        "position_mask": game.words,
        "start_row()": game.words,
        "option_words": None,
        "tables": None,
    }
    for name, length in lengths.items():
        value = game.start_row() if name == "start_row()" else getattr(game, name, None)
        right = (
            isinstance(value, np.ndarray)
            and value.dtype == np.uint64
            and value.ndim == 1
            and value.flags.c_contiguous
        )
        kind = f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else value
        require(right, f"{name} is {kind}, expected one line of uint64")
        if length is not None and value is not None:
            require(len(value) == length, f"{name} has {len(value)} words, but words is {length}")


def check_images(game: Game) -> None:
    """Check that every action has an image under every symmetry; for many actions, a sample."""
    number, transform = game.num_actions, game.kernels.transform_action
    sample = (
        range(number)
        if number <= _MOST_IMAGES
        else Random(number).sample(range(number), _MOST_IMAGES)
    )
    for symmetry in range(game.symmetries * (2 if game.colour_symmetry else 1)):
        for action in sample:
            image = int(transform(game.option_words, action, symmetry))
            if not 0 <= image < number:
                what = f"action {action} has the image {image} under symmetry {symmetry}, "
                raise SafetyViolation("images", f"{what}expected 0 to {number - 1}")


def play_guarded(
    game: Game, trace: Trace, *, longest: int = LONGEST, until: float = math.inf
) -> None:
    """Play a random game with every kernel under guard, until time ``until`` of ``perf_counter``.

    Raises a SafetyViolation if a law is broken; ``trace`` then says where.
    """
    guarded, rng = GuardedKernels(game, longest if game.uses_history else 0), Random(trace.seed)
    row = trace.row = game.start_row()
    hashes = np.empty(longest, np.uint64) if game.uses_history else np.empty(0, np.uint64)
    length = 0
    try:
        while len(trace.actions) < longest and time.perf_counter() < until:
            history = hashes[:length]
            legal = check_position(guarded, row, history)
            if not legal:
                return
            if game.uses_history:
                hashes[length] = guarded.number("hash", row, history)
                length += 1
            action = rng.choice(legal)
            row = guarded.apply(row, history, action)
            trace.row = row
            trace.actions.append(action)
    finally:
        guarded.check_tables()


def check_position(guarded: GuardedKernels, row: Words, history: Words) -> list[int]:
    """Call every kernel on one position; return its legal actions."""
    game, kernels = guarded.game, guarded.game.kernels
    legal = guarded.actions(row, history)
    _check_numbers(game, "actions", legal)
    player, outcome = (
        guarded.number("player", row, history),
        guarded.number("outcome", row, history),
    )
    if outcome not in (ONGOING, 1, 0, -1):
        raise SafetyViolation(
            "end", f"outcome is {outcome}, expected 1, 0, -1 or ONGOING ({ONGOING})"
        )
    if (outcome == ONGOING) != bool(legal):
        raise SafetyViolation(
            "end", f"there are {len(legal)} legal actions and outcome is {outcome}"
        )
    if legal and player not in (0, 1, CHANCE):
        raise SafetyViolation("players", f"player is {player}, expected 0, 1 or CHANCE ({CHANCE})")
    if legal and player == CHANCE:
        if kernels.chance is no_chance:
            raise SafetyViolation("players", "player is CHANCE, but the game has no chance kernel")
        _check_odds(legal, guarded.chance(row, history))
    if kernels.count is not no_count and guarded.number("count", row, history) != len(legal):
        count = guarded.number("count", row, history)
        raise SafetyViolation("count", f"count is {count}, but {len(legal)} actions are listed")
    noisy = guarded.noisy(row, history)
    _check_numbers(game, "noisy", noisy)
    if not set(noisy) <= set(legal):
        raise SafetyViolation(
            "noisy", f"noisy lists {sorted(set(noisy) - set(legal))}, which are not legal"
        )
    for name in ("score", "hash", "probe", *(["evaluate"] if kernels.evaluate else [])):
        guarded.number(name, row, history)
    for kind in range(len(game.observations)):
        guarded.observe(kind, row, history)
    for symmetry in range(game.symmetries * (2 if game.colour_symmetry else 1)):
        guarded.transform(row, symmetry)
    return legal


def _check_numbers(game: Game, name: str, actions: list[int]) -> None:
    wrong = [action for action in actions if not 0 <= action < game.num_actions]
    if wrong:
        most = game.num_actions - 1
        what = f"{name} lists action {wrong[0]}, expected 0 to {most} (num_actions - 1)"
        raise SafetyViolation("action-numbers", what)
    if len(set(actions)) < len(actions):
        twice = next(action for action in actions if actions.count(action) > 1)
        raise SafetyViolation("action-numbers", f"{name} lists action {twice} more than once")


def _check_odds(legal: list[int], odds: list[tuple[int, float]]) -> None:
    if sorted(action for action, _ in odds) != sorted(legal):
        raise SafetyViolation(
            "odds", f"chance lists {sorted(a for a, _ in odds)}, legal are {sorted(legal)}"
        )
    total = sum(share for _, share in odds)
    if min(share for _, share in odds) <= 0.0 or abs(total - 1.0) > 1e-9:
        raise SafetyViolation(
            "odds", f"the odds are {[p for _, p in odds]}, which add up to {total:g}"
        )


def play_games(
    game: Game,
    games: int,
    seed: int,
    *,
    longest: int = LONGEST,
    until: float = math.inf,
    on_progress: Callable[[int], None] | None = None,
) -> None:
    """Play ``games`` guarded games, or as many as time allows; UnsafeGame if a law is broken."""
    trace = Trace(seed)
    try:
        check_declarations(game)
        check_images(game)
        for number in range(games):
            trace = Trace(Random(f"{seed} {number}").randrange(2**32))
            play_guarded(game, trace, longest=longest, until=until)
            if on_progress:
                on_progress(number + 1)
            if time.perf_counter() >= until:
                break
    except SafetyViolation as violation:
        raise UnsafeGame(violation, trace) from violation
