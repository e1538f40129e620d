"""Proofs over HTTP: what there is to see, proofs to run and watch, certificates to check.

``routes(lab)`` is all that the server needs.  Proofs and checks are jobs, ``playproof
prove`` and ``playproof check``; the topic "proof:ID" tells what such a job has
found so far.  Everyone may look, who started the lab may do.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.proofs.certificates.files import sweep_drafts
from playproof.web.http.operations import operation
from playproof.web.http.routes import body
from playproof.web.pages.proofs import frames as proofs_frames
from playproof.web.pages.proofs import lemma as proofs_lemma
from playproof.web.pages.proofs import levels as proofs_levels
from playproof.web.pages.proofs import offered_statements as proofs_offers
from playproof.web.pages.proofs.bundles import pack
from playproof.web.pages.proofs.progress import (
    KINDS,
    all_levels,
    is_certificate,
    mark_of,
    story,
    summary,
)
from playproof.web.pages.proofs.uploads import Uploads
from playproof.web.protocol import bodies
from playproof.web.protocol.codec import build, read
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies import proofs as replies
from playproof.web.protocol.replies.base import Deleted
from playproof.web.protocol.replies.jobs import Job

if TYPE_CHECKING:
    from playproof.web.lab import Lab
    from playproof.web.websocket.subscriptions import Polled

Json = dict[str, Any]

_MOST_LISTED = 30  # proofs on the page; the list of jobs has all
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
_CHUNK = 2**18
_MOST_PACKING = 2  # at a time: a proof may have hundreds of megabytes


def routes(lab: Lab) -> list[Route]:
    """What the Proofs page asks for, below ``/api/proofs``."""
    room = _Room(lab)
    lab.subscriptions.register("proof", room.look, personal=True)
    return [
        Route("/api/proofs", room.overview),
        Route("/api/proofs/run", room.run, methods=["POST"]),
        Route("/api/proofs/check", room.check, methods=["POST"]),
        Route("/api/proofs/records/{name}", room.record),
        Route("/api/proofs/lemma", room.own_lemma),
        Route("/api/proofs/lemma/{name}", room.lemma),
        Route("/api/proofs/levels", room.own_levels),
        Route("/api/proofs/levels/all", room.all_levels),
        Route("/api/proofs/levels/{name}", room.levels),
        Route("/api/proofs/position", room.position),
        Route("/api/proofs/jobs/{id}", room.proof),
        Route("/api/proofs/certificates/{name}.zip", room.download),
        Route("/api/proofs/certificates/{name}/check", room.check_again, methods=["POST"]),
        Route("/api/proofs/certificates/{name}/delete", room.delete, methods=["POST"]),
    ]


class _Room:
    """The endpoints, and the folders they look after."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.certificates = lab.folder / "certificates"
        self.uploads = Uploads(lab)
        self._packing = 0  # downloads that are being made

    def _is_owner(self, request: Request) -> bool:
        return self.lab.access.require_person(request).owner

    # To look at

    @operation(replies.Proofs)
    async def overview(self, request: Request) -> Json:
        """What the page on proofs offers, the proofs there were, and the certificates kept.

        Where nothing can be proved it says why."""
        owner = self._is_owner(request)
        return await asyncio.to_thread(self._overview, owner)

    def _overview(self, owner: bool) -> Json:
        self.uploads.sweep()
        sweep_drafts(self.certificates)
        entries = [e for e in self.lab.jobs.book.entries() if e.record.get("kind") in KINDS]
        return {
            "owner": owner,
            "problem": _problem(),
            "records": proofs_frames.records(),
            "examples": proofs_lemma.examples(),
            "candidates": proofs_levels.candidates(),
            "offers": proofs_offers.offers(),
            "custom": proofs_offers.limits(),
            "proofs": [summary(entry, owner) for entry in entries[:_MOST_LISTED]],
            "certificates": self._kept(),
        }

    @operation(replies.RecordFrames)
    async def record(self, request: Request) -> Json:
        """A game with 33 legal moves at its end, position by position."""
        name = request.path_params["name"]
        return await asyncio.to_thread(proofs_frames.game_frames, name)

    @operation(replies.LemmaFrames)
    async def lemma(self, request: Request) -> Json:
        """The squares of an example, filled from the centre step by step."""
        name = request.path_params["name"]
        return await asyncio.to_thread(proofs_lemma.lemma, name)

    @operation(replies.LemmaFrames, query=("position",))
    async def own_lemma(self, request: Request) -> Json:
        """The squares of a position, a transcript or a board of Othello, filled step by step."""
        text = _position(request)
        return await asyncio.to_thread(proofs_lemma.own_lemma, text)

    @operation(replies.Levels)
    async def levels(self, request: Request) -> Json:
        """How many positions lie one disc, two discs ... before a candidate."""
        name = request.path_params["name"]
        folder = self.lab.folder / "proofs"
        return await asyncio.to_thread(proofs_levels.levels, name, folder)

    @operation(replies.FoundLevels)
    async def all_levels(self, request: Request) -> Json:
        """How many lie before all positions with 34 moves, from the latest proof about them."""
        book = self.lab.jobs.book
        return {"found": await asyncio.to_thread(lambda: all_levels(book.entries()))}

    @operation(replies.Levels, query=("position",))
    async def own_levels(self, request: Request) -> Json:
        """How many positions lie before a position, a transcript or a board of Othello."""
        text = _position(request)
        return await asyncio.to_thread(proofs_levels.own_levels, text)

    @operation(replies.DrawnPosition, query=("position",))
    async def position(self, request: Request) -> Json:
        """The picture of a position of Othello, with its moves numbered."""
        text = _position(request)
        return {"view": await asyncio.to_thread(_picture, text)}

    # Proofs

    def look(self, id: str, mark: Any, owner: bool) -> Polled:
        """What there is to tell of a proof that is watched."""
        self.uploads.sweep()
        found = story(self.lab.jobs.entry(id), self.certificates, owner)
        now = mark_of(found)
        return (mark, None) if now == mark else (now, build(replies.ProofNews, {"proof": found}))

    @operation(replies.Proof)
    async def proof(self, request: Request) -> Json:
        """A proof or a check: question, figures, answer, witness, every check.

        The topic ``proof:ID`` tells when it changes."""
        entry = self.lab.jobs.entry(request.path_params["id"])
        owner = self._is_owner(request)
        return await asyncio.to_thread(story, entry, self.certificates, owner)

    @operation(Job, body=bodies.RunProof)
    async def run(self, request: Request) -> Json:
        """Prove a statement that is offered, or a question of one's own; the job.

        A question of one's own is the statement ``custom``, with the other fields."""
        self.lab.owner(request)
        fields = read(await body(request), bodies.RunProof, "a proof")
        problem = await asyncio.to_thread(_problem)
        if problem:
            raise Refusal("bad", problem)
        title, argv = proofs_offers.command(fields, self.certificates)
        # A certificate appears when it is whole, so that a proof can simply be run again.
        return self.lab.jobs.start("prove", title, argv, resume=argv)

    # Certificates

    @operation(Job, query=("name",), upload="application/zip")
    async def check(self, request: Request) -> Json:
        """Check the certificate in the body, a zip file of at most 64 MiB; the job."""
        self.lab.owner(request)
        problem = await asyncio.to_thread(_problem)
        if problem:
            raise Refusal("bad", problem)
        return await self.uploads.check(request)

    @operation(Job)
    async def check_again(self, request: Request) -> Json:
        """Check a certificate that is kept here; the job."""
        self.lab.owner(request)
        folder = self._certificate(request)
        argv = ["check", str(folder)]
        return self.lab.jobs.start("check", f"Check {folder.name}", argv, resume=argv)

    @operation(media="application/zip")
    async def download(self, request: Request) -> StreamingResponse:
        """A certificate as one zip file."""
        folder = self._certificate(request)
        if self._packing >= _MOST_PACKING:
            raise Refusal("busy", "other certificates are being packed: try again in a minute")
        self._packing += 1
        try:
            file = await asyncio.to_thread(_packed, folder)
        finally:
            self._packing -= 1
        size = file.seek(0, 2)
        file.seek(0)
        headers = {
            "content-length": str(size),
            "content-disposition": f'attachment; filename="{folder.name}.zip"',
        }
        return StreamingResponse(_chunks(file), media_type="application/zip", headers=headers)

    @operation(Deleted)
    async def delete(self, request: Request) -> Deleted:
        """Throw a certificate away."""
        self.lab.owner(request)
        folder = self._certificate(request)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return Deleted()

    def _certificate(self, request: Request) -> Path:
        name = str(request.path_params["name"])
        if not _NAME.fullmatch(name) or not is_certificate(self.certificates, name):
            raise Refusal("gone", f"there is no certificate {name[:80]!r}")
        return self.certificates / name

    def _kept(self) -> list[Json]:
        """The certificates, the newest first."""
        if not self.certificates.is_dir():
            return []
        found = []
        for folder in self.certificates.iterdir():
            if _NAME.fullmatch(folder.name) and is_certificate(self.certificates, folder.name):
                with contextlib.suppress(OSError):  # it was deleted under us
                    found.append(_described(folder))
        return sorted(found, key=lambda one: -one["made"])


def _described(folder: Path) -> Json:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        "name": folder.name,
        "bytes": sum(path.stat().st_size for path in files),
        "parts": len([path for path in files if path.name == "proof.drat"]),
        "made": folder.stat().st_mtime,
    }


def _problem() -> str | None:
    """Why nothing can be proved here, in one line; None if all is well."""
    from playproof.proofs.sat.solvers import available

    if "cadical" in available():  # python-sat also makes the formulas
        return None
    return "No SAT solver is installed here. This brings one: pip install 'playproof[prove]'"


def _position(request: Request) -> str:
    text = request.query_params.get("position", "").strip()
    if not text:
        raise Refusal("bad", "position must be a transcript or a board of Othello")
    return text


def _picture(text: str) -> Json:
    try:
        return proofs_frames.still(make("othello").position(text))
    except PlayproofError:
        return proofs_frames.still(proofs_frames.read_othello(text))


def _packed(folder: Path) -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it was sent; has no name
    try:
        pack(folder, file)
    except OSError as error:
        file.close()
        raise Refusal("limit", f"the certificate cannot be packed: {error.strerror}") from None
    return file


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk
