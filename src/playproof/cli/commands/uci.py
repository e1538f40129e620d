"""``playproof uci``: serves an agent as an engine for chess programs."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from playproof.adapters.uci.server import Server
from playproof.cli.output import SeedOption, settle_seed


def uci(
    agent: Annotated[
        str, typer.Argument(metavar="[AGENT]", help="The agent that plays.")
    ] = "alphabeta:quiescence=true",
    seed: SeedOption = None,
) -> None:
    """Serve the Universal Chess Interface on stdin and stdout."""
    server = Server(agent, seed=settle_seed(seed))
    lines = sys.stdin
    if isinstance(lines, io.TextIOWrapper):
        lines.reconfigure(errors="replace")  # an invalid byte must not end the game
    server.serve(iter(lines.readline, ""), sys.stdout)
    if server.is_thinking:  # an agent that cannot be stopped must not keep the process alive
        os._exit(0)
