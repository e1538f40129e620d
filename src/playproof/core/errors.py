"""Errors for users: one line each, which says what was wrong and what would be right."""


class PlayproofError(Exception):
    """A mistake outside the program; its message is one line for a person.

    >>> import playproof
    >>> try:
    ...     playproof.make("otello")
    ... except playproof.PlayproofError as error:
    ...     print(error)
    there is no game 'otello'; did you mean othello? (known: ...)
    """

    exit_code = 1


class UsageError(PlayproofError):
    """A name, option or argument that does not exist or does not fit.

    >>> import playproof
    >>> try:
    ...     playproof.make("othello", size=5)
    ... except playproof.UsageError as error:
    ...     print(error)
    othello: size=5 is not 4, 6 or 8
    """

    exit_code = 2


class DataError(PlayproofError):
    """A file, record or position that cannot be read as what it should be.

    >>> import playproof
    >>> try:
    ...     playproof.make("othello").position("no board")
    ... except playproof.DataError as error:
    ...     print(type(error).__name__)
    DataError
    """

    exit_code = 3


class IllegalAction(PlayproofError):
    """A move that the rules do not allow here.

    >>> import playproof
    >>> try:
    ...     playproof.make("othello").start().apply("a1")
    ... except playproof.IllegalAction as error:
    ...     print(error)
    Othello: a1 is not legal here; legal: d3, c4, f5, e6
    """

    exit_code = 4


class UnavailableError(PlayproofError):
    """Something that the work needs, such as a server, is gone.

    An agent that raises it has made no mistake: its match ends, and can be resumed.
    """


def one_line(error: BaseException) -> str:
    """The message of an error on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def one_of(names: list[str] | tuple[str, ...]) -> str:
    """The choices as ``a, b or c``, for the end of an error line."""
    names = list(names)
    if len(names) < 2:
        return "".join(names) or "nothing"
    return ", ".join(names[:-1]) + " or " + names[-1]
