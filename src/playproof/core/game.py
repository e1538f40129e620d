"""Game: everything about a game that does not change while it is played."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from playproof.core import spec
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.spec import Option
from playproof.core.view import NEUTRAL, colour_problem

if TYPE_CHECKING:
    from playproof.core.kernels import Kernels, Words
    from playproof.core.state import State
    from playproof.core.view import View


# More legal actions than a game says are an error that its author shall read, not memory of
# somebody else that kernels have written to: lists of actions have room for so many more.
HEADROOM = 64


class Game(ABC):
    """One game with its options settled.  Make it with ``playproof.make``.

    A subclass fills the class attributes, sets those that depend on options in
    ``__init__``, and supplies the methods marked abstract.  Nothing here
    depends on Numba; ``kernels`` compiles on first use.

    >>> import playproof
    >>> game = playproof.make("choko")
    >>> game.title, game.players, game.num_actions
    ('Choko', ('Blue', 'Red'), 2625)
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]  # one line for listings
    # How it is played, for the lab's page: paragraphs, ``## headings`` and ``- lists``.
    rules: ClassVar[str] = ""
    players: ClassVar[tuple[str, str]] = ("Black", "White")
    colours: ClassVar[tuple[str, str]] = ("b", "w")  # of their pieces: two of view.COLOURS
    option_fields: ClassVar[tuple[Option, ...]] = ()
    # Options that say when a game is called off, not how it is played: a network trained
    # with one value of them may play with another.
    length_options: ClassVar[tuple[str, ...]] = ()
    # Perft conventions differ: does a game that ended early count as a leaf?
    perft_counts_finished: ClassVar[bool] = False
    # Whether a search must keep positions with different pasts apart: yes, where the
    # past decides what is legal; no, where it only calls a repetition a draw.
    history_binds: ClassVar[bool] = True
    # Symmetries ``symmetries + s`` are then ``s`` with the two sides swapped.
    colour_symmetry: ClassVar[bool] = False
    # Enumeration walks level by level; a level is called this, from this number on,
    # and this action, where it is the only one, does not make a level of its own.
    level_name: ClassVar[str] = "ply"
    level_start: ClassVar[int] = 0

    words: int  # uint64 words of a state row
    num_actions: int  # actions are 0 ... num_actions - 1
    max_actions: int  # no position has more legal actions than this
    symmetries: int = 1  # the identity among them
    skipped_action: int = -1
    uses_history: bool = False
    observations: dict[str, tuple[int, ...]]  # name -> shape
    position_mask: Words  # (words,) the bits of a row that are the position

    @classmethod
    def check_sides(cls) -> None:
        """One line for players or colours that cannot be shown."""
        for what, both in (("players", cls.players), ("colours", cls.colours)):
            texts = isinstance(both, tuple) and all(isinstance(one, str) and one for one in both)
            if not (texts and len(set(both)) == len(both) == 2):
                raise UsageError(f"{cls.name}: {what} = {both!r} is not two different texts")
        problem = colour_problem(cls.colours)
        if problem is None and NEUTRAL in cls.colours:
            problem = f"{NEUTRAL!r} is the colour of pieces of neither side: choose another"
        if problem:
            raise UsageError(f"{cls.name}: {problem}")

    def __init__(self, **options: Any) -> None:
        self.options: dict[str, Any] = spec.settle(self.name, self.option_fields, options)
        self._is_safe = type(self).__module__.partition(".")[0] == "playproof"

    # What a game must bring

    @functools.cached_property
    @abstractmethod
    def kernels(self) -> Kernels: ...

    @functools.cached_property
    @abstractmethod
    def option_words(self) -> Words:
        """The options as the kernels read them."""

    @functools.cached_property
    def tables(self) -> Words:
        """Lookup words for the kernels; most games need none."""
        return np.zeros(0, np.uint64)

    @abstractmethod
    def start_row(self) -> Words: ...

    @abstractmethod
    def action_name(self, action: int) -> str:
        """The move as people write it; unique among a position's legal ones."""

    @abstractmethod
    def parse_action(self, text: str) -> int:
        """The action that ``text`` names, legal or not; DataError if none."""

    @abstractmethod
    def write_position(self, row: Words) -> str:
        """A position as one line of text."""

    @abstractmethod
    def read_position(self, text: str) -> Words:
        """The row that ``text`` describes; DataError if it is no position."""

    @abstractmethod
    def view(self, state: State) -> View: ...

    # What a game with names that depend on the position brings besides

    def name_move(self, state: State, action: int) -> str:
        """The move as people write it in ``state``."""
        return self.action_name(action)

    def find_move(self, state: State, text: str) -> int:
        """The action that ``text`` names in ``state``, legal or not; DataError if none."""
        return self.parse_action(text)

    def name_line(self, state: State, actions: Sequence[int]) -> list[str]:
        """The names of actions played one after the other from ``state``."""
        return [self.action_name(action) for action in actions]

    def say_line(self, state: State, actions: Sequence[int]) -> list[str]:
        """The same moves as people read them, where that is not how records write them.

        ``find_move`` understands these names too.
        """
        return self.name_line(state, actions)

    def perft_root(self, state: State) -> State:
        """The position as perft counts from it: chess leaves its draws aside."""
        return state

    # What follows

    @functools.cached_property
    def kernel_table(self) -> Any:
        """All kernels in the one argument that general algorithms take."""
        self.ensure_safe()
        return self.kernels.table

    @property
    def action_room(self) -> int:
        """The length of a list that kernels write legal actions to."""
        return self.max_actions + HEADROOM

    def ensure_safe(self) -> None:
        """Once for a game, before it is played: kernels that are not ours write only where they
        may.  Otherwise a PlayproofError names the law that is broken."""
        if not self._is_safe:
            # By name: an import would make the compile caches of all games depend on it.
            import_module("playproof.core.conformance.first_use").try_out(self)
            self._is_safe = True

    def too_many_actions(self, number: int) -> PlayproofError:
        """The error for a position with more legal actions than ``max_actions``."""
        return PlayproofError(
            f"{self.title}: a position has {number} legal actions, but max_actions is "
            f"{self.max_actions}; playproof conform {self.name} shows such a position"
        )

    @property
    def spec(self) -> str:
        """The spec string, naming only options that are not at their default."""
        return spec.brief(self.name, self.option_fields, self.options)

    @functools.cached_property
    def has_chance(self) -> bool:
        """Whether some decisions are chance's."""
        from playproof.core.kernels import no_chance

        return self.kernels.chance is not no_chance

    def start(self) -> State:
        """The state before the first move."""
        from playproof.core.state import State

        return State(self, self.start_row())

    def position(self, text: str) -> State:
        """The state that a line of text describes, without earlier moves."""
        from playproof.core.state import State

        return State(self, self.read_position(text), set_up=True)

    def split_moves(self, text: str) -> list[str]:
        """The move names of a transcript, in order."""
        return text.split()

    def join_moves(self, names: Sequence[str]) -> str:
        """A transcript that ``split_moves`` reads back."""
        return " ".join(names)

    def looks_like_position(self, text: str) -> bool:
        """Whether ``text`` is meant as a position rather than as moves."""
        return "/" in text

    def ply(self, state: State) -> int:
        """Actions played since the start, or since the position was set up."""
        return len(state.actions)

    def actions_left(self, state: State) -> int | None:
        """Actions until the game is cut off; None if it is not."""
        return None

    def quantum(self, state: State) -> Any:
        """The quantum state of a position; few games have one."""
        raise UsageError(f"{self.title} has no quantum state: want quantum-go")

    def observation_kind(self, name: str | None) -> int:
        """The number by which the kernel knows an observation; first if None."""
        known = list(self.observations)
        if name is None:
            return 0
        if name not in known:
            raise spec.unknown(f"observation of {self.name} called", name, known)
        return known.index(name)

    def result_name(self, outcome: int) -> str:
        """``Black wins``, ``White wins`` or ``draw``."""
        return {1: f"{self.players[0]} wins", -1: f"{self.players[1]} wins"}.get(outcome, "draw")

    def bad_action(self, text: str, right: str) -> DataError:
        return DataError(f"{text!r} is not a move of {self.title}: write {right}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return type(self) is type(other) and self.options == other.options

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.options.items())))

    def __repr__(self) -> str:
        return f"<Game {self.spec}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled kernels do not travel between processes; names do.
        return _remake, (type(self), self.options)


def _remake(cls: type[Game], options: dict[str, Any]) -> Game:
    return cls(**options)
