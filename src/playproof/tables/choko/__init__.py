"""Exact values of Choko positions, by retrograde analysis.

``slices`` and ``index`` enumerate positions, ``solve`` works backwards over them with the passes of
``cpu`` or ``cuda``, ``build`` plans and stores the work. ``probe`` reads values back; ``verify``
and ``cross_check`` check them.
"""

__all__ = [
    "build",
    "cpu",
    "cuda",
    "game",
    "notable_positions",
    "probe",
    "probe_kernel",
    "report",
    "slices",
    "solve",
    "store",
    "value_codes",
    "verify",
]
