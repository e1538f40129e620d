"""``playproof uci``: an agent as an engine for chess programs."""

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
        str, typer.Argument(metavar="[AGENT]", help="Who plays.")
    ] = "alphabeta:quiescence=true",
    seed: SeedOption = None,
) -> None:
    """Serve the Universal Chess Interface on stdin and stdout."""
    server = Server(agent, seed=settle_seed(seed))
    lines = sys.stdin
    if isinstance(lines, io.TextIOWrapper):
        lines.reconfigure(errors="replace")  # no byte of a controller may end the game
    server.serve(iter(lines.readline, ""), sys.stdout)
    if server.is_thinking:  # an agent that cannot be hurried must not keep the process
        os._exit(0)
