"""``playproof nets``: the networks that come with the package."""

from __future__ import annotations

from typing import Any

from playproof.cli.output import JsonOption, emit, note, table
from playproof.core.errors import PlayproofError


def nets(as_json: JsonOption = False) -> None:
    """List the networks that come with the package."""
    from playproof.nets import shipped

    found = []
    for name in shipped.names():
        try:
            found.append(_entry(name))
        except PlayproofError as error:
            note(str(error))
    if as_json:
        emit({"nets": found})
        return
    if not found:
        print("no nets are shipped; net:PATH plays one of your own")
        return
    rows = [[e["name"], e["game"], f"{e['parameters']:,}", e["summary"]] for e in found]
    table("Nets", ["name", "game", "parameters", "what it is"], rows, right="  r")
    print(f"Play one:  playproof play {found[0]['game']} --second net:{found[0]['name']}")


def _entry(name: str) -> dict[str, Any]:
    from playproof.nets import shipped

    net = shipped.find(name)
    lines = [line.strip("# ") for line in shipped.card(name).splitlines() if line.strip("# ")]
    return {
        "name": name,
        "game": net.game,
        "observation": net.observation,
        "parameters": net.architecture.parameters,
        "summary": lines[0] if lines else "",
    }
