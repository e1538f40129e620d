"""Networks in files, with everything that is needed to use them again.

A file has the safetensors format: a JSON header, then the numbers. The tensors have the names of
``architectures.parts_of``. The header has the network's game, observation and sizes, and free
metadata such as what trained it. Nothing in such a file is ever executed.

A network of one game is written as version 1. A network of a family of games has a header field
that readers of version 1 would ignore, so it is written as version 2, which they refuse.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playproof.core.errors import DataError, PlayproofError, UsageError, one_line, one_of
from playproof.core.files.atomic_write import write_atomically
from playproof.core.game import Game
from playproof.nets import architectures
from playproof.nets.architectures import AnyArchitecture
from playproof.nets.game_families import Coverage, GameFamily
from playproof.nets.mlp import Vector

FORMAT, VERSION, FAMILY_VERSION = "playproof-net", "1", "2"
_STORED = ["float32", "float16"]


@dataclass(frozen=True, eq=False)
class Net:
    """A network for one game with its options, or for a ``family``, and for one observation.

    With a family, it can be used in all of its games that have the same sizes.
    """

    architecture: AnyArchitecture
    weights: Vector  # (architecture.parameters,) float32, all finite
    game: str  # a spec
    observation: str
    metadata: Mapping[str, Any] = field(default_factory=dict)  # anything that JSON can hold
    win: float = 1.0  # the value of a won game in the net's values
    family: GameFamily | None = None  # includes ``game``

    def __post_init__(self) -> None:
        weights = np.ascontiguousarray(self.weights, np.float32)
        if weights.shape != (self.architecture.parameters,):
            raise DataError(
                f"a net of {self.architecture.parameters:,} parameters cannot have weights of "
                f"shape {weights.shape}"
            )
        if not (math.isfinite(self.win) and self.win > 0):
            raise DataError(f"a won game cannot be worth {self.win}: want more than 0")
        wrong = len(weights) - int(np.isfinite(weights).sum())
        if wrong:
            raise DataError(f"{wrong:,} of {len(weights):,} weights are no finite numbers")
        object.__setattr__(self, "weights", weights)
        self.check(self.make_game())

    @property
    def facts(self) -> Mapping[str, Any]:
        """The former name of ``metadata``."""
        return self.metadata

    @property
    def coverage(self) -> Coverage:
        """The games in which the network can be used."""
        sizes = self.architecture
        return Coverage(self.game, self.family, self.observation, sizes.inputs, sizes.actions)

    def make_game(self) -> Game:
        """The game of the network; with a family, one of its games."""
        return self.coverage.make_game()

    def covers(self, game: Game) -> bool:
        """Whether the network can be used in ``game``."""
        return not self.coverage.refusal(game)

    def check(self, game: Game) -> None:
        """Raise a DataError if the network cannot be used in ``game``."""
        problem = self.coverage.refusal(game)
        if problem:
            raise DataError(problem)


def save(net: Net, path: Path | str, *, half: bool = False) -> None:
    """Write a network atomically: a process that is killed leaves the whole file or none.

    ``half`` stores numbers of 16 bits, with three decimal digits, in half the space.
    """
    _require_safetensors()
    from safetensors.numpy import save as pack

    path, sizes = Path(path), net.architecture
    parts = {name: part.copy() for name, part in architectures.parts_of(sizes, net.weights).items()}
    if half:
        with np.errstate(over="ignore"):
            parts = {name: _to_half(name, part) for name, part in parts.items()}
    if not all(np.isfinite(part).all() for part in parts.values()):
        raise DataError(f"{path}: a weight is too large for 16 bits: save it without half")
    header = {
        "format": FORMAT,
        "version": VERSION if net.family is None else FAMILY_VERSION,
        "game": net.game,
        "observation": net.observation,
        "architecture": json.dumps(architectures.to_json(sizes)),
        "win": json.dumps(net.win),
        "facts": json.dumps(dict(net.metadata), ensure_ascii=False),
    }
    if net.family is not None:
        header["family"] = json.dumps(net.family.texts())
    write_atomically(path, pack(parts, metadata=header))


def load(path: Path | str, game: Game | None = None) -> Net:
    """The network in a file; a DataError if it cannot be used in ``game``."""
    path = Path(path)
    header, parts = _read(path)
    if header.get("format") != FORMAT:
        raise DataError(f"{path} is no net of Playproof: its header does not say {FORMAT}")
    _check_version(path, header)
    for key in ("game", "observation", "architecture", "facts"):
        if key not in header:
            raise DataError(f"{path} does not say its {key}: the header wants it")
    try:
        sizes = _architecture(header["architecture"])
        _check_parts(sizes, parts)
        # The header's name of the metadata is "facts".
        metadata, win = json.loads(header["facts"]), json.loads(header.get("win", "1.0"))
        if not isinstance(metadata, dict):
            raise ValueError
        if type(win) not in (int, float):
            raise DataError(f"its win is {win}: want a number, the value of a won game")
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{path}: its facts are no JSON object") from None
    try:
        weights = architectures.vector_of(sizes, parts)
        family = _family(header["family"]) if "family" in header else None
        net = Net(
            sizes, weights, header["game"], header["observation"], metadata, float(win), family
        )
        if game is not None:
            net.check(game)
    except PlayproofError as error:
        raise DataError(f"{path}: {error}") from None
    return net


def _check_version(path: Path, header: Mapping[str, str]) -> None:
    """Raise a DataError for an unknown version, or one that does not fit the header's fields."""
    version = header.get("version")
    if version not in (VERSION, FAMILY_VERSION):
        raise DataError(
            f"{path} has version {version} of the format: this Playproof reads versions {VERSION} "
            f"and {FAMILY_VERSION}"
        )
    if version == VERSION and "family" in header:
        raise DataError(
            f"{path} says its family, but has version {VERSION}: want version {FAMILY_VERSION}"
        )
    if version == FAMILY_VERSION and "family" not in header:
        raise DataError(f"{path} does not say its family: the header of version 2 wants it")


def _family(text: str) -> GameFamily:
    try:
        given = json.loads(text)
        if not (isinstance(given, list) and given and all(isinstance(t, str) for t in given)):
            raise ValueError
    except (ValueError, RecursionError):
        raise DataError('its family is not one such as ["go:board=5x5,komi=*"]') from None
    try:
        return GameFamily.of(given)
    except UsageError as error:
        raise DataError(f"the net's family cannot be read: {error}") from None


def _read(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """The header and the tensors of a safetensors file, unchecked."""
    _require_safetensors()
    from safetensors import SafetensorError, safe_open

    try:
        with path.open("rb"):  # raises the system's own error
            pass
        with safe_open(path, framework="numpy") as file:
            header = dict(file.metadata() or {})
            return header, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    except (SafetensorError, TypeError, ValueError, AttributeError, KeyError) as error:
        # NumPy raises the last four for number formats that it does not know.
        raise DataError(
            f"{path} is no whole safetensors file of {one_of(_STORED)}: {one_line(error)}"
        ) from None


def _to_half(name: str, part: Any) -> Any:
    """A tensor in 16 bits, except those of norms, which are small and have a wide range."""
    return part if ".norm." in name else part.astype(np.float16)


def _architecture(text: str) -> AnyArchitecture:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    return architectures.from_json(data)


def _check_parts(sizes: AnyArchitecture, parts: dict[str, Any]) -> None:
    """Raise a DataError unless there is every tensor of an architecture and no other."""
    shapes = architectures.shapes_of(sizes)
    for name, shape in shapes.items():
        if name not in parts:
            raise DataError(f"the tensor {name} of shape {shape} is missing")
        if parts[name].shape != shape:
            raise DataError(f"the tensor {name} has shape {parts[name].shape} instead of {shape}")
        if parts[name].dtype.name not in _STORED:
            kind = parts[name].dtype.name
            raise DataError(f"the tensor {name} has the type {kind}: want {one_of(_STORED)}")
    for name in parts:
        if name not in shapes:
            raise DataError(f"the tensor {name} has no place in the architecture")


def _require_safetensors() -> None:
    try:
        import safetensors  # noqa: F401
    except ImportError:
        raise PlayproofError(
            "nets need the package safetensors: pip install 'playproof[learn]'"
        ) from None
