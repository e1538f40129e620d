"""Refusals: why a request is not carried out, as a code for programs and a line for people."""

from __future__ import annotations

from typing import Literal

LARGEST = 64 * 1024  # bytes of one message
LONGEST_LINE = 300  # characters of an error

Code = Literal["bad", "access", "gone", "stale", "illegal", "turn", "busy", "limit"]

# Status codes of the HTTP twins. Clients see "large" as "limit", with a status of its own.
STATUS = {
    "bad": 400,
    "access": 403,
    "gone": 404,
    "stale": 409,
    "illegal": 409,
    "turn": 409,
    "busy": 409,
    "large": 413,
    "limit": 429,
}

MEANINGS: dict[Code, str] = {
    "bad": "the message is malformed; `msg` says what would be right",
    "access": "the join code or the key is missing, or the game is not shared with you",
    "gone": "there is no such game",
    "stale": "the game has changed in the meantime; `state` beside it is the new one",
    "illegal": "the rules do not allow it, or there is nothing to take back",
    "turn": "it is not your decision, or not what a job's state allows",
    "busy": "the seat is taken, the agent failed, or something cannot be read just now",
    "limit": "too large, too many, too often",
}


class Refusal(Exception):
    """A request that is not carried out; its text is cut to one line."""

    def __init__(self, code: Code | Literal["large"], text: str) -> None:
        line = " ".join(text.split())
        super().__init__(line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 3] + "...")
        self.code = code

    @property
    def status(self) -> int:
        return STATUS[self.code]

    @property
    def public_code(self) -> Code:
        """The code that clients see."""
        return "limit" if self.code == "large" else self.code
