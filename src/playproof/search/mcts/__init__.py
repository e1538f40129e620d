"""Monte Carlo tree search: one search for agents, self-play, matches and papers.

``TreeSearch`` grows one tree for each of many games, as a ``SearchConfig`` says. A
``LeafEvaluator`` evaluates leaves, and ``simulate`` keeps several searches in flight. The phases
of a simulation are ``select``, ``expand`` and ``backup``, each a file of compiled functions for
one tree, which ``kernels`` runs over all trees. The root policies are ``gumbel`` and ``dirichlet``.
No module here knows a game or a network: games come as kernels, networks as evaluators.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
