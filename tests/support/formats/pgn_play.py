"""Games of chess made by chance, written by python-chess, and spoiled by chance."""

from __future__ import annotations

import io
import random

import chess
import chess.pgn

FENS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)


def random_game(seed: int, plies: int = 60, *, decorated: bool = True) -> chess.pgn.Game:
    """A random game, with comments, signs and variations if ``decorated``."""
    chance = random.Random(seed)
    game = chess.pgn.Game()
    if seed % 4 == 3:
        game.setup(chance.choice(FENS))
    node: chess.pgn.GameNode = game
    board = game.board()
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        here, move = node, chance.choice(moves)
        node = node.add_main_variation(move)
        if decorated:
            _decorate(chance, here, node, moves, move)
        board.push(move)
    result = board.result() if board.is_checkmate() or board.is_stalemate() else "*"
    game.headers["Result"] = result if result != "*" else chance.choice(["1-0", "0-1", "1/2-1/2"])
    game.headers["White"], game.headers["Black"] = f"A{seed}", 'B "the \\ second"'
    return game


def _decorate(
    chance: random.Random,
    here: chess.pgn.GameNode,
    node: chess.pgn.GameNode,
    moves: list[chess.Move],
    move: chess.Move,
) -> None:
    if chance.random() < 0.1:
        node.comment = chance.choice(["[%clk 0:01:02]", "a (good) move; 1-0", "see [Event] $1"])
    if chance.random() < 0.1:
        node.nags.add(chance.randint(1, 140))
    if chance.random() < 0.08 and len(moves) > 1:
        other = here.add_variation(chance.choice([m for m in moves if m != move]))
        other.comment = chance.choice(["", "or this"])
        replies = list(other.board().legal_moves)
        if replies:
            other.add_variation(chance.choice(replies))


def write(games: list[chess.pgn.Game]) -> str:
    return "".join(f"{game}\n\n" for game in games)


def read_all(text: str) -> list[chess.pgn.Game] | None:
    """The games as python-chess reads them, errors kept in each; None if it fails."""
    import logging

    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    stream, games = io.StringIO(text), []
    try:
        while (game := chess.pgn.read_game(stream)) is not None:
            games.append(game)
    except IndexError:  # a ) too many
        return None
    return games


def corrupted(text: str, seed: int) -> str:
    """The text with one to three small things wrong."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text))
        kind = chance.randrange(8)
        if kind == 0:
            text = text[:at] + text[at + chance.randint(1, 4) :]
        elif kind == 1:
            text = text[:at] + chance.choice('(){}[]"$;%*!\\x/01-KQé\n\t') + text[at:]
        elif kind == 2:
            text = text[:at] + chance.choice("abcdefgh12345678NBRQKO-=+") + text[at + 1 :]
        elif kind == 3:
            lines = text.split("\n")
            del lines[chance.randrange(len(lines))]
            text = "\n".join(lines)
        elif kind == 4:
            lines = text.split("\n")
            i = chance.randrange(len(lines))
            text = "\n".join([*lines[:i], lines[i], *lines[i:]])
        elif kind == 5 and len(text) > 400:
            text = text[: max(200, at)]
        elif kind == 6:
            words = text.split(" ")
            i, j = chance.randrange(len(words)), chance.randrange(len(words))
            words[i], words[j] = words[j], words[i]
            text = " ".join(words)
        else:
            more = chance.choice(["1-0", "{", "}", " ( ", " ) ", "\n\n", "e4 "])
            text = text[:at] + more + text[at:]
    return text
