"""The long checks of ``make verify``."""
