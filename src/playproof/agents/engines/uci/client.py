"""The client of the Universal Chess Interface (UCI): sets an engine's options and runs searches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playproof.agents.engines.process import EngineFailure, EngineProcess, short

if TYPE_CHECKING:
    from playproof.core.stopping import StopFlag

__all__ = ["EngineFailure", "EngineLine", "EngineOption", "UciEngine"]

_MAX_OUTPUT = 1 << 22  # bytes of one search: an engine that writes more is ended
_MAX_LINE = 1 << 16  # bytes
_MAX_DIGITS = 19  # of a number: a longer one may not fit into 64 bits
_PROGRESS_SECONDS = 0.1  # between two calls of on_progress
_POLL_SECONDS = 0.02  # between two checks of the stop flag


@dataclass(frozen=True)
class EngineOption:
    """An option that an engine declares.

    ``kind`` is its UCI type, such as ``check`` or ``spin``.  Only ``spin`` options have bounds.
    """

    name: str
    kind: str
    default: str = ""
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class EngineLine:
    """One of the lines that an engine reports (MultiPV), with its move and value.

    ``pv`` is the principal variation, in UCI's move names.  ``centipawns`` and ``mate`` (in moves)
    are from the mover's side; one of them is None.
    """

    move: str
    centipawns: int | None = None
    mate: int | None = None
    depth: int = 0
    nodes: int = 0
    pv: tuple[str, ...] = ()


class UciEngine(EngineProcess):
    """A running engine that speaks UCI.

    ``command`` is the program and its arguments, and ``name`` stands in error messages.  ``limit``
    is the time in seconds within which the engine must answer commands other than ``go``.
    """

    def __init__(self, command: Sequence[str], *, name: str, limit: float) -> None:
        super().__init__(command, name=name, limit=limit)
        self.title = ""  # the engine's own name and version
        self.options: dict[str, EngineOption] = {}  # by name in lower case
        self._read_introduction()

    def _read_introduction(self) -> None:
        self.send("uci")
        deadline = time.monotonic() + self.limit
        while (line := self._read_line("uci", self.limit, deadline)) != "uciok":
            if line.startswith("id name "):
                self.title = short(line.removeprefix("id name "))
            elif line.startswith("option name "):
                option = _read_option(line)
                self.options[option.name.lower()] = option

    def set(self, name: str, value: str) -> None:
        """Set an option; raise an EngineFailure if it does not exist or the value is wrong."""
        option = self.options.get(name.lower())
        if option is None:
            raise EngineFailure(f"{self.name} ({self.title}) has no option '{short(name)}'")
        low, high = option.minimum, option.maximum
        if option.kind == "spin" and low is not None and high is not None:
            whole = value.lstrip("-").isdecimal()
            if not whole or not low <= int(value) <= high:
                raise EngineFailure(
                    f"{self.name} ({self.title}): {option.name}={short(value)} is not a whole "
                    f"number from {low} to {high}"
                )
        if option.kind == "button":
            self.send(f"setoption name {option.name}")
        else:
            self.send(f"setoption name {option.name} value {value}")

    def wait_until_ready(self) -> None:
        """Wait until the engine has carried out all earlier commands."""
        self.send("isready")
        deadline = time.monotonic() + self.limit
        while self._read_line("isready", self.limit, deadline) != "readyok":
            pass

    def search_lines(
        self,
        position: str,
        limits: str,
        seconds: float,
        *,
        stop: StopFlag | None = None,
        on_progress: Callable[[list[EngineLine]], None] | None = None,
    ) -> list[EngineLine]:
        """Search a position, and return the engine's lines as it last reported them, best first.

        There are as many lines as the option MultiPV says, each with a different first move.  The
        ``move`` of the first is the engine's best move.  Lines whose score is a bound do not count.

        ``position`` is the whole UCI command, such as ``position startpos``, and ``limits`` the
        arguments of ``go``, such as ``depth 8``.  The engine must answer within ``seconds``.  When
        ``stop`` is set, the engine is asked to answer at once.  ``on_progress`` is called with the
        lines found so far, at most every 0.1 s.
        """
        lines: dict[int, EngineLine] = {}  # by their number, from 1
        complete: list[EngineLine] = []  # the latest lines that all had the same depth
        next_progress = 0.0
        for words in self._search_output(position, limits, seconds, stop):
            if words[0] == "bestmove":
                best = replace(
                    lines.get(1, EngineLine("")), move=words[1] if len(words) > 1 else ""
                )
                return _distinct([best, *_ordered(lines)[1:], *complete])
            number = _line_number(words)
            lines[number] = _update_line(lines.get(number, EngineLine("")), words)
            depths = {line.depth for line in lines.values()}
            first_moves = {line.pv[0] for line in lines.values() if line.pv}
            if len(depths) == 1 and len(first_moves) == len(lines):
                complete = _ordered(lines)
            if on_progress and complete and time.monotonic() >= next_progress:
                next_progress = time.monotonic() + _PROGRESS_SECONDS
                best = lines.get(1, complete[0])
                best = replace(best, move=best.pv[0])
                on_progress(_distinct([best, *_ordered(lines)[1:], *complete]))
        raise AssertionError("the output of a search ends with bestmove")

    def search(self, position: str, limits: str, seconds: float) -> EngineLine:
        """Search a position, and return only the first line of ``search_lines``."""
        return self.search_lines(position, limits, seconds)[0]

    def last_lines(self, position: str, limits: str, seconds: float) -> list[EngineLine]:
        """Search a position, and return the last report of each line, best first.

        Unlike in ``search_lines``, scores that are bounds count, lines may share a first move, and
        the ``move`` of every line is its first move.
        """
        last: dict[int, list[str]] = {}  # parsed after the search: only the last reports are needed
        for words in self._search_output(position, limits, seconds):
            if words[0] == "info" and "multipv" in words and "pv" in words:
                last[_line_number(words)] = words
        lines = []
        for number in sorted(last):
            # A bound counts too, because a search that is cut short may have no exact value.
            bounds = ("lowerbound", "upperbound")
            words = [word for word in last[number] if word not in bounds]
            line = _update_line(EngineLine(""), words)
            lines.append(replace(line, move=line.pv[0] if line.pv else ""))
        return lines

    def _search_output(
        self, position: str, limits: str, seconds: float, stop: StopFlag | None = None
    ) -> Iterator[list[str]]:
        """Run a search; yield the words of each ``info`` line, and at the end of ``bestmove``."""
        self.wait_until_ready()
        self.send(position)
        command = f"go {limits}"
        self.send(command)
        deadline, received = time.monotonic() + seconds, 0
        while True:
            line = self._read_line(command, seconds, deadline, stop)
            received += len(line)
            words = line.split()
            if words[0] in ("info", "bestmove"):
                yield words
            if words[0] == "bestmove":
                return
            if received > _MAX_OUTPUT:
                raise self._end_endless(command)

    def _read_line(
        self, command: str, limit: float, deadline: float, stop: StopFlag | None = None
    ) -> str:
        """Wait for the next line of output that is not empty, at most until ``deadline``.

        If the flag ``stop`` is set meanwhile, the command ``stop`` is sent to the engine.  Error
        messages quote ``command`` and its ``limit`` in seconds.
        """
        stop_sent = stop is None  # without a flag there is nothing to poll for
        while True:
            end = self.buffer.find(b"\n")
            if end >= 0:
                line = self.buffer[:end].decode(errors="replace").strip()
                self.buffer = self.buffer[end + 1 :]
                if line:
                    return line
                continue
            if len(self.buffer) > _MAX_LINE:
                raise self._end_endless(command)
            if not stop_sent and stop is not None and stop[0]:
                self.send("stop")
                stop_sent = True
            if stop_sent or self.has_more(_POLL_SECONDS) or time.monotonic() >= deadline:
                self.wait(command, limit, deadline)

    def _end_endless(self, command: str) -> EngineFailure:
        """End an engine whose output is too long, and return the error to raise."""
        self.close()
        return EngineFailure(f"{self.name} answered '{command}' without end and was ended")


def _read_option(line: str) -> EngineOption:
    """Parse ``option name <name> type <type> [default <default>] [min <min>] [max <max>] ...``.

    Names and defaults may have several words, and end at the next keyword.
    """
    name, _, rest = line.removeprefix("option name ").partition(" type ")
    words = rest.split()
    fields: dict[str, list[str]] = {"type": []}
    key = "type"
    for word in words:
        if word in ("default", "min", "max", "var"):
            key = word
            fields.setdefault(key, [])
        else:
            fields[key].append(word)
    return EngineOption(
        name=name.strip(),
        kind=" ".join(fields["type"]) or "string",
        default=" ".join(fields.get("default", [])),
        minimum=_leading_int(fields.get("min")),
        maximum=_leading_int(fields.get("max")),
    )


def _update_line(line: EngineLine, words: list[str]) -> EngineLine:
    """``line``, updated by the words of an ``info`` line.

    If the score is only a bound, just the depth and the nodes are updated.
    """
    if "string" in words or "currmove" in words:
        return line
    keys = ("depth", "nodes", "score", "pv")
    after = {key: words[words.index(key) + 1 :] for key in keys if key in words}
    depth, nodes = _leading_int(after.get("depth")), _leading_int(after.get("nodes"))
    line = replace(
        line,
        depth=line.depth if depth is None else depth,
        nodes=line.nodes if nodes is None else nodes,
    )
    score = after.get("score", [])
    number = _leading_int(score[1:])
    if number is not None and score[0] in ("cp", "mate"):
        if "lowerbound" in score[:3] or "upperbound" in score[:3]:
            return line
        is_mate = score[0] == "mate"
        line = replace(
            line, centipawns=None if is_mate else number, mate=number if is_mate else None
        )
    if "pv" in after:
        line = replace(line, pv=tuple(after["pv"]))
    return line


def _line_number(words: Sequence[str]) -> int:
    """The number (MultiPV, from 1) of the line that an ``info`` line reports."""
    number = _leading_int(words[words.index("multipv") + 1 :]) if "multipv" in words else None
    return 1 if number is None else number


def _distinct(lines: Sequence[EngineLine]) -> list[EngineLine]:
    """The lines without those whose first move an earlier line has.

    During a search, two lines of different depths may begin with the same move.  The ``move`` of
    every line becomes its first move, except that of the first line, which keeps its own.
    """
    by_move = {lines[0].move: lines[0]}
    for line in lines[1:]:
        if line.pv:
            by_move.setdefault(line.pv[0], replace(line, move=line.pv[0]))
    return list(by_move.values())


def _ordered(lines: Mapping[int, EngineLine]) -> list[EngineLine]:
    return [lines[number] for number in sorted(lines)]


def _leading_int(words: Sequence[str] | None) -> int | None:
    """The first word as an integer; None if there is no word or it is no integer."""
    word = words[0] if words else ""
    return int(word) if word.lstrip("-").isdecimal() and len(word) <= _MAX_DIGITS else None
