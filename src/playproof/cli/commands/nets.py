"""``playproof nets``: the networks that come with the package."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from playproof.cli.output import JsonOption, emit, note, table
from playproof.core.errors import PlayproofError, UsageError, one_of
from playproof.nets import shipped


def nets(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Show the card of one.")] = "",
    as_json: JsonOption = False,
) -> None:
    """List the networks that come with the package, or show the card of one."""
    if name:
        if name not in shipped.names():
            raise UsageError(f"there is no net {name!r}: want {one_of(shipped.names())}")
        if as_json:
            emit({**_entry(name), "card": shipped.card(name)})
        else:
            print(shipped.card(name).rstrip())
        return

    entries = []
    for name in shipped.names():
        try:
            entries.append(_entry(name))
        except PlayproofError as error:
            note(str(error))
    if as_json:
        emit({"nets": entries})
        return
    if not entries:
        print("no nets are shipped; net:PATH plays one of your own")
        return
    rows = [
        [e["name"], "\n".join(e["family"] or [e["game"]]), f"{e['parameters']:,}", e["strength"],
         e["summary"]]
        for e in entries
    ]  # fmt: skip
    table("Nets", ["name", "game", "parameters", "strength", "what it is"], rows, right="  r")
    print(f"Play one:  playproof play {entries[0]['game']} --second net:{entries[0]['name']}")
    print(f"Its card:  playproof nets {entries[0]['name']}")


def _entry(name: str) -> dict[str, Any]:
    net = shipped.find(name)
    lines = [line.strip("# ") for line in shipped.card(name).splitlines() if line.strip("# ")]
    return {
        "name": name,
        "game": net.game,
        "family": net.family.texts() if net.family else [],
        "observation": net.observation,
        "parameters": net.architecture.parameters,
        "strength": shipped.strength(name),
        "summary": lines[0].removeprefix(f"{name}: ") if lines else "",
    }
