"""What an agent is: it chooses for a batch of positions at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from playproof.core import spec
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:  # agents are listed without compiling anything
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag


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
    """

    action: int
    value: float | None = None
    line: tuple[int, ...] = ()
    statistics: dict[str, Any] = field(default_factory=dict)
    moves: tuple[MoveReport, ...] = ()  # best first, where the agent compares moves


class Agent(ABC):
    """Chooses actions in one game.  Made from a spec string by ``make_agent``.

    The same seed and the same batch give the same decisions.
    """

    name: ClassVar[str]
    summary: ClassVar[str]  # one line for listings
    option_fields: ClassVar[tuple[Option, ...]] = ()
    interactive: ClassVar[bool] = False  # asks a person
    # The option, the first of its fields, that a bare first word sets: gtp:gnugo
    first_word: ClassVar[str] = ""
    # Whether a Python object may judge positions for it: make_agent(..., evaluator=...)
    takes_evaluator: ClassVar[bool] = False
    # Raised by another thread, it asks an agent that can to decide at once (core/stopping).
    stop: StopFlag | None = None

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        self.game = game
        self.seed = seed
        self.options: dict[str, Any] = spec.settle(self.name, self.option_fields, options)

    @abstractmethod
    def choose(self, batch: Batch) -> list[Decision]:
        """One decision for each row; every row is a player's decision, none finished."""

    def decide(self, state: State, *, seed: int = 0) -> Decision:
        """The decision for one position: a batch of one."""
        from playproof.core.batch import Batch

        return self.choose(Batch.of([state], seed=seed))[0]

    def analyse(self, state: State, *, seed: int = 0) -> Decision:
        """A decision with a report on every move the agent has an opinion of."""
        return self.decide(state, seed=seed)

    @property
    def spec(self) -> str:
        return self.written(self.options)

    @classmethod
    def time_control(cls, options: Mapping[str, Any]) -> str:
        """As PGN's tag of this name says it: ``60+0.6`` for a game, ``1/0.1`` for every move,
        ``-`` for none."""
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
    def written(cls, options: Mapping[str, Any]) -> str:
        """The spec string of options, without those at their default."""
        text = spec.brief(cls.name, cls.option_fields, options)
        return text.replace(f":{cls.first_word}=", ":", 1) if cls.first_word else text
