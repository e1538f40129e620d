"""Networks as PyTorch modules, for training and for residual networks' forward pass.

``vectors`` converts between a module and the flat vector of its parameters.
"""

__all__ = ["resnet", "vectors"]
