"""The options of an agent as UCI options: check, spin, combo and string.

``Hash``, ``Threads``, ``Ponder``, ``MultiPV`` and ``Move Overhead`` are what controllers
expect of any engine; ``Hash`` is alpha-beta's table, and ``SyzygyPath`` its folder
of solved endings.
"""

from __future__ import annotations

from typing import Any

from playproof.adapters.uci.clock import MalformedCommand
from playproof.agents.base import Agent
from playproof.core.errors import PlayproofError, one_line
from playproof.core.parallel import executor as jobs
from playproof.core.spec import Option

_EMPTY = "<empty>"
_FAR = 2**31 - 1
_MOST_LINES = 500  # more than any position of chess has moves
# The agents' options that the usual ones stand for.
_TWINS = {"Hash": ("table", "hash"), "Threads": ("threads",), "SyzygyPath": ("tables",)}


class Options:
    """What ``setoption`` changes.  ``settings`` are the agent's, checked."""

    def __init__(self, agent: type[Agent], settings: dict[str, Any]) -> None:
        self.agent = agent
        self.settings = dict(settings)
        memory = next((int(settings[twin]) for twin in _TWINS["Hash"] if twin in settings), 16)
        self._own: tuple[Option, ...] = (
            Option("Hash", memory, "", minimum=1, maximum=16384),
            Option("Threads", 1, "", minimum=1, maximum=max(1, jobs.cores())),
            Option("Ponder", False, ""),
            Option("MultiPV", 1, "", minimum=1, maximum=_MOST_LINES),
            Option("Move Overhead", 30, "", minimum=0, maximum=5000),
        )
        if "tables" in settings:
            self._own += (Option("SyzygyPath", settings["tables"], ""),)
        self._values: dict[str, Any] = {option.name: option.default for option in self._own}

    @property
    def threads(self) -> int:
        return int(self._values["Threads"])

    @property
    def lines(self) -> int:
        """Best moves to tell of."""
        return int(self._values["MultiPV"])

    @property
    def overhead(self) -> float:
        """Seconds."""
        return float(self._values["Move Overhead"]) / 1000

    def declarations(self) -> list[str]:
        """One line each."""
        theirs = [
            _declared(option, self.settings[option.name])
            for option in self.agent.option_fields
            if not any(option.name in twins for twins in _TWINS.values())
        ]
        return [*(_declared(option, option.default) for option in self._own), *theirs]

    def set(self, words: list[str]) -> bool:
        """``name NAME value VALUE``; whether the agent has to be made anew."""
        if words[:1] != ["name"]:
            raise MalformedCommand("setoption: want name NAME value VALUE")
        split = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:split]), " ".join(words[split + 1 :])
        for option in self._own:
            if option.name.lower() == name.lower():
                self._values[option.name] = _read(option, value)
                twins = [t for t in _TWINS.get(option.name, ()) if t in self.settings]
                self.settings |= dict.fromkeys(twins, self._values[option.name])
                return bool(twins)
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


def _declared(option: Option, value: Any) -> str:
    head = f"option name {option.name} type"
    if isinstance(option.default, bool):
        return f"{head} check default {str(value).lower()}"
    if option.choices:
        choices = " ".join(f"var {choice}" for choice in option.choices)
        return f"{head} combo default {value} {choices}"
    if isinstance(option.default, int):
        low = -_FAR if option.minimum is None else int(option.minimum)
        high = _FAR if option.maximum is None else int(option.maximum)
        return f"{head} spin default {value} min {low} max {high}"
    return f"{head} string default {value if str(value) else _EMPTY}"
