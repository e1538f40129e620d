"""Tables of Choko for the lab: what there is, what more would cost, and building it as a job."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.core import memory
from playproof.web.pages.truth.evaluate import SIZES, Oracle, plan_of

if TYPE_CHECKING:
    from playproof.web.lab import Lab

Json = dict[str, Any]
_RULE = "choko"


def folder(lab: Lab) -> Path:
    """Where the page builds tables."""
    return lab.folder / "tables" / _RULE


def cost(pieces: int) -> Json:
    """What tables of all positions with so many pieces in play take, and whether they fit here."""
    made = plan_of(max(pieces, SIZES[0]))
    return {
        "pieces": pieces,
        "positions": sum(one.raw for one in made.slices),
        "cells": made.cells,
        "seconds": round(made.seconds("cpu", os.cpu_count() or 1), 1),
        "disk": made.disk,
        "memory": made.memory,
        "command": f"playproof table build {_RULE} --pieces {pieces} --distance",
    }


def state(lab: Lab, oracle: Oracle) -> Json:
    """What there is, and what each size would take."""
    there = oracle.largest()
    free = shutil.disk_usage(_existing(folder(lab))).free
    available = memory.available()
    sizes = []
    for pieces in SIZES:
        found = cost(pieces)
        fits = found["disk"] < free and found["memory"] < available
        sizes.append({**found, "built": pieces <= there, "fits": fits})
    return {"largest": there, "sizes": sizes}


def start(lab: Lab, pieces: int) -> Json:
    """A job that builds them, for one of ``SIZES``; what was built before is not built again."""
    argv = ["table", "build", _RULE, "--pieces", str(pieces), "--distance"]
    argv += ["--out", str(folder(lab))]
    title = f"Choko's tables, up to {pieces} pieces in play"
    job: Json = lab.jobs.start(
        "table", title, argv, resume=argv, folder=folder(lab), link="#/truth"
    )
    return job


def jobs(lab: Lab) -> list[str]:
    """The ids of those that build tables now, or that could go on."""
    live = ("waiting", "running", "interrupted")
    found = [job for job in lab.jobs.list() if job["kind"] == "table" and job["state"] in live]
    return [job["id"] for job in found]


def _existing(path: Path) -> Path:
    return next(parent for parent in (path, *path.absolute().parents) if parent.exists())
