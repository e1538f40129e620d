"""Reads a position or a game from text in any of the supported formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from playproof.core.errors import DataError, PlayproofError, one_of
from playproof.core.game import Game
from playproof.core.registry import make, resolve_game
from playproof.core.state import State
from playproof.formats import transcripts
from playproof.formats.compressed import uncompressed_name
from playproof.formats.record import Record, parse_records, read_bytes, read_text

_JSON = ("{", "[")  # the first character of a record
_SGF = re.compile(r"\s*\(\s*;")
_PGN = re.compile(r'\s*(?:%[^\n]*\n\s*)*\[\s*[A-Za-z]\w*\s+"')
_EPD = (".epd", ".fen")
_SUFFIXES = {".jsonl", ".json", ".txt", ".rec", ".sgf", ".pgn", *_EPD}


def is_pgn_text(text: str) -> bool:
    return _PGN.match(text) is not None


def is_sgf_text(text: str) -> bool:
    return _SGF.match(text) is not None


def is_json(text: str) -> bool:
    """Whether a text looks like records."""
    return text.lstrip().startswith(_JSON) and not is_pgn_text(text)


def read_state(game: Game | str, text: str, *, number: int = 1) -> State:
    """The state that ``text`` describes in ``game``: see :func:`read_game`."""
    return read_game(game, text, number=number)[0]


def read_game(
    game: Game | str, text: str, *, number: int = 1, files: bool = True
) -> tuple[State, Record]:
    """The state that ``text`` describes in ``game``, and the record of the moves that led to it.

    ``text`` is a transcript, a position, a record, SGF, PGN or a serialised state, or the
    path of a file that holds one.  ``number`` chooses a game or position of a file that
    holds several, from 1.  A record has its own options, so the game of the state may differ
    from ``game``.  With ``files=False`` no file is opened; use it for untrusted text.
    """
    game = resolve_game(game)
    if not text.strip():
        raise DataError(f"nothing to read: give a record or a position of {game.title}")
    source = ""
    if _PGN.match(text):
        return _read_pgn(game, text, "", number)
    if files and not text.lstrip().startswith(_JSON) and _is_path(text.strip()):
        source = text.strip()
        plain = uncompressed_name(source)
        if plain.endswith(".pgn"):
            return _read_pgn(game, Path(source), source, number)
        if plain.endswith(_EPD):
            return _read_epd(game, source, number)
        if source.lower().endswith(".sgf"):
            return _read_sgf(game, read_bytes(source), source, number)
        text = read_text(source)
        if not text.strip():
            raise DataError(f"{source} is empty")
        if _PGN.match(text):
            return _read_pgn(game, text, source, number)
    if text.lstrip().startswith(_JSON):
        record = _pick(text, source, number)
        return _replay(game, record), record
    if _SGF.match(text):
        return _read_sgf(game, text, source, number)
    text = text.strip()
    is_position = game.looks_like_position(text)
    state = game.position(text) if is_position else transcripts.play(game.start(), text)
    return state, Record.of(state)


def read_any(text: str, games: Sequence[str]) -> tuple[State, Record]:
    """The game or position that ``text`` describes in one of ``games``, which are names.

    No file is opened.  Records, SGF and PGN name their game.  A position belongs to the one
    game that can read it.  Anything else is a transcript: see
    :mod:`playproof.formats.transcripts`.
    """
    if not text.strip():
        raise DataError("nothing to read: give a record, a transcript or a position")
    name = _named_game(text, games)
    if name:
        return read_game(make(name), text, files=False)
    positions = _positions(text.strip(), games)
    if len(positions) > 1:
        names = [state.game.name for state in positions]
        titles = one_of([state.game.title for state in positions])
        raise transcripts.AmbiguousText(
            f"this text may be a position of {titles}: choose the game", names
        )
    state = positions[0] if positions else transcripts.recognise(text.strip(), games)
    return state, Record.of(state)


def _positions(text: str, games: Sequence[str]) -> list[State]:
    """The readings of a text as a position, at most one for each game."""
    states = []
    for game in map(make, games):
        try:
            if game.looks_like_position(text):
                states.append(game.position(text))
        except PlayproofError:
            continue
    return states


def _named_game(text: str, games: Sequence[str]) -> str | None:
    """The name of the game that a text itself names; None if it names none."""
    if _PGN.match(text):
        name = "chess"
    elif _SGF.match(text):
        name = "quantum-go" if re.search(r"\bQG\[\s*quantum-go", text) else "go"
    elif text.lstrip().startswith(_JSON):
        name = next(iter(parse_records(text))).game
    elif text.split()[0].count("/") == 7 and "K" in text:
        name = "chess"  # of all positions only a FEN has kings
    else:
        return None
    if name not in games:
        raise DataError(f"this is a game of {name[:40]}, not of {one_of(list(games))}")
    return name


def _is_path(text: str) -> bool:
    try:
        return Path(uncompressed_name(text)).suffix in _SUFFIXES or Path(text).exists()
    except (OSError, ValueError):  # too long, or otherwise no file name
        return False


def _pick(text: str, source: str, number: int) -> Record:
    records = list(parse_records(text, source))
    if not 1 <= number <= len(records):
        name = source or "the text"
        raise DataError(f"{name} holds {len(records)} records: there is no number {number}")
    return records[number - 1]


def _replay(game: Game, record: Record) -> State:
    if record.game != game.name:
        raise DataError(f"this is a record of {record.game}, not of {game.name}")
    return _check_game(game, record.replay())


def _read_sgf(game: Game, data: str | bytes, source: str, number: int) -> tuple[State, Record]:
    from playproof.formats import sgf

    if game.name not in sgf.GAMES:
        raise DataError(
            f"SGF holds games of {' and '.join(sgf.GAMES)}: want moves or a record of {game.name}"
        )
    state, record = sgf.read(data, source=source, number=number)
    if record.game != game.name:
        raise DataError(f"this is a record of {record.game}, not of {game.name}")
    return _check_game(game, state), record


def _read_pgn(game: Game, data: str | Path, source: str, number: int) -> tuple[State, Record]:
    if game.name != "chess":
        raise DataError(f"PGN holds games of chess: want moves or a record of {game.name}")
    from playproof.formats import pgn

    state, record = pgn.read(data, game=game, source=source, number=number)
    return _check_game(game, state), record


def _read_epd(game: Game, source: str, number: int) -> tuple[State, Record]:
    if game.name != "chess":
        raise DataError(f"FEN and EPD are for chess, not for {game.name}")
    from playproof.formats import epd
    from playproof.formats.compressed import read_all

    entries = epd.read(read_all(source).decode("utf-8", "replace"), source)
    if not 1 <= number <= len(entries):
        raise DataError(f"{source} holds {len(entries)} positions: there is no number {number}")
    entry = entries[number - 1]
    try:
        state = game.position(entry.fen)
    except PlayproofError as error:
        raise type(error)(f"{source}, line {entry.line}: {error}") from None
    return state, Record.of(state)


def _check_game(game: Game, state: State) -> State:
    """``state``, if its game is the one asked for."""
    # A game without options accepts a record with any; options that are given must agree.
    if game.spec != game.name and state.game != game:
        raise DataError(f"this is a record of {state.game.spec}, not of {game.spec}")
    return state
