"""Distillation: a residual network learns the exact values of Choko from solved tables.

Read ``learner`` first.  ``truth`` opens or solves the tables, ``positions`` draws positions,
``lessons`` labels them, ``feed`` does both in the background, and ``held_out`` measures a network.
"""

__all__ = ["held_out", "learner", "registration", "settings", "speed", "truth"]
