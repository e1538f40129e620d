"""The commands, a module each; ``cli/main.py`` imports one when it is called."""

__all__ = ["train"]
