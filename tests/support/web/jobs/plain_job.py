"""A job as the lab tells it, for tests that start none."""

from __future__ import annotations

from typing import Any


def job_told(id: str, **more: Any) -> dict[str, Any]:
    """A job that waits; what is not said is like nothing in particular."""
    return {
        "id": id,
        "kind": "match",
        "title": "A job",
        "command": "playproof match",
        "by": "page",
        "state": "waiting",
        "began": 1.5,
        "seconds": 0.0,
        "label": "",
        "done": None,
        "total": None,
        "facts": {},
        "error": "",
        "can": {"cancel": True, "resume": False, "delete": False},
        "folder": None,
        "link": f"#/jobs/{id}",
        **more,
    }
