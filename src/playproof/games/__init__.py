"""Games made usable: kernels, move names, observations, symmetries, Views.

A game is two modules: ``NAME.py`` is what people and programs talk to,
``NAME_kernels.py`` what is compiled, and is imported on first use only.
"""

__all__ = ["chess", "choko", "go", "othello", "quantum_go", "square_symmetries"]
