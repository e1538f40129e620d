"""``make verify``: the long checks, one after the other, with a summary.

Each check is cut into pieces; a finished piece is written to ``.verify`` at
once, so a stopped run resumes.  Results are valid for the sources that they
were made with: after a change in ``src`` or ``tests`` a check starts again.
Name checks to run only those; ``--fresh`` discards old results.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.verify.checks import CHECKS  # noqa: E402
from tests.verify.lab import SOAK_MINUTES  # noqa: E402

HOME = ROOT / ".verify"


def fingerprint() -> str:
    """The sources that results depend on."""
    digest = hashlib.sha256()
    for folder in ("src", "tests"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def load(file: Path, sources: str) -> dict[str, dict[str, object]]:
    try:
        data = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return data["pieces"] if data.get("sources") == sources else {}


def store(file: Path, sources: str, pieces: dict[str, dict[str, object]]) -> None:
    # Written to another file and moved: a kill leaves the old file or the new one.
    aside = file.with_suffix(".new")
    aside.write_text(json.dumps({"sources": sources, "pieces": pieces}, indent=1))
    os.replace(aside, file)


def run(name: str, sources: str, *, fresh: bool) -> tuple[bool, list[str]]:
    """Run one check piece by piece; returns whether it holds, and its lines."""
    file = HOME / f"{name}.json"
    pieces = {} if fresh else load(file, sources)
    lines, good = [], True
    for label, piece in CHECKS[name].pieces().items():
        if label not in pieces:
            print(f"  {name}: {label} ...", flush=True)
            began = time.perf_counter()
            try:
                holds, result = True, piece()
            except AssertionError as error:
                holds, result = False, f"FAILED: {error}"
            seconds = round(time.perf_counter() - began, 1)
            pieces[label] = {"holds": holds, "result": result, "seconds": seconds}
            if holds:  # a failure is tried again next time
                store(file, sources, {k: v for k, v in pieces.items() if v["holds"]})
        done = pieces[label]
        good &= bool(done["holds"])
        lines.append(f"{label}: {done['result']} ({done['seconds']} s)")
    return good, lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    parser.add_argument("--fresh", action="store_true", help="discard earlier results")
    parser.add_argument("--minutes", type=float, help="length of lab-soak, 60 by default")
    options = parser.parse_args()
    if options.minutes is not None:
        os.environ[SOAK_MINUTES] = str(options.minutes)
    unknown = [name for name in options.checks if name not in CHECKS]
    if unknown:
        parser.error(f"there is no check {unknown[0]}: want {', '.join(CHECKS)}")
    HOME.mkdir(exist_ok=True)
    sources, failed, summary = fingerprint(), [], []
    names = options.checks or list(CHECKS)
    try:
        for name in names:
            good, lines = run(name, sources, fresh=options.fresh)
            mark = "ok    " if good else "FAILED"
            summary += [f"{mark} {name}: {CHECKS[name].about}", *(f"         {x}" for x in lines)]
            failed += [] if good else [name]
    except KeyboardInterrupt:
        print("stopped: finished pieces are saved, and make verify resumes after them")
        return 130
    finally:
        (HOME / "summary.txt").write_text("\n".join(summary) + "\n")
    print("\n".join(summary))
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
