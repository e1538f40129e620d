"""What an agent is: it chooses for a batch of positions at once."""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from playproof.agents.game_clocks import TIME_CONTROL, GameClocks, TimeControl
from playproof.agents.limits import Limits
from playproof.core import spec
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:  # agents are listed without compiling anything
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag

ALL_LINES = 1_000_000  # more than any position has moves
_NO_LIMITS = Limits()
_CONTRACT = ("limits", "stop", "on_progress")

Statistics = Mapping[str, bool | int | float | str | None]
OptionValue = bool | int | float | str


@dataclass(frozen=True)
class MoveReport:
    """What an agent thinks of one move.  ``value`` as in a Decision."""

    action: int
    value: float | None = None
    visits: int | None = None
    prior: float | None = None
    line: tuple[int, ...] = ()


@dataclass(frozen=True)
class Decision:
    """An action, and as much of the reason as the agent has.

    ``value`` is from the first player's side, in the unit that the agent's
    page in the docs names; ``line`` is the play it expects, its action first.
    ``moves`` are best first; the first ``Limits.lines`` of them have lines of their own.

    >>> import playproof
    >>> start = playproof.make("othello").start()
    >>> decision = playproof.make_agent("greedy", start.game).decide(start)
    >>> decision.value, len(decision.line)
    (3.0, 1)
    """

    action: int
    value: float | None = None
    line: tuple[int, ...] = ()
    statistics: Statistics = field(default_factory=dict)
    moves: tuple[MoveReport, ...] = ()  # where the agent compares moves


# A row of the batch, and what would be decided there now.
OnProgress = Callable[[int, Decision], None]


class Agent(ABC):
    """Chooses actions in one game.  Made from a spec string by ``make_agent``.

    The same seed, batch and limits give the same decisions, unless time is among the limits.

    >>> import playproof
    >>> class First(playproof.Agent):
    ...     name, summary = "first", "the first legal move"
    ...
    ...     def choose(self, batch):
    ...         states = (batch[row] for row in range(len(batch)))
    ...         return [playproof.Decision(state.legal_actions()[0]) for state in states]
    >>> othello = playproof.make("othello")
    >>> othello.action_name(First(othello).decide(othello.start()).action)
    'd3'
    """

    name: ClassVar[str]
    summary: ClassVar[str]  # one line for listings
    option_fields: ClassVar[tuple[Option, ...]] = ()
    interactive: ClassVar[bool] = False  # asks a person
    # What ``Decision.value`` is in: a "result" from -1 to 1, the game's "points", or "pawns".
    unit: ClassVar[str] = "result"
    # The option, the first of its fields, that a bare first word sets: gtp:gnugo
    first_word: ClassVar[str] = ""
    # Whether a Python object may evaluate positions for it: make_agent(..., evaluator=...)
    takes_evaluator: ClassVar[bool] = False
    _clocks: GameClocks | None = None  # where the option TIME_CONTROL asks for some
    # Whether it looks at ``Limits.actions`` itself; for others the moves are compared one by one.
    takes_actions: ClassVar[bool] = False

    def __init__(self, game: Game, *, seed: int = 0, **options: OptionValue) -> None:
        self.game = game
        self.seed = seed
        self.options: dict[str, Any] = spec.settle(self.name, self.option_fields, options)
        if self.options.get(TIME_CONTROL.name):
            control = TimeControl.parse(self.name, str(self.options[TIME_CONTROL.name]))
            self._clocks = GameClocks(control, self)

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "choose" in cls.__dict__:
            # An agent may leave out what it has no use for: choose(self, batch) is enough.
            cls.choose = _contracted(cls.choose, cls.takes_actions)  # type: ignore[method-assign]

    @abstractmethod
    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = _NO_LIMITS,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        """One decision for each row; every row is a player's decision, none finished.

        ``stop[0]``, raised by another thread, asks to decide at once with what is known.
        ``on_progress(row, decision)`` hears what would be decided now, from time to time.
        """

    def decide(
        self,
        state: State,
        *,
        seed: int = 0,
        limits: Limits = _NO_LIMITS,
        stop: StopFlag | None = None,
        on_progress: Callable[[Decision], None] | None = None,
    ) -> Decision:
        """The decision for one position: a batch of one."""
        from playproof.core.batch import Batch

        hear = None if on_progress is None else lambda row, decision: on_progress(decision)
        batch = Batch.of([state], seed=seed)
        return self.choose(batch, limits=limits, stop=stop, on_progress=hear)[0]

    @property
    def label(self) -> str:
        """What error lines call it."""
        return self.name

    def analyse(self, state: State, *, seed: int = 0, lines: int = ALL_LINES) -> Decision:
        """A decision with a report on the best ``lines`` moves."""
        return self.decide(state, seed=seed, limits=Limits(lines=lines))

    def new_game(self) -> None:  # noqa: B027  not every agent has a memory
        """Forget what belongs to the last game."""

    def close(self) -> None:  # noqa: B027  nor has every one started something
        """End what the agent has started, such as an engine; the next decision starts it again."""

    @property
    def spec(self) -> str:
        return self.written(self.options)

    @classmethod
    def time_control(cls, options: Mapping[str, OptionValue]) -> str:
        """As PGN's tag of this name says it: ``60+0.6`` for a game, ``1/0.1`` for every move,
        ``-`` for none."""
        control = options.get(TIME_CONTROL.name)
        if control:
            return str(TimeControl.parse(cls.name, str(control)))
        seconds = options.get("time")
        timed = isinstance(seconds, int | float) and seconds > 0
        return f"1/{seconds:g}" if timed else "-"

    @classmethod
    def settled(cls, settings: Mapping[str, str]) -> dict[str, Any]:
        """The options that the settings of a spec string mean."""
        given = dict(settings)
        word = next(iter(given), "")
        declared = {option.name for option in cls.option_fields}
        if cls.first_word and word not in declared and given.get(word) == "true":
            if cls.first_word in given:
                raise UsageError(f"{cls.name} has {cls.first_word} twice: once is enough")
            given = {cls.first_word: word, **{k: v for k, v in given.items() if k != word}}
        return spec.settle(cls.name, cls.option_fields, given)

    @classmethod
    def written(cls, options: Mapping[str, OptionValue]) -> str:
        """The spec string of options, without those at their default."""
        text = spec.brief(cls.name, cls.option_fields, options)
        return text.replace(f":{cls.first_word}=", ":", 1) if cls.first_word else text

    def asked_for(self, option: str) -> OptionValue | None:
        """The value of an option that is not at its default; None where nobody asked for one."""
        default = next(one.default for one in self.option_fields if one.name == option)
        value: OptionValue = self.options[option]
        return None if value == default else value


Choose = Callable[..., list[Decision]]


def _contracted(choose: Choose, takes_actions: bool) -> Choose:
    """``choose`` with all keywords of the contract, whichever of them it takes, and with the
    clocks of its games if it has a time control."""
    parameters = inspect.signature(choose).parameters.values()
    anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    names = {parameter.name for parameter in parameters}
    taken = [name for name in _CONTRACT if anything or name in names]

    @functools.wraps(choose)
    def contracted(
        self: Agent,
        batch: Batch,
        *,
        limits: Limits = _NO_LIMITS,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        if limits.actions and not takes_actions:
            from playproof.agents.analysis.among_moves import choose_among

            return choose_among(self, batch, limits, stop)

        def decide(batch: Batch, limits: Limits, hear: OnProgress | None) -> list[Decision]:
            given = {"limits": limits, "stop": stop, "on_progress": hear}
            return choose(self, batch, **{name: given[name] for name in taken})

        if self._clocks is None or limits.clock is not None:
            return decide(batch, limits, on_progress)
        return self._clocks.choose(batch, limits, on_progress, decide)

    return contracted
