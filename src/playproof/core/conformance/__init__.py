"""The laws that every game keeps, and the run that holds a game to them.

``playproof.conform(game)`` and ``playproof conform GAME`` run all of them (``run.py``).  A law is a
function with one sentence, in the module of its subject: ``guards`` (memory), ``play``, ``text``,
``symmetry``, ``batches``, ``views``.  ``first_use`` tries the kernels of a game that does not come
with the house before it is played.
"""

__all__ = ["first_use", "run"]
