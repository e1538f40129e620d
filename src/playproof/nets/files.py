"""A network in a file, with all that is needed to use it again.

The file is in the safetensors format: a header of JSON, then the numbers.  The
tensors have the names of ``kinds.parts_of``; the header says of which game and
which observation the network is, its sizes, and free facts such as what trained
it.  Nothing in such a file is ever run.

A network of one game is written as version 1.  One that covers a family of games says so in a
field that readers of version 1 do not know, so it is version 2, which they refuse.
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
from playproof.nets import kinds
from playproof.nets.families import Coverage, GameFamily
from playproof.nets.kinds import AnyArchitecture
from playproof.nets.mlp import Vector

FORMAT, VERSION, FAMILY_VERSION = "playproof-net", "1", "2"
_STORED = ["float32", "float16"]


@dataclass(frozen=True, eq=False)
class Net:
    """A network that was made for one game with its options, and one of its observations; with a
    ``family``, for all games in it whose sizes are the same."""

    architecture: AnyArchitecture
    weights: Vector  # (architecture.parameters,) float32, all finite
    game: str  # its spec
    observation: str
    facts: Mapping[str, Any] = field(default_factory=dict)  # whatever JSON can hold
    win: float = 1.0  # what a won game is worth in the net's values
    family: GameFamily | None = None  # ``game`` is one of it

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
    def coverage(self) -> Coverage:
        """Which games the network can be used in."""
        sizes = self.architecture
        return Coverage(self.game, self.family, self.observation, sizes.inputs, sizes.actions)

    def make_game(self) -> Game:
        """The game that the network is of; with a family, one of it."""
        return self.coverage.make_game()

    def covers(self, game: Game) -> bool:
        """Whether the network can be used in ``game``."""
        return not self.coverage.refusal(game)

    def check(self, game: Game) -> None:
        """A DataError if the network cannot be used in ``game``."""
        problem = self.coverage.refusal(game)
        if problem:
            raise DataError(problem)


def save(net: Net, path: Path | str, *, half: bool = False) -> None:
    """Write a network so that a kill leaves the whole file or none.

    ``half`` stores numbers of 16 bits, three decimal digits, in half the room.
    """
    _need_safetensors()
    from safetensors.numpy import save as pack

    path, sizes = Path(path), net.architecture
    parts = {name: part.copy() for name, part in kinds.parts_of(sizes, net.weights).items()}
    if half:
        with np.errstate(over="ignore"):
            parts = {name: _halved(name, part) for name, part in parts.items()}
    if not all(np.isfinite(part).all() for part in parts.values()):
        raise DataError(f"{path}: a weight is too large for 16 bits: save it without half")
    header = {
        "format": FORMAT,
        "version": VERSION if net.family is None else FAMILY_VERSION,
        "game": net.game,
        "observation": net.observation,
        "architecture": json.dumps(kinds.told(sizes)),
        "win": json.dumps(net.win),
        "facts": json.dumps(dict(net.facts), ensure_ascii=False),
    }
    if net.family is not None:
        header["family"] = json.dumps(net.family.texts())
    write_atomically(path, pack(parts, metadata=header))


def load(path: Path | str, game: Game | None = None) -> Net:
    """The network in a file; for ``game``, if one is given."""
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
        facts, win = json.loads(header["facts"]), json.loads(header.get("win", "1.0"))
        if not isinstance(facts, dict):
            raise ValueError
        if type(win) not in (int, float):
            raise DataError(f"its win is {win}: want a number, what a won game is worth")
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{path}: its facts are no JSON object") from None
    try:
        weights = kinds.vector_of(sizes, parts)
        family = _family(header["family"]) if "family" in header else None
        net = Net(sizes, weights, header["game"], header["observation"], facts, float(win), family)
        if game is not None:
            net.check(game)
    except PlayproofError as error:
        raise DataError(f"{path}: {error}") from None
    return net


def _check_version(path: Path, header: Mapping[str, str]) -> None:
    """A DataError for a version that is not read here, or that does not say what it should."""
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
    """The header and the tensors of a safetensors file, whatever they are."""
    _need_safetensors()
    from safetensors import SafetensorError, safe_open

    try:
        with path.open("rb"):  # an error of the system, in its own words
            pass
        with safe_open(path, framework="numpy") as file:
            header = dict(file.metadata() or {})
            return header, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    except (SafetensorError, TypeError, ValueError, AttributeError, KeyError) as error:
        # The last four are what NumPy makes of numbers that it does not know.
        raise DataError(
            f"{path} is no whole safetensors file of {one_of(_STORED)}: {one_line(error)}"
        ) from None


def _halved(name: str, part: Any) -> Any:
    """Numbers of 16 bits; but a norm's, which are few and of any size, stay as they are."""
    return part if ".norm." in name else part.astype(np.float16)


def _architecture(text: str) -> AnyArchitecture:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    return kinds.read(given)


def _check_parts(sizes: AnyArchitecture, parts: dict[str, Any]) -> None:
    """Every tensor that the sizes ask for, of the right shape, and no other."""
    wanted = kinds.shapes_of(sizes)
    for name, shape in wanted.items():
        if name not in parts:
            raise DataError(f"the tensor {name} of shape {shape} is missing")
        if parts[name].shape != shape:
            raise DataError(f"the tensor {name} has shape {parts[name].shape} instead of {shape}")
        if parts[name].dtype.name not in _STORED:
            kind = parts[name].dtype.name
            raise DataError(f"the tensor {name} is of {kind}: want {one_of(_STORED)}")
    for name in parts:
        if name not in wanted:
            raise DataError(f"the tensor {name} has no place in the architecture")


def _need_safetensors() -> None:
    try:
        import safetensors  # noqa: F401
    except ImportError:
        raise PlayproofError(
            "nets need the package safetensors: pip install 'playproof[learn]'"
        ) from None
