"""Reading and writing PGN: games of chess as records, and records as games.

A game is replayed with ``draws=automatic`` if its moves allow that, otherwise with
``draws=claimed``, and otherwise with ``draws=none``.
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
from playproof.formats.pgn.stream import GameBlock, blocks, text_blocks
from playproof.formats.pgn.tree import PgnGame, PgnMove, decode, parse
from playproof.formats.record import RESULTS, Record
from playproof.games.chess.game import Chess
from playproof.games.chess.move_names import CLAIM

GAMES = ("chess",)
ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")  # PGN's seven tags
# Tags that have a place of their own in a Record.
_RECORD_TAGS = {"White", "Black", "Result", "FEN", "SetUp", "Termination", "Playproof"}
_UNKNOWN = {"Date": "????.??.??", "Result": "*"}
_CLAIMED = "draw claimed"
_WIDTH = 79
_DRAWS = ("automatic", "claimed", "none")


# Reading


def read(
    data: bytes | str | Path, *, game: Game | None = None, source: str = "", number: int = 1
) -> tuple[State, Record]:
    """The last position and the record of a game; an error is a DataError with its line.

    ``data`` is a text, or the path of a file, which may be compressed.  ``number`` chooses
    the game, from 1.  Variations are left out.
    """
    text, line = _find_game(data, number, source)
    tree = parse(decode(text), line=line, source=source)
    where = f"{source}, line {line}" if source else f"line {line}"
    try:
        return _record(tree, game)
    except PlayproofError as error:
        raise type(error)(f"{where}: {error}") from None


def read_tree(data: bytes | str | Path, *, source: str = "", number: int = 1) -> PgnGame:
    """A game with its comments, signs and variations; the parameters are those of ``read``."""
    text, line = _find_game(data, number, source)
    return parse(decode(text), line=line, source=source)


def _find_game(data: bytes | str | Path, number: int, source: str) -> tuple[bytes, int]:
    """The text of a game, and the number of its first line."""
    parts: Iterable[GameBlock]
    if isinstance(data, Path):
        parts = blocks(data)
    else:
        parts = text_blocks(data.encode() if isinstance(data, str) else data)
    count = 0
    for block in parts:
        if block.first <= number - 1 < block.first + len(block.games):
            row = block.games[number - 1 - block.first]
            text = block.text[int(row[BEGIN]) : int(row[END])]
            return text, block.line + int(row[LINE]) + 1
        count = block.first + len(block.games)
    name = source or "the text"
    raise DataError(f"{name} holds {count} games: there is no number {number}")


def _record(tree: PgnGame, game: Game | None) -> tuple[State, Record]:
    variant = tree.tags.get("Variant", "Standard").lower()
    if variant not in ("standard", "chess", "normal", "from position", ""):
        raise DataError(f"a game of {variant[:30]}, not of Chess")
    tag_result = tree.tags.get("Result", "")
    result = tree.result if tree.result not in ("", "*") else tag_result
    result = result if result in RESULTS.values() else "*"
    reason = tree.tags.get("Termination")
    state = _replay(tree, game, result)
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
        if name not in _RECORD_TAGS and not (name in ROSTER and value in ("?", "????.??.??", ""))
    }
    return state, dataclasses.replace(record, extra={"tags": more} if more else {})


def _replay(tree: PgnGame, game: Game | None, result: str) -> State:
    """The last position, under the first of the options ``draws`` that allows the moves and
    the result."""
    spec = tree.tags.get("Playproof")
    if game is not None and game.spec != game.name:
        candidates = [game]
    elif spec:
        candidates = [make(spec)]
    else:
        candidates = [make("chess", draws=draws) for draws in _DRAWS]
    for candidate in candidates:
        fen = tree.tags.get("FEN")
        state = candidate.start() if fen is None else candidate.position(fen)
        try:
            for action in tree.actions:
                state = state.apply(action)
        except PlayproofError:
            if candidate is candidates[-1]:
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
    record_tags: dict[str, str] = {"White": players[0], "Black": players[1]}
    record_tags["Result"] = result or RESULTS[state.outcome]
    start = state.start
    if start.position != game.start().position:
        record_tags |= {"SetUp": "1", "FEN": start.position}
    actions = list(state.actions)
    if actions and actions[-1] == CLAIM:
        actions.pop()
        reason = _CLAIMED
    if reason:
        record_tags["Termination"] = reason
    if game.spec != game.name:
        record_tags["Playproof"] = game.spec
    line, now = [], start
    for action in actions:
        line.append(PgnMove(action, game.san(now, action)))
        now = now.apply(action)
    return write_game(PgnGame({**(tags or {}), **record_tags}, line, record_tags["Result"]))


def write_record(record: Record) -> str:
    """The game of a record as PGN."""
    extra = record.extra.get("tags", {})
    tags = {str(k): str(v) for k, v in extra.items()} if isinstance(extra, dict) else {}
    return write(
        record.replay(), record.players, result=record.result, reason=record.reason, tags=tags
    )


def write_game(game: PgnGame) -> str:
    """A game with its comments, signs and variations; moves keep the names that they have."""
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
    return "\n".join([*tags, "", *_indented(body)]) + "\n"


def _indented(lines: list[str]) -> list[str]:
    """The lines, with a space where a comment would look like a tag or an escape."""
    return [f" {line}" if line[:1] in ("[", "%") else line for line in lines]


def _line(moves: list[PgnMove], ply: int) -> list[str]:
    """The words of a line that begins at ``ply``."""
    words: list[str] = []
    number_known = False  # whether the number of a Black move follows from the word before
    for move in moves:
        if move.before:
            words.append(f"{{{_comment(move.before)}}}")
            number_known = False
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        elif not number_known:
            words.append(f"{ply // 2 + 1}...")
        words.append(move.name)
        words += [f"${nag}" for nag in move.nags]
        number_known = True
        if move.after:
            words.append(f"{{{_comment(move.after)}}}")
            number_known = False
        for variation in move.variations:
            inner = _line(variation, ply)
            words += [f"({inner[0]}", *inner[1:-1], f"{inner[-1]})"]
            number_known = False
        ply += 1
    return words


def _escaped(value: str) -> str:
    return " ".join(value.replace("\\", "\\\\").replace('"', '\\"').split())


def _comment(text: str) -> str:
    return text.replace("}", ")")
