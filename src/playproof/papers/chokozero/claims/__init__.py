"""The claims that the ChokoZero paper states in words (section 4.3), each with a measurement, an
interval and a verdict.

``assess`` measures all of them.  ``placements``, ``captures``, ``dangers``, ``skirmishes``,
``searches`` and ``critic`` have one group of claims each.
"""

__all__ = ["assess", "nets", "results"]
