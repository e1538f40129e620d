"""The agent ``net``: a network's policy, without any search.

The value is the network's own, from -1 to 1.  The same networks guide searches:
``pgts:net=NAME``, ``mcts:net=NAME``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport, OnProgress
from playproof.agents.identity import FileOption, digest_of
from playproof.agents.limits import Limits
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag
    from playproof.nets.files import Net
    from playproof.search.evaluators import Evaluator


_LINE_PLIES = 7  # length of the expected line after a move


def net_digest(name: str, game: Game) -> str:
    """The digest of everything that decides how a network plays, but not of how it was trained."""
    from playproof.nets import architectures, shipped

    net = shipped.find(name, game)
    sizes = json.dumps(architectures.to_json(net.architecture), sort_keys=True)
    texts = (sizes, net.observation, repr(net.win))
    return digest_of(net.weights.tobytes(), *(text.encode() for text in texts))


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
    """The network that an option of the agent ``owner`` names; it must be for ``game``."""
    from playproof.nets import shipped

    try:
        return shipped.find(name, game)
    except PlayproofError as error:
        raise type(error)(f"{owner}: {error}") from None


def net_evaluator(owner: str, game: Game, name: str, device: str = "cpu") -> Evaluator:
    """An evaluator for searches, by the network that an option of the agent ``owner`` names."""
    net = find_net(owner, game, name)
    from playproof.nets.evaluators.network import evaluator

    return evaluator(net, game, device=device)


def custom_evaluator(owner: str, game: Game, custom: object, name: str) -> Evaluator:
    """The evaluator for a Python object that was passed in place of a named network."""
    if name:
        raise UsageError(f"{owner}: net=... and an evaluator: one of them is enough")
    from playproof.nets.evaluators.network import as_evaluator

    return as_evaluator(custom, game)


def spec_with_evaluator(spec: str, custom: object | None) -> str:
    """The spec, marked if a Python object evaluates: no name leads to that agent again."""
    if custom is None:
        return spec
    return f"{spec} by {getattr(custom, '__qualname__', type(custom).__qualname__)}"


class NetAgent(Agent):
    name = "net"
    summary = "a network's policy, without search: net:NAME or net:PATH"
    first_word = "net"
    option_fields = (
        NET,
        Option("greedy", False, "the likeliest move, not one drawn by its probability"),
        Option("temperature", 1.0, "below 1 likely moves become likelier", minimum=0.01),
        DEVICE,
    )

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        super().__init__(game, seed=seed, **options)
        name = self.options["net"]
        if not name:
            raise UsageError(
                "net: name one, as in net:PATH (playproof nets lists the shipped ones)"
            )
        self.net = find_net(self.name, game, name)
        from playproof.nets.architectures import forward

        self._forward = forward(self.net, device=self.options["device"])

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        """Moves are reported only if ``limits`` ask for lines or priors: it takes time."""
        from playproof.nets.evaluators.network import for_first_player
        from playproof.nets.forward.mlp import choose_actions, softmax

        legal = batch.legal_lists()
        logits, own = self._forward.logits(batch.observe(self.net.observation), legal)
        policy = softmax(legal, logits, temperature=self.options["temperature"])
        greedy = self.options["greedy"]
        # Rounding can make two probabilities equal, but never their logits.
        weights = logits if greedy else policy
        actions = choose_actions(legal, weights, batch.words(self.seed), greedy=greedy).tolist()
        values = for_first_player(batch, own, self.net.win).tolist()
        decisions = []
        for row, (action, value) in enumerate(zip(actions, values, strict=True)):
            moves: tuple[MoveReport, ...] = ()
            line: tuple[int, ...] = (action,)
            if limits.lines > 1 or limits.priors:
                priors = policy[legal.offsets[row] : legal.offsets[row + 1]]
                moves = self._reports(batch[row], legal.of(row), priors, limits.lines)
                line = next((m.line for m in moves if m.action == action and m.line), line)
            decisions.append(Decision(action, value, line, moves=moves))
        return decisions

    def _reports(
        self,
        state: State,
        actions: npt.NDArray[np.int32],
        priors: npt.NDArray[np.float32],
        lines: int,
    ) -> tuple[MoveReport, ...]:
        """All moves, the likeliest first.

        The first ``lines`` of them also have the network's value of the position after the move,
        and the play that it finds likeliest from there.
        """
        import numpy as np

        order = np.argsort(-priors, kind="stable")
        first = [int(actions[i]) for i in order[: lines if lines > 1 else 0]]
        ahead = dict(zip(first, self._follow([state.apply(a) for a in first]), strict=True))
        reports = []
        for i in order:
            action, prior = int(actions[i]), float(priors[i])
            value, line = ahead.get(action, (None, None))
            path = () if line is None else (action, *line)
            reports.append(MoveReport(action, value, prior=prior, line=path))
        return tuple(reports)

    def _follow(self, states: list[State]) -> list[tuple[float, tuple[int, ...]]]:
        """The network's value of each position (the result if the game is over), and its likeliest
        moves from there."""
        from playproof.core.batch import Batch
        from playproof.nets.evaluators.network import for_first_player
        from playproof.nets.forward.mlp import choose_actions

        values = [float(state.outcome or 0) for state in states]
        lines: list[list[int]] = [[] for _ in states]
        for ply in range(_LINE_PLIES):
            rows = [
                row
                for row, state in enumerate(states)
                if not (state.is_terminal or state.is_chance) and len(lines[row]) == ply
            ]
            if not rows:
                break
            batch = Batch.of([states[row] for row in rows])
            legal = batch.legal_lists()
            logits, own = self._forward.logits(batch.observe(self.net.observation), legal)
            if ply == 0:
                for row, value in zip(
                    rows, for_first_player(batch, own, self.net.win), strict=True
                ):
                    values[row] = float(value)
            best = choose_actions(legal, logits, batch.words(self.seed), greedy=True).tolist()
            for row, action in zip(rows, best, strict=True):
                lines[row].append(action)
                states[row] = states[row].apply(action)
        return [(value, tuple(line)) for value, line in zip(values, lines, strict=True)]
