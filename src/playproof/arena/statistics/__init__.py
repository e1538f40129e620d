"""Statistics of game results: what they say about playing strength.

``score`` summarises a match by the likelihood in ``pentanomial``, ``ratings`` rates many players by
the model in ``davidson``, and ``sprt`` decides when to stop a match.
"""

__all__ = ["pentanomial", "ratings", "score", "sprt"]
