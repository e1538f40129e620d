"""``playproof gtp``: serves an agent as an engine for Go programs."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from playproof.adapters.gtp.server import Server
from playproof.cli.output import SeedOption, settle_seed
from playproof.core.registry import make


def gtp(
    game: Annotated[str, typer.Option(help="go or quantum-go, with options.")] = "go",
    agent: Annotated[str, typer.Option(help="The agent that plays.")] = "mcts",
    seed: SeedOption = None,
) -> None:
    """Serve the Go Text Protocol on stdin and stdout."""
    server = Server(make(game), agent, seed=settle_seed(seed))
    server.warm_up()
    lines = sys.stdin
    if isinstance(lines, io.TextIOWrapper):
        lines.reconfigure(errors="replace")  # an invalid byte must not end the game
    server.serve(iter(lines.readline, ""), sys.stdout)
