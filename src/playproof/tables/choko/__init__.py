"""Exact values of Choko positions, by retrograde analysis.

``slices`` and ``index`` enumerate positions. ``solve`` works backwards over them with ``passes``,
which run on the devices ``cpu`` and ``cuda``; ``devices`` opens them. ``build`` plans the work and
puts the results into a ``store``. ``probe`` reads values back, and ``game`` gives them to searches
by the kernels of ``probe_kernel``. ``probe_server`` holds tables for other processes. ``verify``
and ``cross_check`` check tables; ``report`` has their JSON.
"""

__all__ = [
    "build",
    "cpu",
    "cuda",
    "devices",
    "game",
    "probe",
    "probe_kernel",
    "probe_server",
    "report",
    "slices",
    "solve",
    "store",
    "value_codes",
    "verify",
]
