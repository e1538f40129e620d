"""``playproof serve``: the lab in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playproof.cli.output import note
from playproof.core.errors import UsageError
from playproof.core.jobs.recorder import data_folder


def serve(
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port."),
    ] = 8910,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the lab in a browser.")
    ] = True,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDR",
            help="Let others in with a join code: an address of this machine, 0.0.0.0 for all.",
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The address of the lab behind your own proxy, such as https://lab.example.org/.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where the lab stores its data; your data folder if not given."),
    ] = None,
) -> None:
    """Open the lab: play, analyse and teach in a browser, offline."""
    try:
        from playproof.web import serving
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the lab needs {error.name}: install it with pip install {error.name}"
        ) from None

    def print_address(text: str) -> None:
        print(text, flush=True)

    serving.serve(
        data_folder() if folder is None else folder,
        host=host,
        port=port,
        url=url,
        browser=browser,
        on_address=print_address,
        on_note=note,
    )
