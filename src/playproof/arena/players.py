"""The players of a match or a tournament, from what names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from playproof.agents import registry as agents
from playproof.arena.referee import Player
from playproof.core.errors import UsageError
from playproof.core.game import Game


def describe(specs: Sequence[str], game: Game) -> tuple[Player, ...]:
    """The players, each with a name and a key of its own; their seeds are still to come."""
    if len(specs) < 2:
        raise UsageError(f"{len(specs)} players cannot meet: name two or more")
    settled = [_settled(text) for text in specs]
    identities = [agents.identity(text, game) for text in settled]
    labels = _numbered(settled)
    # The same content is the same player at any path, down to what it draws.
    keys = _numbered([identity.text for identity in identities])
    return tuple(
        Player(label, spec, 0, key, identity.digests)
        for label, spec, key, identity in zip(labels, settled, keys, identities, strict=True)
    )


def _settled(text: str) -> str:
    spec = agents.settled_spec(text)
    if agents.find(spec.partition(":")[0]).interactive:
        raise UsageError(f"{spec} plays in 'playproof play', not in matches: name an agent")
    return spec


def _numbered(names: Sequence[str]) -> list[str]:
    """Names that are all different: numbered where one plays several times."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in names:
        counts[name] += 1
        numbered.append(f"{name} ({counts[name]})" if counts[name] > 1 else name)
    return numbered
