"""A proof as its job tells it: the question, how far it is, the answer, every check.

The steps are those that ``cli.proof_steps`` writes; a job that was begun again tells
its story anew, so only what follows its last beginning counts.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.core.job_list import Entry
from playproof.core.registry import make
from playproof.web.hiding import hidden
from playproof.web.jobs.routes import shown
from playproof.web.messages import Refusal
from playproof.web.proofs.frames import still

Json = dict[str, Any]

KINDS = ("prove", "check")
_LIVE = ("solving", "conflicts", "proof_bytes", "variables", "clauses")
_ONCE = ("formula", "answer", "proof", "levels", "verdict", "record", "witness")


def story(entry: Entry, certificates: Path, owner: bool) -> Json:
    """All that is known of a proof or a check, as the page shows it."""
    job = shown(entry.to_json(), owner)
    if job["kind"] not in KINDS:
        raise Refusal("gone", "this job proves nothing: see the list of jobs")
    found: Json = {
        "job": job,
        "question": job["title"],
        "theorem": None,
        "of": 1,
        "found": [],
        "parts": [],
        "checking": False,
        "checks": [],
        "checked": [],
        "certificate": None,
        **dict.fromkeys(_ONCE),
        "live": {name: job["facts"][name] for name in _LIVE if name in job["facts"]},
    }
    for step in told(entry) if owner else hidden(told(entry)):
        _take(found, step["text"], step["facts"])
    name = found["certificate"]
    found["certificate"] = name if name and is_certificate(certificates, name) else None
    if found["witness"]:
        found["witness"] = {**found["witness"], "view": _witness(found["witness"])}
    return found


def told(entry: Entry) -> list[Json]:
    """The steps since the job was last begun."""
    steps = entry.steps()
    begins = [i for i, step in enumerate(steps) if step["facts"].get("what") == "begin"]
    return steps[begins[-1] :] if begins else steps


def _take(found: Json, text: str, facts: Json) -> None:
    what = facts.get("what")
    figures = {name: value for name, value in facts.items() if name != "what"}
    if what == "begin":
        found |= {"question": text, "of": facts.get("parts", 1)}
        found["certificate"] = facts.get("certificate")
    elif what == "follow":
        found |= {"theorem": text, "of": facts.get("parts", 1)}
        found["certificate"] = facts.get("certificate")
    elif what == "found":
        found["found"].append(text)
    elif what == "part":
        found["parts"].append(figures)
    elif what == "checking":
        found |= {"checking": True, "checks": [], "checked": []}
    elif what in ("check", "checked"):
        found["checks" if what == "check" else "checked"].append(figures)
    elif what in _ONCE:
        found[what] = figures


def is_certificate(certificates: Path, name: Any) -> bool:
    """Whether a finished certificate of this name is there."""
    if not isinstance(name, str) or Path(name).name != name:
        return False
    return any((certificates / name / file).is_file() for file in ("manifest.json", "index.json"))


def _witness(facts: Json) -> Json | None:
    try:
        return _view(str(facts["game"]), facts.get("size"), str(facts["position"]))
    except (PlayproofError, KeyError, TypeError):
        return None


@functools.lru_cache(maxsize=64)
def _view(game: str, size: int | None, position: str) -> Json:
    options = {} if size is None else {"size": size}
    return still(make(game, **options).position(position))


def summary(entry: Entry, owner: bool) -> Json:
    """A proof in a line of a list: its job, and what came of it."""
    job = shown(entry.to_json(), owner)
    came = None
    for step in told(entry):
        facts = step["facts"]
        if facts.get("what") == "answer":
            came = {"sat": "yes", "unsat": "no"}.get(str(facts.get("status")))
        elif facts.get("what") == "verdict":
            came = "verified" if facts.get("verified") else "rejected"
    return {"id": job["id"], "kind": job["kind"], "title": job["title"], "state": job["state"],
            "began": job["began"], "seconds": job["seconds"], "came": came}  # fmt: skip


def all_levels(entries: list[Entry]) -> Json | None:
    """The levels of all positions with 34 moves, from the latest proof that went through them."""
    for entry in entries:
        if entry.card.get("kind") != "prove":
            continue
        for step in told(entry):
            facts = step["facts"]
            of = facts.get("at_least"), facts.get("size")
            if facts.get("what") == "levels" and of == (34, 8) and _are_counts(facts):
                counts = [
                    {"back": back, "stones": None, "positions": n, "known": None, "example": None}
                    for back, n in enumerate(facts["counts"])
                ]
                end = "nothing" if facts.get("exhausted") else "stopped"
                return {"levels": counts, "end": end, "job": entry.id}
    return None


def _are_counts(facts: Json) -> bool:
    counts = facts.get("counts")
    return isinstance(counts, list) and all(isinstance(n, int) for n in counts)


def mark_of(found: Json) -> str:
    """What two looks at a proof have in common if nothing but time has passed."""
    return json.dumps({**found, "job": {**found["job"], "seconds": 0}}, sort_keys=True)
