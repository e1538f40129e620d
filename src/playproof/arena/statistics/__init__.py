"""Statistics of game results: what they say about playing strength.

``score`` summarises a match by the likelihood in ``pentanomial``, ``ratings`` rates many players by
the model in ``davidson``, and ``sprt`` decides when to stop a match.  ``bootstrap`` has intervals
of anything else that is measured in samples.
"""

__all__ = ["bootstrap", "pentanomial", "ratings", "score", "sprt"]
