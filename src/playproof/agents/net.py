"""``net``: a network's policy, without any search.

The value is the network's own, from -1 to 1.  The same networks guide searches:
``pgts:net=NAME``, ``mcts:net=NAME``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.identity import FileOption, digest_of
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.nets.files import Net
    from playproof.search.evaluators import Evaluator


def net_digest(name: str, game: Game) -> str:
    """Of all that decides how a network plays; what trained it is not in it."""
    from playproof.nets import kinds, shipped

    net = shipped.find(name, game)
    sizes = json.dumps(kinds.told(net.architecture), sort_keys=True)
    facts = (sizes, net.observation, repr(net.win))
    return digest_of(net.weights.tobytes(), *(fact.encode() for fact in facts))


NET = FileOption(
    "net", "", "a network: the name of a shipped one, or a .safetensors file", digest=net_digest
)
DEVICE = Option(
    "device",
    "cpu",
    "where a residual network computes; auto is a GPU where there is one",
    choices=("cpu", "cuda", "auto"),
)


def find_net(owner: str, game: Game, name: str) -> Net:
    """The network that an option names, if it is one of ``game``."""
    from playproof.nets import shipped

    try:
        return shipped.find(name, game)
    except PlayproofError as error:
        raise type(error)(f"{owner}: {error}") from None


def net_evaluator(owner: str, game: Game, name: str, device: str = "cpu") -> Evaluator:
    """The same, for a search."""
    net = find_net(owner, game, name)
    from playproof.nets.evaluator import evaluator

    return evaluator(net, game, device=device)


def own_evaluator(owner: str, game: Game, given: object, name: str) -> Evaluator:
    """What a search was given in Python to judge positions with, instead of a named network."""
    if name:
        raise UsageError(f"{owner}: net=... and an evaluator: one of them is enough")
    from playproof.nets.evaluator import as_evaluator

    return as_evaluator(given, game)


def judged_by(spec: str, given: object | None) -> str:
    """A spec that says so where a Python object judges: nobody can make that agent by name."""
    if given is None:
        return spec
    return f"{spec} by {getattr(given, '__qualname__', type(given).__qualname__)}"


class NetAgent(Agent):
    name = "net"
    summary = "a network's policy, without search: net:NAME or net:PATH"
    first_word = "net"
    option_fields = (
        NET,
        Option("greedy", False, "the likeliest move instead of one drawn by its probability"),
        Option("temperature", 1.0, "below 1 likely moves become likelier", minimum=0.01),
        DEVICE,
    )

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        super().__init__(game, seed=seed, **options)
        name = self.options["net"]
        if not name:
            raise UsageError("net: name one, as in net:PATH (playproof nets lists those by name)")
        self.net = find_net(self.name, game, name)
        from playproof.nets.kinds import forward

        self._forward = forward(self.net, device=self.options["device"])

    def choose(self, batch: Batch) -> list[Decision]:
        return self._choose(batch, reports=False)

    def analyse(self, state: State, *, seed: int = 0) -> Decision:
        from playproof.core.batch import Batch

        return self._choose(Batch.of([state], seed=seed), reports=True)[0]

    def _choose(self, batch: Batch, *, reports: bool) -> list[Decision]:
        """Reports of all moves are for a person: a batch of thousands goes without."""
        import numpy as np

        from playproof.nets.evaluator import for_first_player
        from playproof.nets.forward import choices, softmax

        legal = batch.legal_lists()
        logits, own = self._forward.logits(batch.observe(self.net.observation), legal)
        policy = softmax(legal, logits, temperature=self.options["temperature"])
        greedy = self.options["greedy"]
        # Rounding can make equals of two probabilities, never of their logits.
        weights = logits if greedy else policy
        actions = choices(legal, weights, batch.words(self.seed), greedy=greedy).tolist()
        values = for_first_player(batch, own, self.net.win).tolist()
        found = []
        for row, (action, value) in enumerate(zip(actions, values, strict=True)):
            moves: tuple[MoveReport, ...] = ()
            if reports:
                mine, priors = legal.of(row), policy[legal.offsets[row] : legal.offsets[row + 1]]
                order = np.argsort(-priors, kind="stable")
                moves = tuple(MoveReport(int(mine[i]), prior=float(priors[i])) for i in order)
            found.append(Decision(action, value, (action,), moves=moves))
        return found
