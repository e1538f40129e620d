"""The Universal Chess Interface from the controller's side: options, positions, searches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playproof.agents.engines.process import EngineFailure, EngineProcess, short

if TYPE_CHECKING:
    from playproof.core.stopping import StopFlag

__all__ = ["EngineFailure", "EngineLine", "EngineOption", "UciEngine"]

_LONGEST_SPEECH = 1 << 22  # bytes of one search: an engine that says more will not end
_LONGEST_LINE = 1 << 16
_PROGRESS = 0.1  # seconds between two words on how far it is
_LISTENING = 0.02  # seconds between two looks at whether it is to stop


@dataclass(frozen=True)
class EngineOption:
    """One line ``option name ... type ...``; bounds are those of a spin."""

    name: str
    kind: str
    default: str = ""
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class EngineLine:
    """The end of a search.  ``centipawns`` and ``mate`` are from the mover's side."""

    move: str
    centipawns: int | None = None
    mate: int | None = None
    depth: int = 0
    nodes: int = 0
    line: tuple[str, ...] = ()


class UciEngine(EngineProcess):
    """An engine that has said ``uciok``: who it is, what it can be told, and its moves."""

    def __init__(self, command: Sequence[str], *, name: str, limit: float) -> None:
        super().__init__(command, name=name, limit=limit)
        self.title = ""  # name and version, as the engine says them
        self.options: dict[str, EngineOption] = {}  # by name in small letters
        self._introduce()

    def _introduce(self) -> None:
        self.send("uci")
        deadline = time.monotonic() + self.limit
        while (line := self._line("uci", self.limit, deadline)) != "uciok":
            if line.startswith("id name "):
                self.title = short(line.removeprefix("id name "))
            elif line.startswith("option name "):
                option = _read_option(line)
                self.options[option.name.lower()] = option

    def set(self, name: str, value: str) -> None:
        """Set an option; one that the engine has not declared is refused here."""
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
        """Wait until all that was said before is done."""
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
        """``position`` and ``go limits``; the last word on each line of the engine (its option
        MultiPV), best first.  ``move`` of the first is the engine's best move.

        The engine has ``seconds`` beyond its limit.  Once ``stop`` is raised it is told to
        answer.
        """
        lines: dict[int, EngineLine] = {}
        whole: list[EngineLine] = []  # the last time that all lines were of one depth
        due = 0.0
        for words in self._said(position, limits, seconds, stop):
            if words[0] == "bestmove":
                best = replace(
                    lines.get(1, EngineLine("")), move=words[1] if len(words) > 1 else ""
                )
                return _distinct([best, *_ordered(lines)[1:], *whole])
            place = _place(words)
            lines[place] = _read_info(words, lines.get(place, EngineLine("")))
            depths = {one.depth for one in lines.values()}
            firsts = {one.line[0] for one in lines.values() if one.line}
            if len(depths) == 1 and len(firsts) == len(lines):
                whole = _ordered(lines)
            if on_progress and whole and time.monotonic() >= due:
                due = time.monotonic() + _PROGRESS
                best = replace(lines.get(1, whole[0]), move=lines.get(1, whole[0]).line[0])
                on_progress(_distinct([best, *_ordered(lines)[1:], *whole]))
        raise AssertionError("a search ends with its best move")

    def search(self, position: str, limits: str, seconds: float) -> EngineLine:
        """The best line alone."""
        return self.search_lines(position, limits, seconds)[0]

    def best_lines(self, position: str, limits: str, seconds: float) -> list[EngineLine]:
        """The same where the engine tells of several lines (its option MultiPV): the last word on
        each, best first; ``move`` is the line's first."""
        last: dict[int, list[str]] = {}  # read when the search is over: few of many lines count
        for words in self._said(position, limits, seconds):
            if words[0] == "info" and "multipv" in words and "pv" in words:
                last[_place(words)] = words
        told = []
        for place in sorted(last):
            # A bound counts too: an engine that is stopped has no better word.
            bounds = ("lowerbound", "upperbound")
            found = _read_info([word for word in last[place] if word not in bounds], EngineLine(""))
            told.append(replace(found, move=found.line[0] if found.line else ""))
        return told

    def _said(
        self, position: str, limits: str, seconds: float, stop: StopFlag | None = None
    ) -> Iterator[list[str]]:
        """The words of each line of a search, up to that of the best move."""
        self.wait_until_ready()
        self.send(position)
        asked = f"go {limits}"
        self.send(asked)
        deadline, said = time.monotonic() + seconds, 0
        while True:
            line = self._line(asked, seconds, deadline, stop)
            said += len(line)
            words = line.split()
            if words[0] in ("info", "bestmove"):
                yield words
            if words[0] == "bestmove":
                return
            if said > _LONGEST_SPEECH:
                raise self._endless(asked)

    def _line(self, asked: str, limit: float, deadline: float, stop: StopFlag | None = None) -> str:
        """The next line that is not empty; an engine that thinks is told when to stop."""
        told = stop is None
        while True:
            end = self.buffer.find(b"\n")
            if end >= 0:
                line = self.buffer[:end].decode(errors="replace").strip()
                self.buffer = self.buffer[end + 1 :]
                if line:
                    return line
                continue
            if len(self.buffer) > _LONGEST_LINE:
                raise self._endless(asked)
            if not told and stop is not None and stop[0]:
                self.send("stop")
                told = True
            if told or self.has_more(_LISTENING) or time.monotonic() >= deadline:
                self.wait(asked, limit, deadline)

    def _endless(self, asked: str) -> EngineFailure:
        self.close()
        return EngineFailure(f"{self.name} answered '{asked}' without end and was ended")


def _read_option(line: str) -> EngineOption:
    """Names and defaults may be of several words; ``type`` ends the one, keywords the other."""
    name, _, rest = line.removeprefix("option name ").partition(" type ")
    words = rest.split()
    facts: dict[str, list[str]] = {"type": []}
    key = "type"
    for word in words:
        if word in ("default", "min", "max", "var"):
            key = word
            facts.setdefault(key, [])
        else:
            facts[key].append(word)
    return EngineOption(
        name=name.strip(),
        kind=" ".join(facts["type"]) or "string",
        default=" ".join(facts.get("default", [])),
        minimum=_whole(facts.get("min")),
        maximum=_whole(facts.get("max")),
    )


def _read_info(words: list[str], told: EngineLine) -> EngineLine:
    """What a line of thinking adds: bounds do not count."""
    if "string" in words or "currmove" in words:
        return told
    keys = ("depth", "nodes", "score", "pv")
    after = {key: words[words.index(key) + 1 :] for key in keys if key in words}
    facts = {**vars(told)}
    for key in ("depth", "nodes"):
        number = _whole(after.get(key))
        facts[key] = told.__dict__[key] if number is None else number
    score = after.get("score", [])
    number = _whole(score[1:])
    if number is not None and score[0] in ("cp", "mate"):
        if "lowerbound" in score[:3] or "upperbound" in score[:3]:
            return EngineLine(**facts)
        facts["centipawns"] = number if score[0] == "cp" else None
        facts["mate"] = number if score[0] == "mate" else None
    if "pv" in after:
        facts["line"] = tuple(after["pv"])
    return EngineLine(**facts)


def _place(words: Sequence[str]) -> int:
    """The number of the line that a line of thinking is about."""
    number = _whole(words[words.index("multipv") + 1 :]) if "multipv" in words else None
    return 1 if number is None else number


def _distinct(lines: Sequence[EngineLine]) -> list[EngineLine]:
    """Lines that begin with different moves, each with its first; the first of all keeps its
    own.  While an engine thinks, two lines of different depths may begin alike."""
    found = {lines[0].move: lines[0]}
    for one in lines[1:]:
        if one.line:
            found.setdefault(one.line[0], replace(one, move=one.line[0]))
    return list(found.values())


def _ordered(lines: Mapping[int, EngineLine]) -> list[EngineLine]:
    return [lines[place] for place in sorted(lines)]


def _whole(words: Sequence[str] | None) -> int | None:
    word = words[0] if words else ""
    return int(word) if word.lstrip("-").isdecimal() and len(word) < 20 else None
