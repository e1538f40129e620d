"""The client of the Universal Chess Interface: options, positions and searches of an engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playproof.agents.engines.process import EngineFailure, EngineProcess, short

if TYPE_CHECKING:
    from playproof.core.stopping import StopFlag

__all__ = ["EngineFailure", "EngineLine", "EngineOption", "UciEngine"]

_MAX_OUTPUT = 1 << 22  # bytes of one search: an engine that writes more will not end
_MAX_LINE = 1 << 16  # bytes
_PROGRESS_SECONDS = 0.1  # between two calls of on_progress
_POLL_SECONDS = 0.02  # between two checks of the stop flag


@dataclass(frozen=True)
class EngineOption:
    """An option that an engine declares.  Only options of the kind ``spin`` have bounds."""

    name: str
    kind: str
    default: str = ""
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class EngineLine:
    """One of the lines that an engine reports (MultiPV), with its move and value.

    ``centipawns`` and ``mate`` (in moves) are from the mover's side.
    """

    move: str
    centipawns: int | None = None
    mate: int | None = None
    depth: int = 0
    nodes: int = 0
    line: tuple[str, ...] = ()


class UciEngine(EngineProcess):
    """An engine that speaks UCI: its name, its options, and searches by it."""

    def __init__(self, command: Sequence[str], *, name: str, limit: float) -> None:
        super().__init__(command, name=name, limit=limit)
        self.title = ""  # the engine's own name and version
        self.options: dict[str, EngineOption] = {}  # by name in lower case
        self._read_introduction()

    def _read_introduction(self) -> None:
        self.send("uci")
        deadline = time.monotonic() + self.limit
        while (line := self._line("uci", self.limit, deadline)) != "uciok":
            if line.startswith("id name "):
                self.title = short(line.removeprefix("id name "))
            elif line.startswith("option name "):
                option = _read_option(line)
                self.options[option.name.lower()] = option

    def set(self, name: str, value: str) -> None:
        """Set an option; EngineFailure if there is no such option or the value is wrong."""
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
        while self._line("isready", self.limit, deadline) != "readyok":
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
        """Search after the commands ``position`` and ``go limits``.

        Returns the engine's lines (its option MultiPV) as it last reported them, best first.  The
        ``move`` of the first one is the engine's best move.  The engine must answer within
        ``seconds``.  Once ``stop`` is set it is told to answer at once.
        """
        lines: dict[int, EngineLine] = {}
        complete: list[EngineLine] = []  # the latest set of lines that all have the same depth
        due = 0.0
        for words in self._search_output(position, limits, seconds, stop):
            if words[0] == "bestmove":
                best = replace(
                    lines.get(1, EngineLine("")), move=words[1] if len(words) > 1 else ""
                )
                return _distinct([best, *_ordered(lines)[1:], *complete])
            number = _line_number(words)
            lines[number] = _read_info(words, lines.get(number, EngineLine("")))
            depths = {one.depth for one in lines.values()}
            firsts = {one.line[0] for one in lines.values() if one.line}
            if len(depths) == 1 and len(firsts) == len(lines):
                complete = _ordered(lines)
            if on_progress and complete and time.monotonic() >= due:
                due = time.monotonic() + _PROGRESS_SECONDS
                best = lines.get(1, complete[0])
                best = replace(best, move=best.line[0])
                on_progress(_distinct([best, *_ordered(lines)[1:], *complete]))
        raise AssertionError("a search ends with its best move")

    def search(self, position: str, limits: str, seconds: float) -> EngineLine:
        """The best line alone, as in ``search_lines``."""
        return self.search_lines(position, limits, seconds)[0]

    def best_lines(self, position: str, limits: str, seconds: float) -> list[EngineLine]:
        """The last reported version of each line of the engine (its option MultiPV), best first;
        ``move`` is the line's first move."""
        last: dict[int, list[str]] = {}  # parsed after the search, since few of the lines count
        for words in self._search_output(position, limits, seconds):
            if words[0] == "info" and "multipv" in words and "pv" in words:
                last[_line_number(words)] = words
        lines = []
        for number in sorted(last):
            # A bound counts too: an engine that is stopped may have no exact value.
            bounds = ("lowerbound", "upperbound")
            words = [word for word in last[number] if word not in bounds]
            line = _read_info(words, EngineLine(""))
            lines.append(replace(line, move=line.line[0] if line.line else ""))
        return lines

    def _search_output(
        self, position: str, limits: str, seconds: float, stop: StopFlag | None = None
    ) -> Iterator[list[str]]:
        """The words of each ``info`` line of a search, and at the end those of ``bestmove``."""
        self.wait_until_ready()
        self.send(position)
        command = f"go {limits}"
        self.send(command)
        deadline, received = time.monotonic() + seconds, 0
        while True:
            line = self._line(command, seconds, deadline, stop)
            received += len(line)
            words = line.split()
            if words[0] in ("info", "bestmove"):
                yield words
            if words[0] == "bestmove":
                return
            if received > _MAX_OUTPUT:
                raise self._endless(command)

    def _line(
        self, command: str, limit: float, deadline: float, stop: StopFlag | None = None
    ) -> str:
        """The next line that is not empty.  Sends ``stop`` meanwhile, once the flag is set."""
        stop_sent = stop is None
        while True:
            end = self.buffer.find(b"\n")
            if end >= 0:
                line = self.buffer[:end].decode(errors="replace").strip()
                self.buffer = self.buffer[end + 1 :]
                if line:
                    return line
                continue
            if len(self.buffer) > _MAX_LINE:
                raise self._endless(command)
            if not stop_sent and stop is not None and stop[0]:
                self.send("stop")
                stop_sent = True
            if stop_sent or self.has_more(_POLL_SECONDS) or time.monotonic() >= deadline:
                self.wait(command, limit, deadline)

    def _endless(self, command: str) -> EngineFailure:
        self.close()
        return EngineFailure(f"{self.name} answered '{command}' without end and was ended")


def _read_option(line: str) -> EngineOption:
    """Parse ``option name ... type ...``.  Names and defaults may have several words: ``type``
    ends the name, and the next keyword ends the default."""
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
        minimum=_whole(fields.get("min")),
        maximum=_whole(fields.get("max")),
    )


def _read_info(words: list[str], line: EngineLine) -> EngineLine:
    """``line``, updated by the words of an ``info`` line.  Scores that are bounds are ignored."""
    if "string" in words or "currmove" in words:
        return line
    keys = ("depth", "nodes", "score", "pv")
    after = {key: words[words.index(key) + 1 :] for key in keys if key in words}
    fields = {**vars(line)}
    for key in ("depth", "nodes"):
        number = _whole(after.get(key))
        fields[key] = line.__dict__[key] if number is None else number
    score = after.get("score", [])
    number = _whole(score[1:])
    if number is not None and score[0] in ("cp", "mate"):
        if "lowerbound" in score[:3] or "upperbound" in score[:3]:
            return EngineLine(**fields)
        fields["centipawns"] = number if score[0] == "cp" else None
        fields["mate"] = number if score[0] == "mate" else None
    if "pv" in after:
        fields["line"] = tuple(after["pv"])
    return EngineLine(**fields)


def _line_number(words: Sequence[str]) -> int:
    """The number (MultiPV, from 1) of the line that an ``info`` line is about."""
    number = _whole(words[words.index("multipv") + 1 :]) if "multipv" in words else None
    return 1 if number is None else number


def _distinct(lines: Sequence[EngineLine]) -> list[EngineLine]:
    """Lines that begin with different moves; the first of several that begin alike is kept.

    While an engine thinks, two of its lines may begin alike at different depths.  Every line's
    ``move`` becomes its first move, except that of the best line, which keeps its own.
    """
    by_move = {lines[0].move: lines[0]}
    for one in lines[1:]:
        if one.line:
            by_move.setdefault(one.line[0], replace(one, move=one.line[0]))
    return list(by_move.values())


def _ordered(lines: Mapping[int, EngineLine]) -> list[EngineLine]:
    return [lines[number] for number in sorted(lines)]


def _whole(words: Sequence[str] | None) -> int | None:
    word = words[0] if words else ""
    return int(word) if word.lstrip("-").isdecimal() and len(word) < 20 else None
