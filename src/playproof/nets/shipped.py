"""The networks that come with the package, by name: each a file and its card."""

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
    """A shipped network by its name, or any by the path of its file; for ``game``, if given.

    A name goes before a file that is called the same; such a file is found as ``./NAME``.
    ``run/NAME`` is that of a training run in the data folder (``run_nets``).
    """
    known = names()
    if name_or_path in known:
        return load(FOLDER / f"{name_or_path}{SUFFIX}", game)
    if name_or_path.startswith(run_nets.PREFIX) and not name_or_path.endswith(SUFFIX):
        return load(run_nets.file_of(name_or_path), game)
    path = Path(name_or_path).expanduser()
    if path.is_file() or name_or_path.endswith(SUFFIX):
        return load(path, game)
    near = get_close_matches(name_or_path, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    shipped = one_of(known) if known else "none"
    raise UsageError(
        f"there is no net {name_or_path!r}{hint} (shipped: {shipped}; or the path of a {SUFFIX} "
        "file)"
    )


def load_net(name_or_path: str, game: Game | str | None = None) -> Net:
    """A network by its name (``playproof nets`` lists those that come with the package), by the
    path of its file, or ``run/NAME`` of a training run; refused if it does not fit ``game``.

    >>> import playproof
    >>> net = playproof.load_net("choko-ppo-v3")
    >>> net.game, net.architecture.parameters
    ('choko', 180738)
    """
    return find(name_or_path, resolve_game(game) if isinstance(game, str) else game)


def card(name: str) -> str:
    """What there is to know of a shipped network, as Markdown; its first line sums it up."""
    try:
        return (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"the card of {name} cannot be read: {error.strerror}") from None


def strength(name: str) -> str:
    """What the card says of a shipped network's strength, in a line."""
    for line in card(name).splitlines():
        if line.startswith(_STRENGTH):
            return line.removeprefix(_STRENGTH).strip()
    raise DataError(f"the card of {name} does not tell its strength: want a line {_STRENGTH} ...")
