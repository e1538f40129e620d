"""PGN in and out: games of chess as records, and records as games.

A game is played under the draws of engine matches where its moves allow that,
and otherwise under those of people, or none: see the option ``draws``.
"""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterable
from pathlib import Path

from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.state import State
from playproof.formats.pgn.split import BEGIN, END, LINE
from playproof.formats.pgn.stream import Block, blocks, text_blocks
from playproof.formats.pgn.tree import Move, PgnGame, decode, parse
from playproof.formats.record import RESULTS, Record
from playproof.games.chess.game import Chess
from playproof.games.chess.move_names import CLAIM

GAMES = ("chess",)
ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")  # PGN's seven tags
_OWN = {"White", "Black", "Result", "FEN", "SetUp", "Termination", "Playproof"}
_UNKNOWN = {"Date": "????.??.??", "Result": "*"}
_CLAIMED = "draw claimed"
_WIDTH = 79
_DRAWS = ("automatic", "claimed", "none")


# Reading


def read(
    data: bytes | str | Path, *, game: Game | None = None, source: str = "", number: int = 1
) -> tuple[State, Record]:
    """The last position of a game and its record; an error is a DataError with its line.

    ``data`` is a text, or the path of a file, packed or not.  ``number`` says
    which game of it.  Of variations the main line is taken.
    """
    found, line = _find(data, number, source)
    tree = parse(decode(found), line=line, source=source)
    where = f"{source}, line {line}" if source else f"line {line}"
    try:
        return _record(tree, game)
    except PlayproofError as error:
        raise type(error)(f"{where}: {error}") from None


def read_tree(data: bytes | str | Path, *, source: str = "", number: int = 1) -> PgnGame:
    """A game with all that is written around its moves."""
    found, line = _find(data, number, source)
    return parse(decode(found), line=line, source=source)


def _find(data: bytes | str | Path, number: int, source: str) -> tuple[bytes, int]:
    """The text of a game, and the number of its first line."""
    cut: Iterable[Block]
    if isinstance(data, Path):
        cut = blocks(data)
    else:
        cut = text_blocks(data.encode() if isinstance(data, str) else data)
    count = 0
    for block in cut:
        if block.first <= number - 1 < block.first + len(block.games):
            found = block.games[number - 1 - block.first]
            text = block.text[int(found[BEGIN]) : int(found[END])]
            return text, block.line + int(found[LINE]) + 1
        count = block.first + len(block.games)
    name = source or "the text"
    raise DataError(f"{name} holds {count} games: there is no number {number}")


def _record(tree: PgnGame, wanted: Game | None) -> tuple[State, Record]:
    variant = tree.tags.get("Variant", "Standard").lower()
    if variant not in ("standard", "chess", "normal", "from position", ""):
        raise DataError(f"a game of {variant[:30]}, not of Chess")
    tagged = tree.tags.get("Result", "")
    told = tree.result if tree.result not in ("", "*") else tagged
    result = told if told in RESULTS.values() else "*"
    reason = tree.tags.get("Termination")
    state = _played(tree, wanted, result)
    if reason == _CLAIMED and CLAIM in state.legal_actions():
        state = state.apply(CLAIM)
    if state.outcome is not None and result not in ("*", RESULTS[state.outcome]):
        raise DataError(f"the game says {result}, but its moves end in {RESULTS[state.outcome]}")
    players = tree.tags.get("White", "?"), tree.tags.get("Black", "?")
    reason = None if reason in ("", "normal", None) or state.outcome is not None else reason
    record = Record.of(state, players, result=result if result != "*" else None, reason=reason)
    more = {
        name: value
        for name, value in tree.tags.items()
        if name not in _OWN and not (name in ROSTER and value in ("?", "????.??.??", ""))
    }
    return state, dataclasses.replace(record, extra={"tags": more} if more else {})


def _played(tree: PgnGame, wanted: Game | None, result: str) -> State:
    """The moves under the first kind of draws that allows them and their result."""
    named = tree.tags.get("Playproof")
    if wanted is not None and wanted.spec != wanted.name:
        kinds = [wanted]
    elif named:
        kinds = [make(named)]
    else:
        kinds = [make("chess", draws=draws) for draws in _DRAWS]
    for game in kinds:
        fen = tree.tags.get("FEN")
        state = game.start() if fen is None else game.position(fen)
        try:
            for action in tree.actions:
                state = state.apply(action)
        except PlayproofError:
            if game is kinds[-1]:
                raise
            continue
        if state.outcome is None or result in ("*", RESULTS[state.outcome]):
            return state
    return state


# Writing


def write(
    state: State,
    players: tuple[str, str] = ("?", "?"),
    *,
    result: str | None = None,
    reason: str | None = None,
    tags: dict[str, str] | None = None,
) -> str:
    """The game that led to ``state`` as PGN; result and reason as in a Record."""
    game = state.game
    if not isinstance(game, Chess):
        raise UsageError(f"PGN is for {' and '.join(GAMES)}, not for {game.name}")
    own: dict[str, str] = {"White": players[0], "Black": players[1]}
    own["Result"] = result or RESULTS[state.outcome]
    start = state.start
    if start.position != game.start().position:
        own |= {"SetUp": "1", "FEN": start.position}
    actions = list(state.actions)
    if actions and actions[-1] == CLAIM:
        actions.pop()
        reason = _CLAIMED
    if reason:
        own["Termination"] = reason
    if game.spec != game.name:
        own["Playproof"] = game.spec
    line, now = [], start
    for action in actions:
        line.append(Move(action, game.san(now, action)))
        now = now.apply(action)
    return write_game(PgnGame({**(tags or {}), **own}, line, own["Result"]))


def write_record(record: Record) -> str:
    tags = record.extra.get("tags", {})
    kept = {str(k): str(v) for k, v in tags.items()} if isinstance(tags, dict) else {}
    return write(
        record.replay(), record.players, result=record.result, reason=record.reason, tags=kept
    )


def write_game(game: PgnGame) -> str:
    """A game with its comments, signs and variations, names of moves as they stand there."""
    roster = {name: game.tags.get(name, _UNKNOWN.get(name, "?")) for name in ROSTER}
    more = {name: value for name, value in game.tags.items() if name not in roster}
    tags = [f'[{name} "{_escaped(value)}"]' for name, value in {**roster, **more}.items()]
    words: list[str] = [f"{{{_comment(game.comment)}}}"] if game.comment else []
    fen = game.tags.get("FEN", "").split()
    black = len(fen) > 1 and fen[1] == "b"
    number = int(fen[5]) if len(fen) == 6 and fen[5].isdecimal() else 1
    words += _line(game.line, 2 * (max(number, 1) - 1) + black)
    words.append(game.result or roster["Result"])
    body = textwrap.wrap(" ".join(words), _WIDTH, break_long_words=False, break_on_hyphens=False)
    # A line of a comment must not look like a tag or an escape.
    return "\n".join([*tags, "", *_indented(body)]) + "\n"


def _indented(lines: list[str]) -> list[str]:
    return [f" {line}" if line[:1] in ("[", "%") else line for line in lines]


def _line(moves: list[Move], ply: int) -> list[str]:
    """The words of a line that begins at ``ply``."""
    words: list[str] = []
    told = False  # whether the number of the move is plain from what stands before
    for move in moves:
        if move.before:
            words.append(f"{{{_comment(move.before)}}}")
            told = False
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        elif not told:
            words.append(f"{ply // 2 + 1}...")
        words.append(move.name)
        words += [f"${nag}" for nag in move.nags]
        told = True
        if move.after:
            words.append(f"{{{_comment(move.after)}}}")
            told = False
        for variation in move.variations:
            inner = _line(variation, ply)
            words += [f"({inner[0]}", *inner[1:-1], f"{inner[-1]})"]
            told = False
        ply += 1
    return words


def _escaped(value: str) -> str:
    return " ".join(value.replace("\\", "\\\\").replace('"', '\\"').split())


def _comment(text: str) -> str:
    return text.replace("}", ")")
