"""Networks as evaluators of batches of positions.

:func:`evaluator` is for networks of Playproof, :func:`network_evaluator` for any other network.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import UsageError
from playproof.core.kernels import CHANCE
from playproof.nets.architectures import forward
from playproof.nets.files import Net
from playproof.search.evaluators import (
    Evaluation,
    Evaluator,
    as_numbers,
    legal_entries,
    read_pair,
    read_values,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    from playproof.core.batch import Batch, LegalLists
    from playproof.core.game import Game

# Observations (n, *shape) to logits (n, num_actions) and the movers' values (n,).
Predict = Callable[["npt.NDArray[np.float32]"], tuple[Any, Any]]


def evaluator(net: Net, game: Game, *, device: str = "cpu") -> Evaluator:
    """An evaluator by a network: its softmax over legal actions, and its values.

    ``device`` is cpu, cuda or auto. A GPU computes in 16 bits.
    """
    net.check(game)
    network = forward(net, device=device, half=True)

    def evaluate(batch: Batch, legal: LegalLists) -> Evaluation:
        priors, values = network.policy(batch.observe(net.observation), legal)
        return Evaluation(priors, for_first_player(batch, values, net.win))

    return evaluate


def for_first_player(
    batch: Batch, values: npt.NDArray[np.floating[Any]], win: float
) -> npt.NDArray[np.float64]:
    """Values from the movers' sides, converted to the first player's side and divided by ``win``.

    The result is clipped to -1 ... 1, because intermediate rewards may take the returns that a
    linear head learns beyond those of a win or a loss. At chance nodes, on which no network is
    trained, the value is 0.
    """
    players = batch.players()
    signs = np.where(players == CHANCE, 0.0, np.where(players == 1, -1.0, 1.0))
    return np.clip(values.astype(np.float64) / win, -1.0, 1.0) * signs


def network_evaluator(
    network: Predict | torch.nn.Module, *, observation: str | None = None
) -> Evaluator:
    """Any network as an evaluator: a function of arrays, or a PyTorch module.

    Its input are observations of positions, (n, *shape) float32, of the kind that ``observation``
    names, or the game's first kind if None. It returns a pair: logits of all actions,
    (n, num_actions), and values, (n,) or (n, 1), from -1 to 1. The softmax of the logits over legal
    actions gives the priors. Both are from the side of the player to move, as observations are.

    A module gets a tensor on its own device and of its own float type. It is called in eval mode
    under ``torch.no_grad``, and is left in the mode in which it was.

    >>> import numpy as np, playproof
    >>> def network(observations):
    ...     n = len(observations)
    ...     return np.zeros((n, 65)), np.zeros(n)  # every move alike, nobody ahead
    >>> evaluator = playproof.network_evaluator(network)
    >>> agent = playproof.make_agent("mcts:simulations=20", "othello", evaluator=evaluator)
    >>> agent.decide(playproof.make("othello").start()).value
    0.0
    """
    if isinstance(network, type) or not callable(network):
        raise UsageError(
            f"network_evaluator({_describe_argument(network)}): want a module of PyTorch, or a "
            "function of observations"
        )
    predict: Predict = _module_predict(network) if _is_module(network) else network

    def evaluate(batch: Batch, legal: LegalLists) -> Evaluation:
        logits, own = read_pair(predict(batch.observe(observation)), "(logits, values)")
        values = read_values(own, len(batch), "the mover loses", "the mover wins")
        return Evaluation(
            _legal_softmax(logits, batch, legal), for_first_player(batch, values, 1.0)
        )

    return evaluate


def as_evaluator(argument: object, game: Game) -> Evaluator:
    """An evaluator from an agent's ``evaluator`` argument.

    The argument may be an evaluator, a PyTorch module or a Net.
    """
    if isinstance(argument, Net):
        return evaluator(argument, game)
    if _is_module(argument):
        return network_evaluator(argument)  # type: ignore[arg-type]
    if callable(argument) and not isinstance(argument, type) and _takes_two(argument):
        return argument  # type: ignore[no-any-return]
    raise UsageError(
        f"evaluator={_describe_argument(argument)}: want a function of (batch, legal), a module of "
        "PyTorch, or network_evaluator(...) of a function of observations"
    )


def _describe_argument(argument: object) -> str:
    """A short description of an argument, for an error line."""
    if isinstance(argument, type):
        return f"{argument.__name__}, a class and not an object of it ({argument.__name__}())"
    if isinstance(argument, Mapping):
        return f"a {type(argument).__name__}"
    return getattr(argument, "__name__", None) or f"{argument!r:.40} ({type(argument).__name__})"


def _legal_softmax(raw: object, batch: Batch, legal: LegalLists) -> npt.NDArray[np.float32]:
    """The softmax over legal actions of logits of all actions, which are checked."""
    from playproof.nets.forward.mlp import softmax

    dense, shape = as_numbers(raw, "logits"), (len(batch), batch.game.num_actions)
    if dense.shape != shape:
        raise UsageError(
            f"the evaluator's logits have shape {dense.shape}: want {shape}, "
            f"one for each action of {batch.game.spec}"
        )
    logits = np.ascontiguousarray(legal_entries(dense, legal), np.float32)
    wrong = np.isnan(logits) | (logits == np.inf)  # -inf is an action that is never played
    if wrong.any():
        first = int(np.argmax(wrong))
        row = int(np.searchsorted(legal.offsets, first, side="right")) - 1
        raise UsageError(
            f"the evaluator's logits have {logits[first]} in row {row}: want finite numbers, "
            "or -inf for a move that is never played"
        )
    most = np.maximum.reduceat(logits, legal.offsets[:-1])
    if (most == -np.inf).any():
        raise UsageError(
            f"the evaluator's logits of row {int(np.argmin(most))} are all -inf for legal "
            "actions: want one of them finite"
        )
    return softmax(legal, logits)


def _module_predict(module: Any) -> Predict:
    import torch

    def predict(observations: npt.NDArray[np.float32]) -> tuple[Any, Any]:
        parameter = next(module.parameters(), None)
        inputs = torch.from_numpy(observations)
        if parameter is not None:
            dtype = parameter.dtype if parameter.is_floating_point() else inputs.dtype
            inputs = inputs.to(parameter.device, dtype)
        with torch.no_grad(), _eval_mode(module):
            return module(inputs)  # type: ignore[no-any-return]

    return predict


@contextmanager
def _eval_mode(module: Any) -> Iterator[None]:
    """Put a module and its submodules into eval mode, and restore the mode of each afterwards."""
    training = [part for part in module.modules() if part.training]
    for part in training:
        part.training = False
    try:
        yield
    finally:
        for part in training:
            part.training = True


def _is_module(value: object) -> bool:
    """Whether a value is a PyTorch module; if it is, PyTorch has been imported already."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _takes_two(function: Callable[..., object]) -> bool:
    """Whether a function can be called with two arguments."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # compiled functions may have no signature
        return True
    return True
