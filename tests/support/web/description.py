"""What ``/api/openapi.json`` promises, held against every answer that a lab gives in tests."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

import jsonschema

Judge = Any  # a validator of jsonschema


class Description:
    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        # The path that says most of itself comes first: /api/games/{id}.svg before /api/games/{id}.
        paths = sorted(document["paths"], key=lambda path: -len(re.sub(r"{\w+}", "", path)))
        self._paths = [(re.compile(_pattern(path)), path) for path in paths]
        self._judges: dict[tuple[str, str, int], Judge] = {}

    def check(self, method: str, path: str, status: int, media: str, content: bytes) -> None:
        """An AssertionError, unless an answer is as described."""
        found = next((known for pattern, known in self._paths if pattern.fullmatch(path)), None)
        told = self.document["paths"].get(found, {}).get(method.lower())
        if told is None:
            assert status in (403, 404, 405, 429), f"{method} {path} is not described: {status}"
            return
        assert str(status) in told["responses"], f"{method} {path}: {status} is not described"
        [(kind, _)] = told["responses"][str(status)]["content"].items()
        if status == 200:
            assert media.split(";")[0] == kind or kind == "*/*", f"{method} {path} is {media}"
        if status == 403 and media.startswith("text/plain"):
            return  # another site's page, or another name of the server: no route was asked
        if kind == "application/json":
            judge = self._judge(str(found), method, status)
            wrong = next(judge.iter_errors(json.loads(content)), None)
            assert wrong is None, f"{method} {path}: {wrong.message[:500]} at {list(wrong.path)}"

    def _judge(self, path: str, method: str, status: int) -> Judge:
        key = (path, method.lower(), status)
        if key not in self._judges:
            told = self.document["paths"][path][key[1]]["responses"][str(status)]
            [content] = told["content"].values()
            schema = {**content["schema"], "components": self.document["components"]}
            self._judges[key] = jsonschema.Draft202012Validator(schema)
        return self._judges[key]


@functools.cache
def description(text: str) -> Description:
    """The same description again is the same object, so that its judges are made once."""
    return Description(json.loads(text))


def _pattern(path: str) -> str:
    parts = re.split(r"({\w+})", path)
    return "".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts)
