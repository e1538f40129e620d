"""A proof as its job tells it: the question, how far it is, the answer, every check.

A job stores the events of its proof (``proofs.events``).  One that was started again tells
its story anew, so only what follows its last start counts.  What cannot be read, of another
version or damaged, is passed over.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.core.jobs.index import JobEntry
from playproof.core.registry import make
from playproof.proofs import events
from playproof.proofs.event_json import figures, from_json
from playproof.proofs.events import ProofEvent
from playproof.web.http.redaction import redact
from playproof.web.jobs.routes import visible_job
from playproof.web.pages.proofs.frames import still
from playproof.web.protocol.refusal import Refusal

Json = dict[str, Any]

KINDS = ("prove", "check")
_LIVE = ("solving", "conflicts", "proof_bytes", "variables", "clauses")
_ONCE = ("formula", "answer", "proof", "levels", "verdict", "record", "witness")


def story(entry: JobEntry, certificates: Path, owner: bool) -> Json:
    """All that is known of a proof or a check, as the page shows it."""
    job = visible_job(entry.to_json(), owner)
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
        "live": _live(job["facts"]),
    }
    for event in told(entry, owner):
        _take(found, event)
    name = found["certificate"]
    found["certificate"] = name if name and is_certificate(certificates, name) else None
    return found


def _live(facts: Json) -> Json:
    """The figures of a solver among a job's facts, as far as they are figures."""
    found = {name: facts[name] for name in _LIVE if name in facts}
    return {name: one for name, one in found.items() if one is None or type(one) in (int, float)}


def told(entry: JobEntry, owner: bool = True) -> list[ProofEvent]:
    """The events since the job was last started; guests get them without paths."""
    steps = entry.steps()
    read = [from_json(step) for step in (steps if owner else redact(steps))]
    found = [event for event in read if event is not None]
    starts = [i for i, event in enumerate(found) if isinstance(event, events.ProofStarted)]
    return found[starts[-1] :] if starts else found


def _take(found: Json, event: ProofEvent) -> None:
    """Enter an event into the story."""
    match event:
        case events.ProofStarted():
            found |= {"question": event.sentence, "of": event.parts}
            found["certificate"] = event.certificate
        case events.TheoremStarted():
            found |= {"theorem": event.sentence, "of": event.parts}
            found["certificate"] = event.certificate
        case events.SearchFinding():
            found["found"].append(event.line)
        case events.PartAnswered():
            found["parts"].append(figures(event))
        case events.CheckStarted():
            found |= {"checking": True, "checks": [], "checked": []}
        case events.CheckFinished():
            found["checks"].append(figures(event))
        case events.PartChecked():
            found["checked"].append(figures(event))
        case events.WitnessFound():
            found["witness"] = {**figures(event), "view": _witness(event)}
        case events.LargestFound():
            found["found"].append(event.text)
            _take(found, events.WitnessFound(event.game, None, event.position, event.largest))
        case _ if event.what in _ONCE:
            found[event.what] = figures(event)


def is_certificate(certificates: Path, name: Any) -> bool:
    """Whether a finished certificate of this name is there."""
    if not isinstance(name, str) or Path(name).name != name:
        return False
    return any((certificates / name / file).is_file() for file in ("manifest.json", "index.json"))


def _witness(event: events.WitnessFound) -> Json | None:
    try:
        return _view(event.game, event.size, event.position)
    except (PlayproofError, LookupError, TypeError, ValueError):  # it may be anybody's game
        return None


@functools.lru_cache(maxsize=64)
def _view(game: str, size: int | None, position: str) -> Json:
    options = {} if size is None else {"size": size}
    return still(make(game, **options).position(position))


def summary(entry: JobEntry, owner: bool) -> Json:
    """A proof in a line of a list: its job, and what came of it."""
    job = visible_job(entry.to_json(), owner)
    came = None
    for event in told(entry):
        match event:
            case events.SolverAnswered() | events.TheoremAnswered() | events.SearchAnswered():
                came = {"sat": "yes", "unsat": "no"}.get(event.status)
            case events.CertificateChecked():
                came = "verified" if event.verified else "rejected"
    return {"id": job["id"], "kind": job["kind"], "title": job["title"], "state": job["state"],
            "began": job["began"], "seconds": job["seconds"], "came": came}  # fmt: skip


def all_levels(entries: list[JobEntry]) -> Json | None:
    """The levels of all positions with 34 moves, from the latest proof that went through them."""
    for entry in entries:
        if entry.record.get("kind") != "prove":
            continue
        for event in told(entry):
            if isinstance(event, events.LevelsCounted) and (event.at_least, event.size) == (34, 8):
                counts = [
                    {"back": back, "stones": None, "positions": n, "known": None, "example": None}
                    for back, n in enumerate(event.counts)
                ]
                end = "nothing" if event.exhausted else "stopped"
                return {"levels": counts, "end": end, "job": entry.id}
    return None


def mark_of(found: Json) -> str:
    """What two looks at a proof have in common if nothing but time has passed."""
    return json.dumps({**found, "job": {**found["job"], "seconds": 0}}, sort_keys=True)
