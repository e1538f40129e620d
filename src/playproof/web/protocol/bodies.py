"""What is posted to routes that are no messages: coming in, and the pages' own deeds."""

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
    """Come in with the join code, or with the owner's key; other fields are not looked at."""

    code: Annotated[str, Meta(description="Guests have it.")] | None = None
    key: Annotated[str, Meta(description="In the file lab.key.")] | None = None


class Invite(Struct, frozen=True, kw_only=True):
    """Where those go who come with the code alone."""

    go: Annotated[str, Meta(description="/play, /analyse or /classroom; may name a game")] = ""


class Nothing(Struct, frozen=True, kw_only=True):
    """No field is looked at."""


class StartRun(Body, frozen=True):
    """A small training run of the page."""

    recipe: Annotated[str, Meta(max_length=40, description="Of the recipes that are offered.")]
    name: Annotated[str, Meta(max_length=40, description="Made up where it is empty.")] | None = (
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
    workers: Annotated[int, Meta(ge=1, description="At most the cores there are.")] = 1


class RunProof(Struct, frozen=True, kw_only=True):
    """A statement that the page offers, or ``custom``, a question of one's own about Othello:
    a position with at least so many moves and so many empty squares."""

    statement: Annotated[str, Meta(examples=["othello-35", "custom"])]
    size: Annotated[int, Meta(description="Of the board: 4, 6 or 8.")] = 8
    moves: Annotated[int, Meta(description="At least so many legal moves.")] = 1
    empties: Annotated[int, Meta(description="At least so many empty squares.")] = 0
    minutes: Annotated[int, Meta(description="For the solver: 1, 5 or 30.")] = 1


class RunClaim(Struct, frozen=True, kw_only=True):
    """A claim of a paper, or a quick part of it."""

    run: Annotated[str, wants('the name of a claim, such as {"run": "35"}')]


class BuildTables(Struct, frozen=True, kw_only=True):
    """Tables of Choko up to so many pieces."""

    pieces: Annotated[
        int,
        wants(
            "an even number from 4 to 24",
            ge=4,
            le=24,
            multiple_of=2,
            description="In play, both sides together; captures come in twos.",
        ),
    ]
