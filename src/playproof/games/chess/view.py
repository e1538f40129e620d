"""The View of a chess position."""

from __future__ import annotations

from playproof.core.state import State
from playproof.core.view import Board, Button, LegalMove, Mark, Piece, Turn, View
from playproof.games.chess import move_names as chess_names
from playproof.games.chess import rows as chess_rows
from playproof.games.chess.evaluation import POINTS
from playproof.games.chess.fen import FILES, KINDS, Fen, square_name
from playproof.games.chess.kernels import PLIES
from playproof.games.chess.move_names import CLAIM, DRAW
from playproof.rules.chess.board import load
from playproof.rules.chess.count_moves import can_move
from playproof.rules.chess.draws import is_dead

_STEPS = ("Choose a piece", "Choose where it goes", "Choose what the pawn becomes")


def view(state: State) -> View:
    game, fen = state.game, chess_rows.fen_of(state.row)
    over, legal = state.outcome, state.legal_actions()
    moves = [action for action in legal if action != CLAIM]
    mover = game.players[fen.black_to_move]
    check = chess_rows.is_check(state.row, game.tables)
    if over is not None:
        sentence = result = _result_sentence(state, over)
    else:
        count = f"{len(moves)} legal move{'s' if len(moves) != 1 else ''}"
        claim = " A draw may be claimed." if CLAIM in legal else ""
        after = f" after {_last_name(state)}" if state.actions else ""
        in_check = ", in check" if check else ""
        sentence, result = f"{mover} to move{after}{in_check}. {count}.{claim}", None
    flip = 56 if fen.black_to_move else 0
    legal_names = chess_names.LegalMoveNames(state)
    king = next(s for s, k in fen.pieces.items() if k == "Kk"[fen.black_to_move])
    return View(
        game=game.name,
        title=game.title,
        board=Board("cells", "check", FILES, tuple("87654321")),
        pieces=tuple(
            Piece(square_name(s), square_name(s), k.upper(), "w" if k.isupper() else "b")
            for s, k in sorted(fen.pieces.items())
        ),
        turn=Turn("" if over is not None else game.colours[fen.black_to_move], mover),
        say=sentence,
        marks=(Mark(square_name(king), "ring"),) if check else (),
        last=_last(state, flip),
        score={colour: _points(fen, colour) for colour in game.colours},
        over=result,
        legal=tuple(_legal_move(legal_names, fen, flip, action) for action in moves),
        actions=(Button(DRAW, "Claim a draw", CLAIM),) if CLAIM in legal else (),
        steps=_STEPS if moves else (),
    )


def _points(fen: Fen, colour: str) -> int:
    own = str.isupper if colour == "w" else str.islower
    return sum(POINTS[KINDS.index(k.lower())] for k in fen.pieces.values() if own(k))


def _last(state: State, flip: int) -> tuple[str, ...]:
    """The squares of the last move, which the opponent of the side to move has made."""
    if not state.actions or state.actions[-1] == CLAIM:
        return ()
    ends = chess_names.squares(state.actions[-1]) or ()
    return tuple(square_name(square ^ flip ^ 56) for square in ends)


def _last_name(state: State) -> str:
    """The last move in algebraic notation."""
    game, row = state.game, state.start.row.copy()
    for action in state.actions[:-1]:
        game.kernels.apply(game.option_words, game.tables, row, state.history[:0], action)
    return chess_names.LegalMoveNames(State(game, row)).san(state.actions[-1])


def _legal_move(
    legal_names: chess_names.LegalMoveNames, fen: Fen, flip: int, action: int
) -> LegalMove:
    uci = chess_names.uci(legal_names.state.row, action)
    origin, goal = uci[:2], uci[2:4]
    clicks: tuple[str, ...] = (origin, goal)
    if len(uci) == 5:
        clicks = (origin, goal, f"opt:{uci[4]}")
    squares = chess_names.squares(action)
    assert squares is not None
    start, end = (square ^ flip for square in squares)
    gone: tuple[str, ...] = ()
    if end in fen.pieces:
        gone = (goal,)
    elif fen.pieces[start] in "pP" and end == fen.passant:
        gone = (square_name(8 * (start // 8) + end % 8),)
    kinds = ("src", *["to"] * (len(clicks) - 1))
    return LegalMove(clicks, legal_names.san(action), kinds, gone, action)


def _result_sentence(state: State, outcome: int) -> str:
    """The result and its reason."""
    game, row = state.game, state.row
    if outcome:
        return f"{game.result_name(outcome)} by checkmate."
    if chess_rows.is_claimed(row[chess_rows.LEDGER]):
        return "Draw, claimed."
    p, clock = load(row), int(chess_rows.clock_of(row[chess_rows.LEDGER]))
    limit = int(game.option_words[PLIES])
    if not can_move(game.tables, p):
        return "Draw by stalemate."
    if is_dead(p):
        return "Draw: too little material to mate."
    if limit and clock >= limit:
        return f"Draw: {clock // 2} moves without a capture or a pawn's move."
    return "Draw: the position has come up too often."
