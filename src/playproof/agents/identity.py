"""The identity of an agent: its spec string, with digests of the files in place of their names.

A file may be replaced by another of the same name, or copied to another place.  Recorded games
therefore belong to an agent's identity and not to its spec alone: ``net:a.safetensors`` and a copy
of that file are the same player, and two nets that were at the same path are two players.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from playproof.core.errors import DataError, PlayproofError
from playproof.core.spec import Option, write_brief

if TYPE_CHECKING:
    from playproof.agents.base import Agent
    from playproof.core.game import Game

CODE = "code"  # stands for the source code of an agent that is not built in
_DIGITS = 16
_SHORT_DIGITS = 8  # of a digest that is printed
_BLOCK = 1 << 20
_tokens: WeakKeyDictionary[type[Agent], str] = WeakKeyDictionary()  # for classes without a source
_SAMPLE = 1 << 16  # bytes read at the beginning and at the end of each file in a folder


@dataclass(frozen=True)
class Identity:
    """``text`` is the same for agents that play alike; ``digests`` are by option, and ``code``."""

    text: str
    digests: tuple[tuple[str, str], ...] = ()

    @property
    def short(self) -> str:
        """``net 3f2a91c0``, for people to compare; empty if the spec alone is the identity."""
        return short_digests(self.digests)


def short_digests(digests: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {digest[:_SHORT_DIGITS]}" for name, digest in digests)


def path_digest(value: str, game: Game) -> str:
    """The digest of a file or a folder; empty if there is none of this name.

    A folder may hold gigabytes of tables, so its digest covers only the names and sizes of its
    files, and the beginning and the end of each.
    """
    path = Path(value).expanduser()
    try:
        if path.is_file():
            return file_digest(path)
        return _folder_digest(path) if path.is_dir() else ""
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


@dataclass(frozen=True)
class FileOption(Option):
    """An option that names a file, or something else whose content matters.

    ``digest(value, game)`` is the digest of that content, empty if the value names nothing.
    """

    digest: Callable[[str, Game], str] = field(default=path_digest, compare=False)


def identify(agent: type[Agent], options: dict[str, Any], game: Game) -> Identity:
    """The identity of an agent with settled ``options`` in ``game``."""
    settled, digests = dict(options), []
    for option in agent.option_fields:
        value = options[option.name]
        if not isinstance(value, str) or not value or option.choices:
            continue
        # A third-party agent need not declare which of its texts name files.
        compute = option.digest if isinstance(option, FileOption) else path_digest
        try:
            digest = compute(value, game)
        except PlayproofError as error:
            raise type(error)(f"{agent.written(options)}: {agent.name}: {error}") from None
        if digest:
            settled[option.name] = f"#{digest}"
            digests.append((option.name, digest))
    text = write_brief(agent.name, agent.option_fields, settled)
    code = code_digest(agent)
    if code:
        digests.append((CODE, code))
        text += f" {CODE}=#{code}"
    return Identity(text, tuple(digests))


def file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()[:_DIGITS]


def digest_of(*parts: bytes) -> str:
    """One digest of several parts.  Each is preceded by its length, so no two lists collide."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:_DIGITS]


def code_digest(agent: type[Agent]) -> str:
    """The digest of the source file of an agent; empty for a built-in one.

    A class without a file, as in a notebook, has the digest of its own source.  If that is not
    known either, it has a random token, which stands for this very class.
    """
    if agent.__module__.partition(".")[0] == "playproof":
        return ""
    try:
        return file_digest(Path(inspect.getsourcefile(agent) or ""))
    except (OSError, TypeError):
        pass
    try:
        return digest_of(inspect.getsource(agent).encode())
    except (OSError, TypeError):
        return _tokens.setdefault(agent, os.urandom(_DIGITS // 2).hex())


def _folder_digest(folder: Path) -> str:
    parts = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            size = path.stat().st_size
            with path.open("rb") as file:
                head = file.read(_SAMPLE)
                file.seek(max(0, size - _SAMPLE))
                parts += [str(path.relative_to(folder)).encode(), b"%d" % size, head, file.read()]
    return digest_of(*parts)
