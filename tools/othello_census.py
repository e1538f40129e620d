"""Write the records of all reachable positions of Othello with 33 moves, from a finished census::

    for n in 26 27 28 29 30 31; do playproof census othello --stones $n; done
    python tools/othello_census.py

A census decides each candidate up to symmetry and colours.  Here each reachable one is asked again
with either side to move, and every record that there is goes into the file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from playproof.core.registry import make
from playproof.core.state import State
from playproof.proofs.othello import census_records
from playproof.proofs.othello.census_candidates import default_file
from playproof.proofs.othello.retrograde.forward import MAX_STONES, ForwardTable, forward_table
from playproof.proofs.othello.retrograde.search import (
    DeadPositions,
    Reachable,
    Unknown,
    reach,
)

FILE = Path(census_records.__file__).parents[1] / "data" / "othello_33_moves.txt"
HEAD = """\
# All positions of Othello with 33 legal moves that a game reaches, up to symmetry.  For each, and
# for each side that can be to move there, one game.  Made by tools/othello_census.py.
"""
# The identity and a quarter turn, with and without an exchange of colours.
SYMMETRIES = (0, 1, 8, 9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="where the files census-N.jsonl are")
    options = parser.parse_args()
    game = make("othello")
    table = forward_table(MAX_STONES, 8)
    memory = DeadPositions(1024)
    lines = []
    for stones, candidates in census_records.CANDIDATES.items():
        default = default_file(census_records.MOVES, stones, 8)
        file = options.folder / f"census-{stones}.jsonl" if options.folder else default
        blocks = [json.loads(line) for line in file.read_text().splitlines()[1:]]
        if sum(block["starts"] for block in blocks) != candidates:
            raise SystemExit(f"{file} is not finished: want {candidates:,} candidates")
        if any(block["unknown"] for block in blocks):
            raise SystemExit(f"{file} has candidates without an answer")
        for block in sorted(blocks, key=lambda block: block["block"]):
            for _, record in block["reachable"]:
                state = game.start().play(game.split_moves(record))
                lines += _records(state, table, memory)
        print(f"{stones} stones: {len(lines)} records so far", flush=True)
    census_records.check_records(lines)
    FILE.write_text(HEAD + "".join(f"{line}\n" for line in lines))
    for row in census_records.totals(census_records.check_records(lines)):
        print(row)


def _records(state: State, table: ForwardTable, memory: DeadPositions) -> list[str]:
    """A record with Black to move and one with White to move, where there are such games."""
    records: dict[int, str] = {}
    for symmetry in SYMMETRIES:
        image = state.transformed(symmetry)
        side = image.current_player
        assert side is not None
        if side in records:
            continue
        result = reach(image, forward=table, memory=memory)
        if isinstance(result, Unknown):
            raise SystemExit("a search was stopped: start again")
        if isinstance(result, Reachable):
            records[side] = result.record
    return [records[side] for side in sorted(records)]


if __name__ == "__main__":
    main()
