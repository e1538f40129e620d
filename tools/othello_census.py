"""Write the records of all reachable positions of Othello with 33 moves, from a finished census::

for n in 26 27 28 29 30 31; do playproof census othello --stones $n; done
python tools/othello_census.py
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from playproof.proofs.othello.census import records as census_records
from playproof.proofs.othello.census.candidates import default_file

FILE = Path(census_records.__file__).parents[2] / "data" / "othello_33_moves.txt"
HEAD = """\
# All positions of Othello with 33 legal moves that a game reaches, up to symmetry and colours: one
# game for each, by number of stones.  Made by tools/othello_census.py.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, help="where the files census-N.jsonl are")
    options = parser.parse_args()
    lines = []
    for stones, candidates in census_records.CANDIDATES.items():
        default = default_file(census_records.MOVES, stones, 8)
        file = options.folder / f"census-{stones}.jsonl" if options.folder else default
        blocks = [json.loads(line) for line in file.read_text().splitlines()[1:]]
        if sum(block["starts"] for block in blocks) != candidates:
            raise SystemExit(f"{file} is not finished: want {candidates:,} candidates")
        if any(block["unknown"] for block in blocks):
            raise SystemExit(f"{file} has candidates without an answer")
        blocks.sort(key=lambda block: block["block"])
        lines += [record for block in blocks for _, record in block["reachable"]]
    records = census_records.check_records(lines)
    FILE.write_text(HEAD + "".join(f"{line}\n" for line in lines))
    for row in census_records.totals(records):
        print(row)


if __name__ == "__main__":
    main()
