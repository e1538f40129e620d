"""The openings of a match: all different, and balanced.

``random`` plays some random plies.  A book is a file with a transcript, a position or a record on
each line, or for chess a PGN, EPD or Polyglot file.  Both are sifted in the same way: no position
occurs twice (symmetric ones count as one), no game is over, and no position is one that a small
tree search finds lost for a side.  The list for a seed is always the same, and a longer list begins
with the shorter one.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from playproof.core import spec
from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.game import Game
from playproof.core.spec import Option
from playproof.core.state import State
from playproof.formats.any_text import read_state
from playproof.formats.opening_books import batches, digest, has_plies, is_book
from playproof.formats.record import parse_records, read_text

_FIELDS = (
    Option("plies", 6, "random plies; more if there are too few openings", minimum=0),
    Option("balance", 0.3, "how far from equal, from 0 to 1", minimum=0.0, maximum=1.0),
    Option("digest", "", "of a book; a book with other content is refused"),
)
_BOOK_PLIES = Option("plies", 16, "of each line of a chess book", minimum=0)
_SIMULATIONS = 200  # of the tree search that evaluates the balance
_ROUND = 128  # candidates drawn at a time
_FIRST = 16  # of these are evaluated before the others: most matches need no more
_MAX_EXTRA_PLIES = 24  # beyond the plies that were asked for, if there are too few openings


@dataclass(frozen=True)
class Opening:
    """Moves from the start, or from a position."""

    start: str | None
    moves: tuple[str, ...]

    def text(self, game: Game) -> str:
        moves = game.join_moves(self.moves)
        return moves if self.start is None else f"{self.start} {moves}".strip()


@dataclass
class SiftingCounts:
    """Candidates seen while openings were drawn, and how many were rejected for which reason."""

    seen: int = 0
    repeated: int = 0
    over: int = 0
    unbalanced: int = 0
    plies: int = 0  # that the longest random openings have
    longest: int = 0  # plies of the longest random game


class OpeningSource:
    """A source of openings by spec: ``random:plies=8``, or the path of a book."""

    def __init__(self, text: str = "random") -> None:
        self.book: Path | None = None
        if text.partition(":")[0] == "random":
            settings = spec.resolve_options("random", _FIELDS[:2], spec.parse(text)[1])
        else:
            path, _, rest = text.partition(":")
            written = spec.parse(f"book:{rest}")[1] if rest else {}
            self.book = Path(path)
            fields = ((_BOOK_PLIES,) if has_plies(path) else ()) + _FIELDS[1:]
            settings = spec.resolve_options("a book", fields, written)
            if not self.book.exists():
                raise UsageError(
                    f"there is no book {path}: want a file, or random:plies=6,balance=0.3"
                )
            # A book counts by its content, and not by its path.
            self.digest = digest(self.book) if is_book(path) else _digest(self.book)
            if settings["digest"] not in ("", self.digest):
                raise UsageError(
                    f"the book {path} has changed: its digest is {self.digest}, "
                    f"not {settings['digest']}"
                )
        self.plies = int(settings.get("plies", 0))
        self.balance = float(settings["balance"])

    @property
    def spec(self) -> str:
        """The spec of the source in canonical form."""
        text = self._spec_with(self.balance)
        return text if self.book is None else f"{text},digest={self.digest}"

    def _spec_with(self, balance: float) -> str:
        plies = f"plies={self.plies}," if self.book is None or has_plies(self.book) else ""
        return f"{self.book or 'random'}:{plies}balance={balance:g}"

    def draw(self, game: Game, count: int, *, seed: int) -> list[Opening]:
        """The first ``count`` openings of ``seed``."""
        counts = SiftingCounts()
        openings = list(islice(self._sift(game, seed, counts), count))
        if len(openings) == count:
            return openings
        raise UsageError(self._too_few_error(game, len(openings), count, counts))

    def _too_few_error(self, game: Game, available: int, count: int, counts: SiftingCounts) -> str:
        """The error line if there are too few openings: which limit was hit, and what would do."""
        wanted = f"{2 * count} games want {count} openings"
        if self.book is not None and not counts.seen:
            lines = "games with moves" if has_plies(self.book) else "a position on each line"
            want = lines if is_book(self.book) else "a transcript or a position on each line"
            return f"{wanted}, and {self.book} holds none: want {want}"
        if self.book is None and not counts.seen:
            return (
                f"random:plies={self.plies} leaves no game of {game.spec} to play: of {_ROUND} "
                f"random games the longest was over after {counts.longest} plies; ask for fewer"
            )
        if self.book is not None:
            source = f"{self.book} has only {available}"
        else:
            tried = f"{self.plies} to {counts.plies}" if counts.plies > self.plies else self.plies
            source = f"random games of {game.spec} with {tried} plies have only {available}"
        rejected = [
            (counts.over, "where the game is over"),
            (counts.unbalanced, f"outside balance {self.balance:g}"),
        ]
        if self.book is not None:  # random games reach the same positions all the time
            rejected.insert(0, (counts.repeated, "repeated, counting symmetric ones as one"))
        reasons = ", ".join(f"{number} more {why}" for number, why in rejected if number)
        advice = [f"at most {2 * available} games"] if available else []
        if counts.unbalanced:
            games = 2 * (available + counts.unbalanced)
            advice.append(f"a larger balance ({self._spec_with(1)} allows {games} games)")
        if self.book is None and self.plies > 1 and available + counts.unbalanced < count:
            advice.append("fewer plies (random:plies=1,balance=1)")
        if self.book is not None:
            advice.append("a larger book")
        because = f" ({reasons})" if reasons else ""
        return f"{wanted}, and {source}{because}: ask for {', or '.join(advice or ['fewer plies'])}"

    def _sift(self, game: Game, seed: int, counts: SiftingCounts) -> Iterator[Opening]:
        known: set[tuple[int, ...]] = set()
        rounds = self._book(game, seed) if self.book else self._random(game, seed, known, counts)
        for states in rounds:
            fresh = []
            for state in states:
                words = state.canonical().position_words
                counts.seen += 1
                if state.is_terminal:
                    counts.over += 1
                elif words in known:
                    counts.repeated += 1
                else:
                    known.add(words)
                    fresh.append(state)
            counts.unbalanced += len(fresh)
            for state in _balanced(fresh, self.balance, seed):
                counts.unbalanced -= 1
                start = None if state.start == game.start() else state.start.position
                yield Opening(start, tuple(state.moves))

    def _random(
        self, game: Game, seed: int, known: set[tuple[int, ...]], counts: SiftingCounts
    ) -> Iterator[list[State]]:
        number, plies = 0, self.plies
        while plies <= self.plies + _MAX_EXTRA_PLIES:
            before = len(known)
            states, played = _random_states(game, plies, derive_seed(seed, number))
            counts.longest = max(counts.longest, played)
            if states:
                counts.plies = plies
            yield states
            number += 1
            if len(known) - before < _ROUND // 8:  # nearly all openings of this length are known
                plies += 1

    def _book(self, game: Game, seed: int) -> Iterator[list[State]]:
        assert self.book is not None
        if is_book(self.book):
            yield from batches(game, self.book, self.plies, seed, _ROUND)
            return
        states = read_book(game, self.book)
        random.Random(seed).shuffle(states)
        for first in range(0, len(states), _ROUND):
            yield states[first : first + _ROUND]


def _digest(path: Path) -> str:
    return f"{zlib.crc32(read_text(path).encode()):08x}"


def read_book(game: Game, path: Path) -> list[State]:
    """The positions of a book.  ``#`` begins a comment; an error names the line."""
    states = []
    text = read_text(path)
    lines = enumerate(text.split("\n"), 1)
    if text.lstrip().startswith("{"):
        for number, record in enumerate(parse_records(text, str(path)), 1):
            state = record.replay()
            if state.game != game:
                raise DataError(
                    f"{path}, record {number} is of {state.game.spec}, not of {game.spec}"
                )
            states.append(state)
        return states
    for number, line in lines:
        content = line.partition("#")[0].strip()
        if content:
            try:
                states.append(read_state(game, content))
            except PlayproofError as error:
                raise type(error)(f"{path}, line {number}: {error}") from None
    return states


def _random_states(game: Game, plies: int, seed: int) -> tuple[list[State], int]:
    """States after ``plies`` random plies, and how many plies were played.

    Fewer are played if all games end before that.  Games that end earlier are left out.
    """
    batch = Batch.start(game, _ROUND, seed=seed)
    played: list[npt.NDArray[np.int64]] = []
    while len(played) < plies and not batch.finished().all():
        played.append(batch.random_actions())
        batch.apply(played[-1], check=False)
    states = []
    for row in np.flatnonzero(~batch.finished()).tolist():
        state = game.start()
        for actions in played:
            state = state.apply(int(actions[row]))
        states.append(state)
    return states, len(played)


def _balanced(states: list[State], balance: float, seed: int) -> Iterator[State]:
    """Those states that a tree search values between ``-balance`` and ``balance``."""
    if not states or balance >= 1.0:
        yield from states
        return
    from playproof.search.mcts import SearchConfig, TreeSearch

    batch = Batch.of(states)
    for part in np.split(np.arange(len(states)), [_FIRST]):
        if not len(part):
            continue
        # A tree depends on its place in the batch, but not on the other trees.
        config = SearchConfig(simulations=_SIMULATIONS, seed=seed)
        search = TreeSearch.from_states(batch.take(part), config)
        search.run()
        for tree, place in enumerate(part):
            root = search.root(tree)
            if abs(float(root.result) if root.is_proven else root.value) <= balance:
                yield states[place]
