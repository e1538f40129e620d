"""The Playproof game record: a game of any kind as one line of JSON.

    {"game": "othello", "options": {"size": 8, ...}, "players": ["human", "greedy"],
     "seed": 7, "moves": ["f5", "d6"], "result": "*"}

``start`` is present only if the game began from another position, ``reason`` only
if the moves do not explain the result ("resigned").  A file holds one record per
line, so games can be appended to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.registry import make
from playproof.core.state import State

if TYPE_CHECKING:
    from playproof.core.game import Game

RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1", None: "*"}


@dataclass(frozen=True)
class Record:
    """One game: its options, players, moves and result.

    >>> import playproof
    >>> state = playproof.make("othello").start().play("f5d6c3")
    >>> record = playproof.Record.of(state, ("Ann", "Bob"))
    >>> playproof.Record.from_json(record.to_json()).replay() == state
    True
    """

    game: str
    options: dict[str, Any]
    players: tuple[str, str]
    moves: tuple[str, ...]
    result: str = "*"
    seed: int | None = None
    start: str | None = None
    reason: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)  # unknown fields, kept as they are

    @classmethod
    def of(
        cls,
        state: State,
        players: tuple[str, str] = ("?", "?"),
        *,
        seed: int | None = None,
        result: str | None = None,
        reason: str | None = None,
    ) -> Record:
        """The record of the moves that led to ``state``."""
        data = json.loads(state.serialize())
        return cls(
            game=data["game"],
            options=data["options"],
            players=players,
            moves=tuple(data["moves"]),
            result=result or RESULTS[state.outcome],
            seed=seed,
            start=data.get("start"),
            reason=reason,
        )

    def replay(self) -> State:
        """The last position; the rules check every move."""
        try:
            game = make(self.game, **self.options)
        except UsageError as error:
            raise DataError(f"the record's game cannot be: {error}") from None
        start = game.start() if self.start is None else game.position(self.start)
        state = start.play(self.moves)
        position = self.extra.get("position", state.position)
        if position != state.position:
            raise DataError(f"the moves lead to {state.position}, not to {position}")
        if state.outcome is not None and self.result not in ("*", RESULTS[state.outcome]):
            raise DataError(
                f"the record says {self.result}, but its moves end in {RESULTS[state.outcome]}"
            )
        return state

    def _repr_html_(self) -> str:
        """The game as a picture to step through, for notebooks."""
        from playproof.formats.stepper import stepper

        return stepper(self.replay())

    def to_json(self) -> str:
        """The record as one line of JSON."""
        data: dict[str, Any] = {
            "game": self.game,
            "options": self.options,
            "players": list(self.players),
        }
        if self.seed is not None:
            data["seed"] = self.seed
        if self.start is not None:
            data["start"] = self.start
        data["moves"] = list(self.moves)
        data["result"] = self.result
        if self.reason is not None:
            data["reason"] = self.reason
        data |= self.extra
        text = json.dumps(data, ensure_ascii=False)
        try:
            text.encode()
        except UnicodeEncodeError:  # a lone surrogate, which JSON can escape
            text = json.dumps(data)
        return text

    @classmethod
    def from_json(cls, text: str) -> Record:
        """The record that a JSON text describes; DataError if it is none."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"broken JSON: {error}") from None
        if not isinstance(data, dict):
            raise DataError('a game record is an object: {"game": ..., "moves": [...]}')
        _check_fields(data)
        names = {"game", "options", "players", "seed", "start", "moves", "result", "reason"}
        players = [str(player) for player in data.get("players", ["?", "?"])]
        return cls(
            game=data["game"],
            options=data.get("options", {}),
            players=(players[0], players[1]),
            moves=tuple(data["moves"]),
            result=data.get("result", "*"),
            seed=data.get("seed"),
            start=data.get("start"),
            reason=data.get("reason"),
            extra={key: value for key, value in data.items() if key not in names},
        )


def _check_fields(data: dict[str, Any]) -> None:
    """Raise a DataError for the first field that has the wrong type or value."""

    def is_text_list(value: object) -> bool:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)

    players = data.get("players", ["?", "?"])
    checks = [
        (isinstance(data.get("game"), str), "game", "the name of a game"),
        (is_text_list(data.get("moves")), "moves", 'a list of move names, such as ["f5", "d6"]'),
        (isinstance(data.get("options", {}), dict), "options", 'an object such as {"size": 6}'),
        (is_text_list(players) and len(players) == 2, "players", "a list of two names"),
        (data.get("result", "*") in RESULTS.values(), "result", "1-0, 0-1, 1/2-1/2 or *"),
        (isinstance(data.get("start", ""), str), "start", "a position as text"),
        (type(data.get("seed")) in (int, type(None)), "seed", "a whole number"),
        (isinstance(data.get("reason", ""), str | None), "reason", "a text"),
    ]
    for valid, name, requirement in checks:
        if not valid:
            raise DataError(f"a game record's '{name}' must be {requirement}")


def read_text(path: str | Path) -> str:
    """The content of a text file; DataError if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a text file (UTF-8)") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def read_bytes(path: str | Path) -> bytes:
    """The content of a file; DataError if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def read_records(path: str | Path) -> Iterator[Record]:
    """The records of a file: one per line, or a single one over several lines.

    An error names its line."""
    yield from parse_records(read_text(path), str(path))


def parse_records(text: str, source: str = "") -> Iterator[Record]:
    """The records of a text; errors call it ``source``."""
    if text.strip() and _is_json(text):
        yield Record.from_json(text)
        return
    # Not splitlines, which also splits at rare line separators that names may contain.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield Record.from_json(line)
            except PlayproofError as error:
                where = f"{source}, line {number}" if source else f"line {number}"
                raise type(error)(f"{where}: {error}") from None


def check_writable(path: str | Path, game: Game | None = None) -> None:
    """Raise an error if records of ``game`` cannot be appended to the file.

    Called before a long game is played."""
    if game is not None and is_pgn(path) and game.name != "chess":
        raise UsageError(f"{path}: PGN is for chess, not for {game.name}; want .jsonl")
    try:
        Path(path).open("ab").close()
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None


def is_pgn(path: str | Path) -> bool:
    """Whether records are written to the file as PGN, which its name decides."""
    return Path(path).suffix.lower() == ".pgn"


def append_record(path: str | Path, record: Record) -> None:
    """Append a record to a file, which is created if need be; to a ``.pgn`` file as PGN."""
    text = record.to_json()
    if is_pgn(path):
        from playproof.formats.pgn.records import write_record

        text = write_record(record)
    try:
        with Path(path).open("a+b") as file:
            # A file that was truncated or written by hand may lack its final newline.
            size = file.seek(0, 2)
            file.seek(max(0, size - 1))
            newline = b"\n" if size and file.read(1) != b"\n" else b""
            file.write(newline + text.encode("utf-8", "replace") + b"\n")
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None
