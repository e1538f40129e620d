"""A position or a game from whatever text a person has at hand."""

from __future__ import annotations

from pathlib import Path

from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.state import State
from playproof.formats.record import Record, parse_records, read_text

_JSON = ("{", "[")  # how a record may begin
_SUFFIXES = {".jsonl", ".json", ".txt", ".rec"}


def read_state(game: Game, text: str, *, number: int = 1) -> State:
    """The state that ``text`` means in ``game``.

    A record brings its own options: the state's game is then not ``game``.
    It may be a transcript, a position, a game record or a serialised state, or
    the path of a file that holds one.  Of a file of records, ``number`` says
    which.
    """
    if not text.strip():
        raise DataError(f"nothing to read: give a record or a position of {game.title}")
    source = ""
    if not text.lstrip().startswith(_JSON) and _is_path(text.strip()):
        source = text.strip()
        text = read_text(source)
        if not text.strip():
            raise DataError(f"{source} is empty")
    if text.lstrip().startswith(_JSON):
        return _replay(game, _pick(text, source, number))
    text = text.strip()
    if game.looks_like_position(text):
        return game.position(text)
    return game.start().play(text)


def _is_path(text: str) -> bool:
    try:
        return Path(text).suffix.lower() in _SUFFIXES or Path(text).exists()
    except (OSError, ValueError):  # too long or otherwise no name of a file
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
    state = record.replay()
    # The plain name of a game takes a record with any options; named options must agree.
    if game.spec != game.name and state.game != game:
        raise DataError(f"this is a record of {state.game.spec}, not of {game.spec}")
    return state
