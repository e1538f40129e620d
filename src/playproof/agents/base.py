"""The interface of agents: ``choose`` takes a batch of positions and returns their decisions."""

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
_CHOOSE_KEYWORDS = ("limits", "stop", "on_progress")

Statistics = Mapping[str, bool | int | float | str | None]
OptionValue = bool | int | float | str


@dataclass(frozen=True)
class MoveReport:
    """An agent's evaluation of one move.  ``value`` is as in ``Decision``."""

    action: int
    value: float | None = None
    visits: int | None = None
    prior: float | None = None
    line: tuple[int, ...] = ()


@dataclass(frozen=True)
class Decision:
    """An action, with whatever the agent knows about it.

    ``value`` is from the first player's side, in the agent's ``unit``.  ``line`` is the play that
    the agent expects, its own action first.  ``moves`` are best first; the first ``Limits.lines``
    of them have lines of their own.

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


# (row of the batch, the decision there as it stands now)
OnProgress = Callable[[int, Decision], None]


class Agent(ABC):
    """Chooses actions in one game.  ``make_agent`` makes one from a spec string.

    The same seed, batch and limits give the same decisions, unless the limits include time.

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
    # The unit of ``Decision.value``: a "result" from -1 to 1, the game's "points", or "pawns".
    unit: ClassVar[str] = "result"
    # The option (the first of ``option_fields``) that a bare first word sets, as in gtp:gnugo.
    first_word: ClassVar[str] = ""
    # Whether a Python object may evaluate positions for it: make_agent(..., evaluator=...).
    takes_evaluator: ClassVar[bool] = False
    # Whether ``choose`` handles ``Limits.actions``; for other agents ``choose_among`` does.
    takes_actions: ClassVar[bool] = False
    # Positions in a batch where thousands are asked about, as by the yardstick.
    batch_size: ClassVar[int] = 32
    _clocks: GameClocks | None = None  # set by the option TIME_CONTROL

    def __init__(self, game: Game, *, seed: int = 0, **options: OptionValue) -> None:
        self.game = game
        self.seed = seed
        self.options: dict[str, Any] = spec.resolve_options(self.name, self.option_fields, options)
        if self.options.get(TIME_CONTROL.name):
            control = TimeControl.parse(self.name, str(self.options[TIME_CONTROL.name]))
            self._clocks = GameClocks(control, self)

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "choose" in cls.__dict__:
            # An agent may omit keywords that it has no use for: choose(self, batch) is enough.
            cls.choose = _complete(cls.choose, cls.takes_actions)  # type: ignore[method-assign]

    @abstractmethod
    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = _NO_LIMITS,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        """One decision for each row.  In every row a player is to move, and no game is over.

        Another thread sets ``stop[0]`` to ask for a decision at once, from what is known so far.
        ``on_progress(row, decision)`` is called from time to time with the decision so far.
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

        on_row = None if on_progress is None else lambda row, decision: on_progress(decision)
        batch = Batch.of([state], seed=seed)
        return self.choose(batch, limits=limits, stop=stop, on_progress=on_row)[0]

    @property
    def label(self) -> str:
        """The agent's name in error messages."""
        return self.name

    def analyse(self, state: State, *, seed: int = 0, lines: int = ALL_LINES) -> Decision:
        """A decision with a report on the best ``lines`` moves."""
        return self.decide(state, seed=seed, limits=Limits(lines=lines))

    def new_game(self) -> None:  # noqa: B027  not every agent has a memory
        """Forget what was remembered from the last game."""

    def close(self) -> None:  # noqa: B027  not every agent has started something
        """End what the agent has started, such as an engine; the next decision starts it again."""

    @property
    def spec(self) -> str:
        """The spec string that makes this agent again."""
        return self.written(self.options)

    @classmethod
    def time_control(cls, options: Mapping[str, OptionValue]) -> str:
        """The value of PGN's TimeControl tag: ``60+0.6`` for a game, ``1/0.1`` for every move,
        ``-`` for none."""
        control = options.get(TIME_CONTROL.name)
        if control:
            return str(TimeControl.parse(cls.name, str(control)))
        seconds = options.get("time")
        timed = isinstance(seconds, int | float) and seconds > 0
        return f"1/{seconds:g}" if timed else "-"

    @classmethod
    def settled(cls, settings: Mapping[str, str]) -> dict[str, Any]:
        """The checked options, defaults included, for the settings of a spec string."""
        settings = dict(settings)
        word = next(iter(settings), "")
        declared = {option.name for option in cls.option_fields}
        if cls.first_word and word not in declared and settings.get(word) == "true":
            if cls.first_word in settings:
                raise UsageError(
                    f"{cls.name} has {cls.first_word} twice, as {word} and as "
                    f"{cls.first_word}=...: once is enough"
                )
            settings = {cls.first_word: word, **{k: v for k, v in settings.items() if k != word}}
        return spec.resolve_options(cls.name, cls.option_fields, settings)

    @classmethod
    def written(cls, options: Mapping[str, OptionValue]) -> str:
        """The spec string for options, without those at their default."""
        text = spec.write_brief(cls.name, cls.option_fields, options)
        return text.replace(f":{cls.first_word}=", ":", 1) if cls.first_word else text

    def asked_for(self, option: str) -> OptionValue | None:
        """The value of an option if it differs from its default, else None."""
        default = next(one.default for one in self.option_fields if one.name == option)
        value: OptionValue = self.options[option]
        return None if value == default else value


Choose = Callable[..., list[Decision]]


def _complete(choose: Choose, takes_actions: bool) -> Choose:
    """``choose`` with all keywords of the interface, whichever of them it takes itself.

    The result also handles ``Limits.actions`` where ``choose`` does not, and runs the game clocks
    of an agent that has a time control.
    """
    parameters = inspect.signature(choose).parameters.values()
    has_kwargs = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    names = {parameter.name for parameter in parameters}
    taken = [name for name in _CHOOSE_KEYWORDS if has_kwargs or name in names]

    @functools.wraps(choose)
    def complete(
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

        def decide(batch: Batch, limits: Limits, on_progress: OnProgress | None) -> list[Decision]:
            keywords = {"limits": limits, "stop": stop, "on_progress": on_progress}
            return choose(self, batch, **{name: keywords[name] for name in taken})

        if self._clocks is None or limits.clock is not None:
            return decide(batch, limits, on_progress)
        return self._clocks.choose(batch, limits, on_progress, decide)

    return complete
