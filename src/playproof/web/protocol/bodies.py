"""What is posted to routes that are not messages: entering, and what the pages start."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from playproof.web.protocol.requests import GameName, Variant, wants

MOST_SEED = 2**31 - 1
MOST_PLAYERS = 6  # of a tournament
MOST_GAMES = 2_000  # of two players
MOST_PLIES = 40  # of an opening


class Body(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A JSON object in the body of a request."""


class Enter(Struct, frozen=True, kw_only=True):
    """Enter with the join code or with the owner's key; other fields are ignored."""

    code: Annotated[str, Meta(description="For guests.")] | None = None
    key: Annotated[str, Meta(description="The owner's, from the file lab.key.")] | None = None


class Invite(Struct, frozen=True, kw_only=True):
    """The page that guests with only the join code land at."""

    go: Annotated[str, Meta(description="/play, /analyse or /classroom; may name a game")] = ""


class Nothing(Struct, frozen=True, kw_only=True):
    """An empty body; all fields are ignored."""


class StartRun(Body, frozen=True):
    """Start a small training run."""

    recipe: Annotated[str, Meta(max_length=40, description="One of the recipes offered.")]
    name: Annotated[str, Meta(max_length=40, description="Chosen by the lab if empty.")] | None = (
        None
    )
    iterations: (
        Annotated[int, Meta(ge=1, description="The recipe says how many at most.")] | UnsetType
    ) = UNSET
    seed: Annotated[int, Meta(ge=0, le=MOST_SEED)] = 1


class StartTournament(Body, frozen=True):
    """A tournament of the page; ``games`` are in every pairing, half of them with sides
    swapped, so that their number is even."""

    game: GameName
    players: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=200)]],
        wants(f"2 to {MOST_PLAYERS} agents, such as greedy", min_length=2, max_length=MOST_PLAYERS),
    ]
    variant: Variant | UnsetType = UNSET
    games: Annotated[int, Meta(ge=2, le=MOST_GAMES)] = 20
    plies: Annotated[int, Meta(ge=0, le=MOST_PLIES)] = 6
    seed: Annotated[int, Meta(ge=0, le=MOST_SEED)] = 1
    workers: Annotated[int, Meta(ge=1, description="At most the number of cores.")] = 1


class RunProof(Struct, frozen=True, kw_only=True):
    """Run a proof: a statement that the page offers, or ``custom``, a question about Othello.

    ``custom`` asks for a position with at least ``moves`` legal moves and ``empties`` empty
    squares."""

    statement: Annotated[str, Meta(examples=["othello-35", "custom"])]
    size: Annotated[int, Meta(description="Side of the board: 4, 6 or 8.")] = 8
    moves: Annotated[int, Meta(description="Legal moves, at least.")] = 1
    empties: Annotated[int, Meta(description="Empty squares, at least.")] = 0
    minutes: Annotated[int, Meta(description="Time for the solver: 1, 5 or 30.")] = 1


class RunClaim(Struct, frozen=True, kw_only=True):
    """Run a claim of a paper, or a quick part of it."""

    run: Annotated[str, wants('the name of a claim, such as {"run": "35"}')]


class BuildTables(Struct, frozen=True, kw_only=True):
    """Build Choko's tables up to a number of pieces."""

    pieces: Annotated[
        int,
        wants(
            "an even number from 4 to 24",
            ge=4,
            le=24,
            multiple_of=2,
            description="Of both sides together; captures remove two at a time.",
        ),
    ]
