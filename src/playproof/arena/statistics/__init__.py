"""What results of games say about strength.

``score`` summarises a match; ``pentanomial``, ``davidson`` and ``ratings`` are its models; ``sprt``
decides when to stop.
"""

__all__ = ["pentanomial", "ratings", "score", "sprt"]
