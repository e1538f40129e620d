"""The state of a proof, from the events in its job: question, progress, answer, and checks.

A job stores the events of its proof (``proofs.events``).  A job that is run again starts
over, so only the events after its last start count.  Events that cannot be read, because
they are damaged or of another version, are ignored.
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
from playproof.proofs.event_json import from_json, json_fields
from playproof.proofs.events import ProofEvent
from playproof.web.http.redaction import redact
from playproof.web.jobs.routes import visible_job
from playproof.web.pages.proofs.frames import still
from playproof.web.protocol.refusal import Refusal

Json = dict[str, Any]

KINDS = ("prove", "check")
_LIVE = ("solving", "conflicts", "proof_bytes", "variables", "clauses")
_SINGLE = ("formula", "answer", "proof", "levels", "verdict", "record", "witness")


def proof_state(entry: JobEntry, certificates: Path, owner: bool) -> Json:
    """The state of a proof or a check as the page shows it."""
    job = visible_job(entry.to_json(), owner)
    if job["kind"] not in KINDS:
        raise Refusal("gone", "this job proves nothing: see the list of jobs")
    state: Json = {
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
        **dict.fromkeys(_SINGLE),
        "live": _live(job["facts"]),
    }
    for event in stored_events(entry, owner):
        _apply(state, event)
    name = state["certificate"]
    state["certificate"] = name if name and is_certificate(certificates, name) else None
    return state


def _live(progress: Json) -> Json:
    """The solver's figures in a job's progress, without anything that is not a number."""
    figures = {name: progress[name] for name in _LIVE if name in progress}
    return {
        name: value
        for name, value in figures.items()
        if value is None or type(value) in (int, float)
    }


def stored_events(entry: JobEntry, owner: bool = True) -> list[ProofEvent]:
    """The events since the job was last started; for guests, without paths."""
    steps = entry.steps()
    parsed = [from_json(step) for step in (steps if owner else redact(steps))]
    readable = [event for event in parsed if event is not None]
    starts = [i for i, event in enumerate(readable) if isinstance(event, events.ProofStarted)]
    return readable[starts[-1] :] if starts else readable


def _apply(state: Json, event: ProofEvent) -> None:
    """Update the state by an event."""
    match event:
        case events.ProofStarted():
            state |= {"question": event.sentence, "of": event.parts}
            state["certificate"] = event.certificate
        case events.TheoremStarted():
            state |= {"theorem": event.sentence, "of": event.parts}
            state["certificate"] = event.certificate
        case events.SearchFinding():
            state["found"].append(event.line)
        case events.OutsideProofVerified():
            state["found"].append(event.text)
        case events.PartAnswered():
            state["parts"].append(json_fields(event))
        case events.CheckStarted():
            state |= {"checking": True, "checks": [], "checked": []}
        case events.CheckFinished():
            state["checks"].append(json_fields(event))
        case events.PartChecked():
            state["checked"].append(json_fields(event))
        case events.WitnessFound():
            state["witness"] = {**json_fields(event), "view": _witness_view(event)}
        case events.LargestFound():
            state["found"].append(event.text)
            _apply(state, events.WitnessFound(event.game, None, event.position, event.largest))
        case _ if event.what in _SINGLE:
            state[event.what] = json_fields(event)


def is_certificate(certificates: Path, name: Any) -> bool:
    """Whether there is a finished certificate of this name."""
    if not isinstance(name, str) or Path(name).name != name:
        return False
    return any((certificates / name / file).is_file() for file in ("manifest.json", "index.json"))


def _witness_view(event: events.WitnessFound) -> Json | None:
    try:
        return _view(event.game, event.size, event.position)
    except (PlayproofError, LookupError, TypeError, ValueError):  # a game that is unknown here
        return None


@functools.lru_cache(maxsize=64)
def _view(game: str, size: int | None, position: str) -> Json:
    options = {} if size is None else {"size": size}
    return still(make(game, **options).position(position))


def summary(entry: JobEntry, owner: bool) -> Json:
    """A proof for the list of proofs: its job and its outcome."""
    job = visible_job(entry.to_json(), owner)
    outcome = None
    for event in stored_events(entry):
        match event:
            case events.SolverAnswered() | events.TheoremAnswered() | events.SearchAnswered():
                outcome = {"sat": "yes", "unsat": "no"}.get(event.status)
            case events.CertificateChecked():
                outcome = "verified" if event.verified else "rejected"
    return {"id": job["id"], "kind": job["kind"], "title": job["title"], "state": job["state"],
            "began": job["began"], "seconds": job["seconds"], "came": outcome}  # fmt: skip


def all_levels(entries: list[JobEntry]) -> Json | None:
    """The levels of all positions with 34 moves, from the latest proof that counted them."""
    for entry in entries:
        if entry.record.get("kind") != "prove":
            continue
        for event in stored_events(entry):
            if isinstance(event, events.LevelsCounted) and (event.at_least, event.size) == (34, 8):
                counts = [
                    {"back": back, "stones": None, "positions": n, "known": None, "example": None}
                    for back, n in enumerate(event.counts)
                ]
                end = "nothing" if event.exhausted else "stopped"
                return {"levels": counts, "end": end, "job": entry.id}
    return None


def fingerprint(state: Json) -> str:
    """A text that stays the same as long as only the seconds of a proof's state change."""
    return json.dumps({**state, "job": {**state["job"], "seconds": 0}}, sort_keys=True)
