"""Golden games: random games as texts that a person can read and check.

    python tests/golden/write.py othello:size=4 7

plays a game and writes its file beside this one.  The test replays the moves in the file, not the
random numbers, and must get the same text again: a difference is a change of rules, names,
observations or scores, which should be intended.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random

import numpy as np

import playproof
from playproof import Game, State
from playproof.core.view import Piece

FOLDER = Path(__file__).resolve().parent
EVERY = 6  # plies between two boards


def random_moves(game: Game, seed: int) -> list[str]:
    """The names of the moves of a random game; chance follows its odds."""
    rng, state = Random(seed), game.start()
    while not state.is_terminal:
        odds = state.chance_outcomes() or [(action, 1.0) for action in state.legal_actions()]
        actions, weights = zip(*odds, strict=True)
        state = state.apply(rng.choices(actions, weights)[0])
    return state.moves


def text(game: Game, seed: int, moves: list[str]) -> str:
    """The whole file."""
    state = game.start()
    lines = [f"A game of {game.title}, by random moves", "", f"game  {game.spec}", f"seed  {seed}"]
    for ply, move in enumerate(moves):
        if ply % EVERY == 0:
            lines += ["", *_board(state)]
            lines += [f"legal     {' '.join(_choices(state))}", ""]
        lines.append(f"{ply + 1:3}. {_mover(state):6} {move}")
        state = state.apply(move)
    lines += ["", *_board(state), f"result    {game.result_name(int(state.returns()[0]))}", ""]
    return "\n".join(lines)


def _mover(state: State) -> str:
    return "chance" if state.is_chance else state.game.players[state.current_player or 0]


def _choices(state: State) -> list[str]:
    odds = state.chance_outcomes()
    if odds:
        return [f"{state.name(action)} ({chance:g})" for action, chance in odds]
    return state.legal_names()


def _board(state: State) -> list[str]:
    view = state.view()
    pieces = {piece.at: _sign(piece) for piece in view.pieces}
    lines = [
        f"  {row} " + " ".join(pieces.get(column + row, ".") for column in view.board.columns)
        for row in view.board.rows
    ]
    lines += ["    " + " ".join(view.board.columns), view.say, f"position  {state.position}"]
    lines.append(f"score     {state.score:g}")
    for kind in state.game.observations:
        lines += _observation(kind, state.observation(kind))
    return lines


def _sign(piece: Piece) -> str:
    """The colour of a piece; for chess its letter, a capital for White."""
    if piece.kind in ("disc", "stone", "peg"):
        return piece.colour
    return piece.kind if piece.colour == "w" else piece.kind.lower()


def _observation(kind: str, values: np.ndarray) -> list[str]:
    """A vector as one line, planes as a line each."""
    if values.ndim == 1:
        return [f"{kind:9} {_numbers(values)}"]
    return [f"{kind} {number:<2} {_plane(plane)}" for number, plane in enumerate(values)]


def _plane(plane: np.ndarray) -> str:
    if (plane == plane.flat[0]).all():
        return f"all {plane.flat[0]:g}"
    return " / ".join(_numbers(row) for row in plane)


def _numbers(row: np.ndarray) -> str:
    numbers = [f"{number:g}" for number in row]
    return ("" if all(len(number) == 1 for number in numbers) else " ").join(numbers)


def read(file: Path) -> tuple[str, int, list[str]]:
    """The game's spec, the seed and the moves of a golden file."""
    content = file.read_text()
    spec, seed = re.findall(r"^(?:game|seed)  (\S+)$", content, re.MULTILINE)
    return spec, int(seed), re.findall(r"^ *\d+\. \w+ +(\S+)$", content, re.MULTILINE)


def main() -> None:
    sys.path.insert(0, str(FOLDER.parents[1]))
    from tests.support.toys.coin import Coin

    playproof.register(Coin)
    spec, seed = sys.argv[1], int(sys.argv[2])
    game = playproof.make(spec)
    file = FOLDER / (re.sub(r"\W+", "-", game.spec) + f"-{seed}.txt")
    file.write_text(text(game, seed, random_moves(game, seed)))
    print(file)


if __name__ == "__main__":
    main()
