"""The commands, one module each; ``cli/main.py`` imports a module when its command is called."""

__all__ = ["train"]
