"""The devices that solve tables, by name; each is imported when it is asked for."""

from __future__ import annotations

from playproof.core.errors import PlayproofError, UsageError
from playproof.tables.choko.solve import Device


def open_device(name: str) -> Device:
    """The device of this name."""
    if name == "cpu":
        from playproof.tables.choko.cpu import Cpu

        return Cpu()
    if name == "cuda":
        try:
            from playproof.tables.choko.cuda import Cuda
        except ImportError as error:
            raise PlayproofError(
                f"CUDA cannot be used here ({error}): install numba-cuda, or use --device cpu"
            ) from None
        return Cuda()
    raise UsageError(f"--device {name}: want cpu or cuda")
