"""Monte Carlo tree search: one search for agents, self-play, matches and papers.

``TreeSearch`` grows one tree for each of many games by ``SearchConfig``; a ``LeafEvaluator``
values leaves, and ``simulate`` keeps several searches in flight.  A simulation's phases are
``select``, ``expand`` and ``backup``, each a file of compiled functions for one tree, which
``kernels`` runs over all trees; the root policies are ``gumbel`` and ``dirichlet``.  Nothing
here knows a game or a network: games come as kernels, networks as evaluators.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
