"""The options of an agent as UCI options: check, spin, combo and string.

Controllers expect ``Hash``, ``Threads``, ``Ponder``, ``MultiPV`` and ``Move Overhead`` of every
engine.  ``Hash`` is alpha-beta's hash table, and ``SyzygyPath`` its folder of solved endings.
"""

from __future__ import annotations

from typing import Any

from playproof.adapters.uci.clock import MalformedCommand
from playproof.agents.base import Agent
from playproof.core.errors import PlayproofError, one_line
from playproof.core.parallel import executor as jobs
from playproof.core.spec import Option

_EMPTY = "<empty>"
_MAX_INT = 2**31 - 1
_MAX_LINES = 500  # more than any chess position has moves
# Standard UCI options, and the options of agents that they set.
_AGENT_OPTIONS = {"Hash": ("table", "hash"), "Threads": ("threads",), "SyzygyPath": ("tables",)}


class Options:
    """The values of all options.  ``settings`` are the checked options of the agent."""

    def __init__(self, agent: type[Agent], settings: dict[str, Any]) -> None:
        self.agent = agent
        self.settings = dict(settings)
        names = _AGENT_OPTIONS["Hash"]
        memory = next((int(settings[name]) for name in names if name in settings), 16)
        self._standard: tuple[Option, ...] = (
            Option("Hash", memory, "", minimum=1, maximum=16384),
            Option("Threads", 1, "", minimum=1, maximum=max(1, jobs.cores())),
            Option("Ponder", False, ""),
            Option("MultiPV", 1, "", minimum=1, maximum=_MAX_LINES),
            Option("Move Overhead", 30, "", minimum=0, maximum=5000),
        )
        if "tables" in settings:
            self._standard += (Option("SyzygyPath", settings["tables"], ""),)
        self._values: dict[str, Any] = {option.name: option.default for option in self._standard}

    @property
    def threads(self) -> int:
        return int(self._values["Threads"])

    @property
    def lines(self) -> int:
        """The number of best moves to report."""
        return int(self._values["MultiPV"])

    @property
    def overhead(self) -> float:
        """Seconds lost in sending a move."""
        return float(self._values["Move Overhead"]) / 1000

    def declarations(self) -> list[str]:
        """The lines that declare the options to a controller."""
        of_agent = [
            _declaration(option, self.settings[option.name])
            for option in self.agent.option_fields
            if not any(option.name in names for names in _AGENT_OPTIONS.values())
        ]
        return [*(_declaration(option, option.default) for option in self._standard), *of_agent]

    def set(self, words: list[str]) -> bool:
        """Set an option by ``name NAME value VALUE``; True if the agent has to be made again."""
        if words[:1] != ["name"]:
            raise MalformedCommand("setoption: want name NAME value VALUE")
        split = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:split]), " ".join(words[split + 1 :])
        for option in self._standard:
            if option.name.lower() == name.lower():
                self._values[option.name] = _read(option, value)
                names = [n for n in _AGENT_OPTIONS.get(option.name, ()) if n in self.settings]
                self.settings |= dict.fromkeys(names, self._values[option.name])
                return bool(names)
        for option in self.agent.option_fields:
            if option.name.lower() == name.lower():
                self.settings[option.name] = _read(option, value)
                return True
        raise MalformedCommand(f"setoption: there is no option '{name[:40]}'")


def _read(option: Option, value: str) -> Any:
    try:
        return option.read("" if value == _EMPTY else value, "setoption")
    except PlayproofError as error:
        raise MalformedCommand(one_line(error)) from None


def _declaration(option: Option, value: Any) -> str:
    head = f"option name {option.name} type"
    if isinstance(option.default, bool):
        return f"{head} check default {str(value).lower()}"
    if option.choices:
        choices = " ".join(f"var {choice}" for choice in option.choices)
        return f"{head} combo default {value} {choices}"
    if isinstance(option.default, int):
        low = -_MAX_INT if option.minimum is None else int(option.minimum)
        high = _MAX_INT if option.maximum is None else int(option.maximum)
        return f"{head} spin default {value} min {low} max {high}"
    return f"{head} string default {value if str(value) else _EMPTY}"
