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


# Lists of actions have room for this many more than ``max_actions``.  A game that lists too many
# then gets an error for its author to read, instead of writing to memory that is not its own.
HEADROOM = 64


class Game(ABC):
    """One game with its options set.  Create it with ``playproof.make``.

    A subclass fills in the class attributes, sets those that depend on options in ``__init__``,
    and implements the abstract methods.  Nothing here imports Numba; ``kernels`` compiles on first
    use.

    >>> import playproof
    >>> game = playproof.make("choko")
    >>> game.title, game.players, game.num_actions
    ('Choko', ('Blue', 'Red'), 2625)
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]  # one line for listings
    # How it is played, for the lab: paragraphs, ``## headings`` and ``- lists``.
    rules: ClassVar[str] = ""
    players: ClassVar[tuple[str, str]] = ("Black", "White")
    colours: ClassVar[tuple[str, str]] = ("b", "w")  # of their pieces: two keys of view.COLOURS
    option_fields: ClassVar[tuple[Option, ...]] = ()
    # Options that say when a game is cut off, not how it is played: a network trained with one
    # value of them may play with another.
    length_options: ClassVar[tuple[str, ...]] = ()
    # Perft conventions differ: does a game that ended early count as a leaf?
    perft_counts_finished: ClassVar[bool] = False
    # Whether a search must treat positions with different histories as different: yes if the
    # history decides what is legal, no if it only makes a repetition a draw.
    history_binds: ClassVar[bool] = True
    # Whether symmetry ``symmetries + s`` is ``s`` with the two sides swapped.
    colour_symmetry: ClassVar[bool] = False
    # What enumeration calls a level, and the number of its first one.
    level_name: ClassVar[str] = "ply"
    level_start: ClassVar[int] = 0

    words: int  # uint64 words of a state row
    num_actions: int  # actions are 0 ... num_actions - 1
    max_actions: int  # no position has more legal actions
    symmetries: int = 1  # the identity included
    skipped_action: int = -1  # makes no level of its own where it is the only legal one
    uses_history: bool = False
    observations: dict[str, tuple[int, ...]]  # name -> shape
    position_mask: Words  # (words,) the bits of a row that are the position

    @classmethod
    def check_sides(cls) -> None:
        """Refuse, in a UsageError, players or colours that cannot be displayed."""
        for what, pair in (("players", cls.players), ("colours", cls.colours)):
            texts = isinstance(pair, tuple) and all(isinstance(text, str) and text for text in pair)
            if not (texts and len(set(pair)) == len(pair) == 2):
                raise UsageError(f"{cls.name}: {what} = {pair!r} is not two different texts")
        problem = colour_problem(cls.colours)
        if problem is None and NEUTRAL in cls.colours:
            problem = f"{NEUTRAL!r} is the colour of pieces of neither side: choose another"
        if problem:
            raise UsageError(f"{cls.name}: {problem}")

    def __init__(self, **options: Any) -> None:
        self.options: dict[str, Any] = spec.resolve_options(self.name, self.option_fields, options)
        self._is_safe = type(self).__module__.partition(".")[0] == "playproof"

    # What a game must implement

    @functools.cached_property
    @abstractmethod
    def kernels(self) -> Kernels: ...

    @functools.cached_property
    @abstractmethod
    def option_words(self) -> Words:
        """The options as words for the kernels."""

    @functools.cached_property
    def tables(self) -> Words:
        """Lookup words for the kernels; most games need none."""
        return np.zeros(0, np.uint64)

    @abstractmethod
    def start_row(self) -> Words:
        """The row of the start position."""

    @abstractmethod
    def action_name(self, action: int) -> str:
        """The name of a move as people write it; unique among the legal moves of a position."""

    @abstractmethod
    def parse_action(self, text: str) -> int:
        """The action that ``text`` names, legal or not; a DataError if none."""

    @abstractmethod
    def write_position(self, row: Words) -> str:
        """A position as one line of text."""

    @abstractmethod
    def read_position(self, text: str) -> Words:
        """The row that ``text`` describes; a DataError if it is not a position."""

    @abstractmethod
    def view(self, state: State) -> View:
        """A description of the state for drawing."""

    # What a game overrides if the names of moves depend on the position

    def name_move(self, state: State, action: int) -> str:
        """The name of a move as people write it in ``state``."""
        return self.action_name(action)

    def find_move(self, state: State, text: str) -> int:
        """The action that ``text`` names in ``state``, legal or not; a DataError if none."""
        return self.parse_action(text)

    def name_line(self, state: State, actions: Sequence[int]) -> list[str]:
        """The names of actions played one after the other from ``state``."""
        return [self.action_name(action) for action in actions]

    def display_line(self, state: State, actions: Sequence[int]) -> list[str]:
        """The same names as people like to read them, which may differ from those in records.

        ``find_move`` must understand these names too.
        """
        return self.say_line(state, actions)

    def say_line(self, state: State, actions: Sequence[int]) -> list[str]:
        """The former name of ``display_line``, which games should override instead."""
        return self.name_line(state, actions)

    def perft_root(self, state: State) -> State:
        """The position from which perft counts; chess leaves its draw rules out."""
        return state

    # What every game has

    @functools.cached_property
    def kernel_table(self) -> Any:
        """All kernels in the one argument that general algorithms take."""
        self.ensure_safe()
        return self.kernels.table

    @property
    def action_room(self) -> int:
        """The length of the lists that kernels write legal actions to."""
        return self.max_actions + HEADROOM

    def ensure_safe(self) -> None:
        """Test a third party's kernels, once for a game and before it is played.

        If they write where they must not, a PlayproofError names the law that is broken.
        """
        if not self._is_safe:
            # By name: an import statement would make all games' compile caches depend on it.
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
        """The spec string, with the options that are not at their default."""
        return spec.write_brief(self.name, self.option_fields, self.options)

    @functools.cached_property
    def has_chance(self) -> bool:
        """Whether chance makes some of the decisions."""
        from playproof.core.kernels import no_chance

        return self.kernels.chance is not no_chance

    def start(self) -> State:
        """The state before the first move."""
        from playproof.core.state import State

        return State(self, self.start_row())

    def position(self, text: str) -> State:
        """The state that a line of text describes, without the moves that led to it."""
        from playproof.core.state import State

        return State(self, self.read_position(text), set_up=True)

    def split_moves(self, text: str) -> list[str]:
        """The names of the moves of a transcript, in order."""
        return text.split()

    def join_moves(self, names: Sequence[str]) -> str:
        """A transcript that ``split_moves`` reads back."""
        return " ".join(names)

    def looks_like_position(self, text: str) -> bool:
        """Whether ``text`` is meant as a position rather than as moves."""
        return "/" in text

    def ply(self, state: State) -> int:
        """The number of actions since the start, or since the position was set up."""
        return len(state.actions)

    def actions_left(self, state: State) -> int | None:
        """The number of actions until the game is cut off; None if it never is."""
        return None

    def quantum(self, state: State) -> Any:
        """The quantum state of a position; few games have one."""
        raise UsageError(f"{self.title} has no quantum state: want quantum-go")

    def observation_kind(self, name: str | None) -> int:
        """The index of an observation for the kernel; that of the first if ``name`` is None."""
        names = list(self.observations)
        if name is None:
            return 0
        if name not in names:
            raise spec.unknown_name(f"observation of {self.name} called", name, names)
        return names.index(name)

    def result_name(self, outcome: int) -> str:
        """``Black wins``, ``White wins`` or ``draw``."""
        return {1: f"{self.players[0]} wins", -1: f"{self.players[1]} wins"}.get(outcome, "draw")

    def bad_action(self, text: str, right: str) -> DataError:
        """The error for a text that names no move; ``right`` says what to write."""
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
        # Compiled kernels cannot be sent to other processes: send the class and its options.
        return _rebuild, (type(self), self.options)


def _rebuild(cls: type[Game], options: dict[str, Any]) -> Game:
    return cls(**options)
