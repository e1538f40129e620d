"""The forward pass of networks, for legal actions alone.

``mlp`` is compiled, ``resnet`` runs in PyTorch.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
