"""Statistics of game results: what they say about playing strength.

``score`` summarises a match by the likelihood in ``pentanomial``, ``ratings`` rates many players by
the model in ``davidson``, and ``sprt`` decides when to stop a match.  ``crossed`` compares kinds of
players, each of which is a sample of nets; its intervals rest on ``student``.  ``bootstrap`` has
intervals of anything else that is measured in samples.
"""

__all__ = ["bootstrap", "crossed", "pentanomial", "ratings", "score", "sprt", "student"]
