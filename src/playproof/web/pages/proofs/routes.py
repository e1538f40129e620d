"""The endpoints of the Proofs page: examples, proofs to run and watch, certificates to check.

``routes(lab)`` is all that the server needs.  Proofs and checks are jobs, ``playproof
prove`` and ``playproof check``; the topic "proof:ID" reports the state of such a job.
Anyone may view proofs; only the owner of the lab may start them.
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
from playproof.proofs.certificates.files import remove_abandoned_drafts
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
    fingerprint,
    is_certificate,
    proof_state,
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

_MOST_LISTED = 30  # proofs on the page; the list of jobs has all of them
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
_CHUNK = 2**18
_MOST_PACKING = 2  # downloads that are packed at a time: a proof may have hundreds of megabytes


def routes(lab: Lab) -> list[Route]:
    """The routes of the Proofs page, below ``/api/proofs``."""
    endpoints = _ProofsEndpoints(lab)
    lab.subscriptions.register("proof", endpoints.news, personal=True)
    return [
        Route("/api/proofs", endpoints.overview),
        Route("/api/proofs/run", endpoints.run, methods=["POST"]),
        Route("/api/proofs/check", endpoints.check, methods=["POST"]),
        Route("/api/proofs/census", endpoints.census),
        Route("/api/proofs/records/{name}", endpoints.record),
        Route("/api/proofs/lemma", endpoints.own_lemma),
        Route("/api/proofs/lemma/{name}", endpoints.lemma),
        Route("/api/proofs/levels", endpoints.own_levels),
        Route("/api/proofs/levels/all", endpoints.all_levels),
        Route("/api/proofs/levels/{name}", endpoints.levels),
        Route("/api/proofs/position", endpoints.position),
        Route("/api/proofs/jobs/{id}", endpoints.proof),
        Route("/api/proofs/certificates/{name}.zip", endpoints.download),
        Route("/api/proofs/certificates/{name}/check", endpoints.check_again, methods=["POST"]),
        Route("/api/proofs/certificates/{name}/delete", endpoints.delete, methods=["POST"]),
    ]


class _ProofsEndpoints:
    """The endpoints, with the folders of certificates and uploads."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.certificates = lab.folder / "certificates"
        self.uploads = Uploads(lab)
        self._packing = 0  # downloads that are being packed

    def _is_owner(self, request: Request) -> bool:
        return self.lab.access.require_person(request).owner

    # Examples

    @operation(replies.ProofsOverview)
    async def overview(self, request: Request) -> Json:
        """What the page offers, the proofs that were run, and the certificates kept here.

        If nothing can be proved here, ``problem`` says why."""
        owner = self._is_owner(request)
        return await asyncio.to_thread(self._overview, owner)

    def _overview(self, owner: bool) -> Json:
        self.uploads.sweep()
        remove_abandoned_drafts(self.certificates)
        entries = [e for e in self.lab.jobs.book.entries() if e.record.get("kind") in KINDS]
        return {
            "owner": owner,
            "problem": _solver_problem(),
            "records": proofs_frames.records(),
            "examples": proofs_lemma.examples(),
            "candidates": proofs_levels.candidates(),
            "offers": proofs_offers.offers(),
            "custom": proofs_offers.limits(),
            "proofs": [summary(entry, owner) for entry in entries[:_MOST_LISTED]],
            "certificates": self._certificates(),
        }

    @operation(replies.RecordFrames)
    async def record(self, request: Request) -> Json:
        """A game that ends with 33 legal moves, position by position."""
        name = request.path_params["name"]
        return await asyncio.to_thread(proofs_frames.game_frames, name)

    @operation(replies.CensusOverview)
    async def census(self, request: Request) -> Json:
        """All positions with 33 legal moves that a game reaches, with their games."""
        return await asyncio.to_thread(proofs_frames.census)

    @operation(replies.LemmaFrames)
    async def lemma(self, request: Request) -> Json:
        """An example of the lemma: its squares are filled from the centre, step by step."""
        name = request.path_params["name"]
        return await asyncio.to_thread(proofs_lemma.lemma, name)

    @operation(replies.LemmaFrames, query=("position",))
    async def own_lemma(self, request: Request) -> Json:
        """The lemma on your own position, a transcript or a board of Othello."""
        text = _position_text(request)
        return await asyncio.to_thread(proofs_lemma.own_lemma, text)

    @operation(replies.RetrogradeLevels)
    async def levels(self, request: Request) -> Json:
        """How many positions lie one disc, two discs ... before a candidate."""
        name = request.path_params["name"]
        folder = self.lab.folder / "proofs"
        return await asyncio.to_thread(proofs_levels.candidate_levels, name, folder)

    @operation(replies.ProvedLevels)
    async def all_levels(self, request: Request) -> Json:
        """How many positions lie before all positions with 34 moves, from the latest proof."""
        book = self.lab.jobs.book
        return {"found": await asyncio.to_thread(lambda: all_levels(book.entries()))}

    @operation(replies.RetrogradeLevels, query=("position",))
    async def own_levels(self, request: Request) -> Json:
        """How many positions lie before your own position, a transcript or a board of Othello."""
        text = _position_text(request)
        return await asyncio.to_thread(proofs_levels.own_levels, text)

    @operation(replies.PositionPicture, query=("position",))
    async def position(self, request: Request) -> Json:
        """The picture of a position of Othello, with its moves numbered."""
        text = _position_text(request)
        return {"view": await asyncio.to_thread(_picture, text)}

    # Proofs

    def news(self, id: str, mark: Any, owner: bool) -> Polled:
        """The news for those who watch a proof, if it has changed since ``mark``."""
        self.uploads.sweep()
        state = proof_state(self.lab.jobs.entry(id), self.certificates, owner)
        now = fingerprint(state)
        return (mark, None) if now == mark else (now, build(replies.ProofNews, {"proof": state}))

    @operation(replies.ProofState)
    async def proof(self, request: Request) -> Json:
        """A proof or a check: question, figures, answer, witness, and every check.

        The topic ``proof:ID`` reports changes."""
        entry = self.lab.jobs.entry(request.path_params["id"])
        owner = self._is_owner(request)
        return await asyncio.to_thread(proof_state, entry, self.certificates, owner)

    @operation(Job, body=bodies.RunProof)
    async def run(self, request: Request) -> Json:
        """Start the proof of an offered statement or of your own question; returns the job.

        For your own question the statement is ``custom``, with the other fields."""
        self.lab.owner(request)
        fields = read(await body(request), bodies.RunProof, "a proof")
        problem = await asyncio.to_thread(_solver_problem)
        if problem:
            raise Refusal("bad", problem)
        title, argv = proofs_offers.command(fields, self.certificates)
        # A certificate appears only when it is complete, so a proof can simply be run again.
        return self.lab.jobs.start("prove", title, argv, resume=argv)

    # Certificates

    @operation(Job, query=("name",), upload="application/zip")
    async def check(self, request: Request) -> Json:
        """Start a check of the certificate in the body, a zip file of at most 64 MiB."""
        self.lab.owner(request)
        problem = await asyncio.to_thread(_solver_problem)
        if problem:
            raise Refusal("bad", problem)
        return await self.uploads.check(request)

    @operation(Job)
    async def check_again(self, request: Request) -> Json:
        """Start a check of a certificate that is kept here."""
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
        """Delete a certificate."""
        self.lab.owner(request)
        folder = self._certificate(request)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return Deleted()

    def _certificate(self, request: Request) -> Path:
        name = str(request.path_params["name"])
        if not _NAME.fullmatch(name) or not is_certificate(self.certificates, name):
            raise Refusal("gone", f"there is no certificate {name[:80]!r}")
        return self.certificates / name

    def _certificates(self) -> list[Json]:
        """The certificates that are kept here, newest first."""
        if not self.certificates.is_dir():
            return []
        certificates = []
        for folder in self.certificates.iterdir():
            if _NAME.fullmatch(folder.name) and is_certificate(self.certificates, folder.name):
                with contextlib.suppress(OSError):  # it was deleted in the meantime
                    certificates.append(_describe(folder))
        return sorted(certificates, key=lambda certificate: -certificate["made"])


def _describe(folder: Path) -> Json:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        "name": folder.name,
        "bytes": sum(path.stat().st_size for path in files),
        "parts": len([path for path in files if path.name == "proof.drat"]),
        "made": folder.stat().st_mtime,
    }


def _solver_problem() -> str | None:
    """Why nothing can be proved here, in one line; None if a solver is installed."""
    from playproof.proofs.sat.solvers import available

    if "cadical" in available():  # python-sat: some questions are answered inside this process
        return None
    return "No SAT solver is installed here. This brings one: pip install 'playproof[prove]'"


def _position_text(request: Request) -> str:
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
    file = tempfile.TemporaryFile()  # noqa: SIM115 - _chunks closes it
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
