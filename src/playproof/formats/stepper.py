"""A whole game in a notebook: a picture for every ply, and buttons to step through them.

It is HTML and CSS only, so it works in notebooks that run no scripts, and it needs
no other file.  The plies are radio buttons, so the arrow keys work too.  Elements
that several pictures share are drawn once and referenced.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from playproof.core.state import State
from playproof.formats.svg.drawing import render
from playproof.formats.svg.writer import escape

_MIN_SHARED = 60  # characters; a reference to a shorter element would save nothing


def stepper(last: State, *, at: int | None = None) -> str:
    """The game that led to ``last`` as HTML, open at ply ``at``, by default at the end."""
    states = [last.start]
    for action in last.actions:
        states.append(states[-1].apply(action))
    names = ["start", *last.moves]
    chosen = len(states) - 1 if at is None else max(0, min(at, len(states) - 1))
    pictures = [render(state.view()) for state in states]
    key = "pp" + hashlib.sha256("".join(pictures).encode()).hexdigest()[:10]
    shared, frames = _share(pictures, key)
    parts = [f'<div class="{key}">', _style(key, len(frames)), shared]
    for ply in range(len(frames)):
        label = escape(f"ply {ply}: {names[ply]}")
        checked = " checked" if ply == chosen else ""
        parts.append(
            f'<input type="radio" name="{key}" id="{key}-{ply}" aria-label="{label}"{checked}>'
        )
    for ply, frame in enumerate(frames):
        parts.append(f'<figure class="f{ply}">{frame}{_caption(key, ply, names)}</figure>')
    return "\n".join([*parts, "</div>"])


def _share(pictures: Sequence[str], key: str) -> tuple[str, list[str]]:
    """The definitions of elements that several pictures have, and the pictures that refer to
    them."""
    split = [picture.splitlines() for picture in pictures]
    counts = Counter(line for lines in split for line in set(lines[2:-1]))
    common = [line for line, count in counts.items() if count > 1 and len(line) > _MIN_SHARED]
    numbers = {line: number for number, line in enumerate(common)}
    definitions = "".join(f'<g id="{key}d{number}">{line}</g>' for line, number in numbers.items())
    # Not display:none, with which some browsers do not draw the references either.
    hidden = 'width="0" height="0" style="position:absolute" aria-hidden="true"'
    frames = [
        "\n".join(
            f'<use href="#{key}d{numbers[line]}"/>' if line in numbers else line for line in lines
        )
        for lines in split
    ]
    return f"<svg {hidden}><defs>{definitions}</defs></svg>", frames


def _style(key: str, plies: int) -> str:
    selectors = ",".join(f"#{key}-{ply}:checked~.f{ply}" for ply in range(plies))
    return (
        f"<style>.{key}{{position:relative;max-width:480px}}.{key}>figure{{display:none;margin:0}}"
        f"{selectors}{{display:block}}.{key}>input{{position:absolute;opacity:0;width:1px}}"
        f".{key} figcaption{{display:flex;gap:8px;align-items:center}}"
        f".{key} label{{cursor:pointer;padding:4px 12px;border:1px solid;border-radius:6px}}"
        f".{key}:focus-within{{outline:2px solid #0b6cb8}}</style>"
    )


def _caption(key: str, ply: int, names: Sequence[str]) -> str:
    """The buttons below a picture, and its ply."""
    last = len(names) - 1
    targets = (
        ("First", 0),
        ("Back", max(0, ply - 1)),
        ("Next", min(last, ply + 1)),
        ("Last", last),
    )
    labels = "".join(f'<label for="{key}-{to}">{word}</label>' for word, to in targets)
    return f"<figcaption>{labels} <span>{ply} of {last}: {escape(names[ply])}</span></figcaption>"
