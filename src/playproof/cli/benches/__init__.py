"""The benchmarks of ``playproof bench``, each against a peer in the same run.  Only that command
uses them."""

__all__: list[str] = []
