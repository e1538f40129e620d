"""The client of the Go Text Protocol: sends a command and reads the response."""

from __future__ import annotations

import time

from playproof.agents.engines.process import EngineFailure, EngineProcess, short

__all__ = ["EngineFailure", "EngineRefusal", "GtpEngine", "short"]

_MAX_RESPONSE = 1 << 20  # bytes, more than any position needs


class EngineRefusal(EngineFailure):
    """The engine answered a command with an error, and keeps running."""


class GtpEngine(EngineProcess):
    """An engine that speaks GTP.  ``request("genmove b")`` is its response.

    An engine that takes longer than ``limit`` seconds is an EngineFailure.
    """

    _number = 0

    def request(self, line: str, limit: float | None = None) -> str:
        """The text of the response to one command."""
        limit = self.limit if limit is None else limit
        deadline = time.monotonic() + limit
        self._number += 1
        self.send(f"{self._number} {line}", line)
        while True:
            sign, number, text = self._response(line, limit, deadline)
            if number in ("", str(self._number)):
                break  # an older number is a response that came too late
        if sign == "?":
            raise EngineRefusal(
                f"{self.name} refused '{line}': {short(text) or 'without a reason'}"
            )
        return text

    def _response(self, line: str, limit: float, deadline: float) -> tuple[str, str, str]:
        """(sign, number, text) of the next response; other output is skipped."""
        while True:
            end = self.buffer.find(b"\n\n")
            if end >= 0:
                block = self.buffer[:end].decode(errors="replace")
                self.buffer = self.buffer[end + 2 :]
                lines = block.split("\n")
                while lines and lines[0][:1] not in ("=", "?"):
                    lines.pop(0)
                if lines:
                    head, _, rest = lines[0][1:].partition(" ")
                    if head and not head.isdecimal():
                        head, rest = "", lines[0][1:]
                    return lines[0][0], head, "\n".join([rest, *lines[1:]]).strip()
                continue
            self.wait(line, limit, deadline)
            if len(self.buffer) > _MAX_RESPONSE:
                self.close()
                raise EngineFailure(f"{self.name} answered '{line}' without end and was ended")
