"""Write the tables of docs/lab*.md from the structs and routes that they describe::

    python tools/lab_tables.py

A table is between ``<!-- table: NAME WORDS -->`` and ``<!-- end -->``.  NAME is ``messages`` (of
clients), ``errors`` (the codes of refusals) or ``routes``, those that begin with one of the words.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from starlette.routing import Route

from playproof.web.http.openapi import TWIN
from playproof.web.http.operations import operation_of
from playproof.web.protocol import requests
from playproof.web.protocol.explain import field_names
from playproof.web.protocol.refusal import MEANINGS, STATUS
from playproof.web.server import make_app

DOCS = Path(__file__).resolve().parents[1] / "docs"
_BLOCK = re.compile(r"(<!-- table: ([^>]*) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """The pages with tables."""
    return [path for path in sorted(DOCS.rglob("*.md")) if _BLOCK.search(path.read_text("utf-8"))]


def with_tables(text: str) -> str:
    """The text of a page with its tables written again."""
    return _BLOCK.sub(lambda block: block[1] + _table(block[2]) + block[3], text)


def _table(request: str) -> str:
    name, *words = request.split()
    match name:
        case "messages":
            return _rows(("message", "fields", "does"), _messages())
        case "errors":
            return _rows(("code", "status", "means"), _errors())
        case "routes":
            return _rows(("request", "gives"), _routes(words))
    raise SystemExit(f"there is no table {name!r}: want messages, errors or routes")


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(line) + " |\n" for line in (head, *rows)]
    return "".join([lines[0], "|" + "---|" * len(head) + "\n", *lines[1:]])


def _messages() -> Iterable[Sequence[str]]:
    for name, kind in requests.BY_TYPE.items():
        fields = [f"`{one}`" for one in field_names(kind) if one != "id" or kind is requests.Join]
        yield f"`{name}`", ", ".join(fields), _prose(kind)


def _errors() -> Iterable[Sequence[str]]:
    for code, meaning in MEANINGS.items():
        statuses = {STATUS[code], STATUS["large"]} if code == "limit" else {STATUS[code]}
        yield f"`{code}`", ", ".join(map(str, sorted(statuses))), meaning


def _routes(words: Sequence[str]) -> Iterable[Sequence[str]]:
    for route in all_routes():
        path = plain_path(route.path)
        if re.split(r"[/.]", path.removeprefix("/api/"))[0] not in words:
            continue
        operation = operation_of(route.endpoint)
        query = "?" + "&".join(f"{name}=" for name in operation.query) if operation.query else ""
        for method in sorted((route.methods or set()) - {"HEAD"}):
            fields = field_names(operation.body) if operation.body else ()
            body = " `{" + ", ".join(f'"{name}"' for name in fields) + "}`" if fields else ""
            if path == TWIN or operation.body is requests.New:
                body = ""  # the table of messages has them
            yield f"`{method} {path}{query}`{body}", _prose(route.endpoint)


def all_routes() -> list[Route]:
    """Every route below /api/."""
    with tempfile.TemporaryDirectory() as folder:
        routes = make_app(Path(folder)).routes
    return [one for one in routes if isinstance(one, Route) and one.path.startswith("/api/")]


def plain_path(path: str) -> str:
    """A path without the types of its parameters."""
    return re.sub(r"{(\w+):\w+}", r"{\1}", path)


def _prose(documented: object) -> str:
    return " ".join((documented.__doc__ or "").split()).replace("|", "\\|").replace("``", "`")


def main() -> None:
    for path in pages():
        path.write_text(with_tables(path.read_text("utf-8")), "utf-8")
        print(path.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
