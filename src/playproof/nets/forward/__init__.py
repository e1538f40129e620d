"""The forward pass of networks, which computes policies for legal actions only.

``mlp`` is compiled by Numba, and ``resnet`` runs in PyTorch.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
