"""The networks that come with the package: each has a name, a file and a card."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.core.errors import DataError, UsageError, one_of
from playproof.core.registry import resolve_game
from playproof.nets import run_nets
from playproof.nets.files import Net, load

if TYPE_CHECKING:
    from playproof.core.game import Game

FOLDER = Path(__file__).resolve().parent / "weights"
SUFFIX = ".safetensors"
_STRENGTH = "Strength:"


def names() -> list[str]:
    """The shipped networks, sorted."""
    return sorted(file.stem for file in FOLDER.glob(f"*{SUFFIX}"))


def find(name_or_path: str, game: Game | None = None) -> Net:
    """A shipped network by its name, or any other by the path of its file.

    It is refused if it does not fit ``game``. A name takes precedence over a file of the same name,
    which can be written as ``./NAME``. ``run/NAME`` is the network of a training run in the data
    folder (``run_nets``).
    """
    shipped = names()
    if name_or_path in shipped:
        return load(FOLDER / f"{name_or_path}{SUFFIX}", game)
    if name_or_path.startswith(run_nets.PREFIX) and not name_or_path.endswith(SUFFIX):
        return load(run_nets.file_of(name_or_path), game)
    path = Path(name_or_path).expanduser()
    if path.is_file() or name_or_path.endswith(SUFFIX):
        return load(path, game)
    near = get_close_matches(name_or_path, shipped, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    choices = one_of(shipped) if shipped else "none"
    raise UsageError(
        f"there is no net {name_or_path!r}{hint} (shipped: {choices}; or the path of a {SUFFIX} "
        "file)"
    )


def load_net(name_or_path: str, game: Game | str | None = None) -> Net:
    """A network by its name, by the path of its file, or as ``run/NAME`` of a training run.

    ``playproof nets`` lists the names of those that come with the package. A network that does not
    fit ``game`` is refused.

    >>> import playproof
    >>> net = playproof.load_net("choko-ppo-v3")
    >>> net.game, net.architecture.parameters
    ('choko', 180738)
    """
    return find(name_or_path, resolve_game(game) if isinstance(game, str) else game)


def card(name: str) -> str:
    """The card of a shipped network, as Markdown; its first line is a summary."""
    try:
        return (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"the card of {name} cannot be read: {error.strerror}") from None


def strength(name: str) -> str:
    """The line of a card that states the network's strength."""
    for line in card(name).splitlines():
        if line.startswith(_STRENGTH):
            return line.removeprefix(_STRENGTH).strip()
    raise DataError(f"the card of {name} has no strength: want a line {_STRENGTH} ...")
