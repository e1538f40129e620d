"""Who plays behind a spec string: the spec, with the content of what it names in place of
the names.

A file may be replaced by another of the same name, and copied to another place.  So games
that are kept belong to an agent's identity, never to its spec alone: ``net:a.safetensors``
and a copy of that file are one player, two nets that lay at the same path are two.
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

CODE = "code"  # stands for the source of an agent that is not ours
_DIGITS = 16
_SHOWN = 8
_BLOCK = 1 << 20
_tokens: WeakKeyDictionary[type[Agent], str] = WeakKeyDictionary()  # of classes without a source
_END = 1 << 16  # bytes of a folder's files that are read, at their beginning and end


@dataclass(frozen=True)
class Identity:
    """``text`` is equal for agents that play alike; ``digests`` are by option, and ``code``."""

    text: str
    digests: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """``net 3f2a91c0``: what people can compare; empty where only the spec counts."""
        return short_digests(self.digests)


def short_digests(digests: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {digest[:_SHOWN]}" for name, digest in digests)


def path_digest(value: str, game: Game) -> str:
    """The digest of a file or a folder; empty where there is none of this name.

    Of a folder, which may hold gigabytes of tables: names and sizes of its files, and the
    beginning and the end of each.
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
    """An option that names a file, or something else with a content of its own.

    ``digest(value, game)`` is that of the content, empty where the value names none.
    """

    digest: Callable[[str, Game], str] = field(default=path_digest, compare=False)


def identify(agent: type[Agent], options: dict[str, Any], game: Game) -> Identity:
    """The identity of an agent with settled ``options`` in ``game``."""
    settled, digests = dict(options), []
    for option in agent.option_fields:
        value = options[option.name]
        if not isinstance(value, str) or not value or option.choices:
            continue
        # An agent of somebody else's need not say which of its texts is a file.
        digest = option.digest if isinstance(option, FileOption) else path_digest
        try:
            found = digest(value, game)
        except PlayproofError as error:
            raise type(error)(f"{agent.written(options)}: {agent.name}: {error}") from None
        if found:
            settled[option.name] = f"#{found}"
            digests.append((option.name, found))
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
    """One digest of several things, each with its length, so that no two lists are alike."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:_DIGITS]


def code_digest(agent: type[Agent]) -> str:
    """The digest of the file that an agent of somebody else's is written in.

    Empty for ours; for a class without a file, as of a notebook, of its own source, or of
    nothing but this very class where even that is not known.
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
                begin = file.read(_END)
                file.seek(max(0, size - _END))
                parts += [str(path.relative_to(folder)).encode(), b"%d" % size, begin, file.read()]
    return digest_of(*parts)
