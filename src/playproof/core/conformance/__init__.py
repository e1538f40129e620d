"""The laws that every game must keep, and the run that tests a game against them.

``playproof.conform(game)`` and ``playproof conform GAME`` test all of them (``run.py``).  A law is
a function whose docstring states it, in the module of its subject: ``safety`` (memory), ``play``,
``text``, ``symmetry``, ``batches`` and ``views``.  ``first_use`` tests the kernels of a third
party's game before it is played.
"""

__all__ = ["first_use", "run"]
