"""Choko's tables in the lab: which are there, what others would cost, and building them."""

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
    """The folder in which the page builds tables."""
    return lab.folder / "tables" / _RULE


def cost(pieces: int) -> Json:
    """The cost of tables for all positions with up to ``pieces`` pieces in play."""
    plan = plan_of(max(pieces, SIZES[0]))
    return {
        "pieces": pieces,
        "positions": sum(one.raw for one in plan.slices),
        "cells": plan.cells,
        "seconds": round(plan.seconds("cpu", os.cpu_count() or 1), 1),
        "disk": plan.disk,
        "memory": plan.memory,
        "command": f"playproof table build {_RULE} --pieces {pieces} --distance",
    }


def state(lab: Lab, oracle: Oracle) -> Json:
    """The size of the tables on this machine, and the cost of each size."""
    largest = oracle.largest()
    free = shutil.disk_usage(_existing(folder(lab))).free
    available = memory.available()
    sizes = []
    for pieces in SIZES:
        size = cost(pieces)
        fits = size["disk"] < free and size["memory"] < available
        sizes.append({**size, "built": pieces <= largest, "fits": fits})
    return {"largest": largest, "sizes": sizes}


def start(lab: Lab, pieces: int) -> Json:
    """Start a job that builds tables, for one of ``SIZES``; those built before are reused."""
    argv = ["table", "build", _RULE, "--pieces", str(pieces), "--distance"]
    argv += ["--out", str(folder(lab))]
    title = f"Choko's tables, up to {pieces} pieces in play"
    job: Json = lab.jobs.start(
        "table", title, argv, resume=argv, folder=folder(lab), link="#/truth"
    )
    return job


def jobs(lab: Lab) -> list[str]:
    """The ids of jobs that are building tables or can be resumed."""
    live = ("waiting", "running", "interrupted")
    table_jobs = [job for job in lab.jobs.list() if job["kind"] == "table"]
    return [job["id"] for job in table_jobs if job["state"] in live]


def _existing(path: Path) -> Path:
    """The path itself, or the nearest of its parents that exists."""
    return next(parent for parent in (path, *path.absolute().parents) if parent.exists())
