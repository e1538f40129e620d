"""Go and Quantum Go beside the naive board of dictionaries: the same random games to both."""

from __future__ import annotations

import random
from typing import Any

import playproof
from playproof import State
from tests.support.oracles.quantum_go_naive import CHANCE, PASS, Naive

# A long random game would be mostly passes and retakes; a new one teaches more.
LONGEST = 400


def engine(variant: str, width: int, height: int, **options: Any) -> playproof.Game:
    """Our game for a variant in the oracle's words: ``classical``, ``weak+ghz-3``, ``w-4``."""
    board = f"{width}x{height}"
    if variant == "classical":
        return playproof.make("go", board=board, **options)
    for word in variant.split("+"):
        kind, _, number = word.partition("-")
        if kind in ("ghz", "w"):
            options |= {"group": kind, "k": int(number)}
        else:
            options |= {"variant": word}
    return playproof.make("quantum-go", board=board, **options)


def oracle(variant: str, width: int, height: int, options: dict[str, Any]) -> Naive:
    """The naive game with the same options."""
    given = dict(options)
    born = given.pop("collapse", "owner") == "born"
    alpha = given.pop("alpha", 0.5**0.5)
    given.pop("order", None)
    amplitudes = (alpha, (1 - alpha**2) ** 0.5)
    collapse = "born" if born else "choice"
    return Naive(width, height, variant, collapse=collapse, amplitudes=amplitudes, **given)


def with_naive_quantum_go(
    variant: str, width: int, height: int, decisions: int, seed: int, **options: Any
) -> int:
    """Compare on at least so many decisions; how many it was."""
    game, chooser, seen = engine(variant, width, height, **options), random.Random(seed), 0
    rising = options.get("order") == "rising"
    while seen < decisions:
        ours, theirs = game.start(), oracle(variant, width, height, options)
        for _ in range(LONGEST):
            seen += 1
            where = f"{variant} {options} seed {seed}: {ours!r} after {_names(ours)}"
            assert ours.is_terminal == theirs.is_over(), where
            if not theirs.new:
                _same_board(ours, theirs, where)
            if theirs.is_over():
                assert ours.score == theirs.score(), where
                break
            assert ours.current_player == theirs.player(), where
            legal = theirs.legal(either_order=not rising)
            numbers = {_number(theirs, decision): decision for decision in legal}
            assert ours.legal_actions() == sorted(numbers), where
            if theirs.player() == CHANCE:
                _same_odds(ours, theirs, where)
            action = chooser.choice(sorted(numbers))
            if numbers[action] == PASS and chooser.random() < 0.5:
                action = chooser.choice(sorted(numbers))  # passes end games before they begin
            ours = ours.apply(action)
            theirs.play(numbers[action])
    return seen


def _number(theirs: Naive, decision: Any) -> int:
    """The oracle's decision as our action."""
    board = theirs.board
    if decision == PASS or decision[0] == "present":
        return board.width * board.height
    return board.index(decision[1] if decision[0] == "absent" else decision)


def _same_board(ours: State, theirs: Naive, where: str) -> None:
    game, index = ours.game, theirs.board.index
    for side, stones in enumerate(game.stones(ours.row)):
        expected = sorted(index(p) for p, owner in theirs.stones().items() if owner == side)
        assert stones == expected, where
    if game.name == "quantum-go":
        expected_groups = [(o, tuple(sorted(map(index, ps)))) for o, ps in theirs.pairs()]
        assert game.groups(ours.row) == expected_groups, where
    assert game.prisoners(ours) == tuple(theirs.prisoners), where


def _same_odds(ours: State, theirs: Naive, where: str) -> None:
    expected = sorted((_number(theirs, d), chance) for d, chance in theirs.chance())
    for (action, chance), (other, probability) in zip(
        ours.chance_outcomes(), expected, strict=True
    ):
        assert action == other, where
        assert abs(chance - probability) < 1e-8, where


def _names(state: State) -> str:
    return " ".join(state.name(action) for action in state.actions)


def with_open_spiel_go(size: int, positions: int, seed: int) -> int:
    """Compare Go under simple ko with OpenSpiel's, whose points are numbered like ours.

    OpenSpiel bars the retake of a ko, as we do under ``ko=simple``, and ends a game in
    which a whole board has come back; such a game is compared up to there.
    """
    import pyspiel

    komi = 0.5
    rules = f"go(board_size={size},komi={komi},max_game_length={40 * size * size})"
    theirs_game = pyspiel.load_game(rules)
    game = playproof.make("go", board=f"{size}x{size}", ko="simple", komi=komi)
    chooser, seen = random.Random(seed), 0
    while seen < positions:
        ours, theirs = game.start(), theirs_game.new_initial_state()
        while not theirs.is_terminal():
            seen += 1
            where = f"seed {seed}, {ours!r} after {len(ours.actions)} moves"
            legal = theirs.legal_actions()
            assert ours.legal_actions() == legal, where
            assert ours.current_player == theirs.current_player(), where
            # Passes are rare, so that boards fill and stones are captured.
            stones = [action for action in legal if action != game.pass_action]
            action = chooser.choice(stones) if stones and chooser.random() < 0.98 else legal[-1]
            ours = ours.apply(action)
            theirs.apply_action(action)
        if ours.is_terminal:  # two passes, and not a board that came back
            assert ours.outcome == round(theirs.returns()[0]), f"seed {seed}, {ours!r}"
    return seen
