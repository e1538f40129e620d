"""``python -m playproof``."""

from playproof.cli.main import script

script()
