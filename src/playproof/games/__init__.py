"""The games: one package each, built on the rules in ``playproof.rules``.

In each package, ``game`` is the class that the registry makes: options, move names, positions
as text, Views. ``kernels`` is the compiled part, imported only on first use. Games know the core
and the rules, and nothing that plays or draws them.
"""

__all__ = ["chess", "choko", "go", "othello", "quantum_go", "square_symmetries"]
