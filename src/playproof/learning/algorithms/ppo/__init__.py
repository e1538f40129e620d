"""Proximal policy optimisation (Schulman et al., 2017) by self-play.

Read ``learner`` first: it alternates ``rollout`` and ``update``. The update exists three times:
compiled (``kernels``), on a GPU (``cuda_update``), and in plain PyTorch to check both
(``torch_update``).
"""

__all__ = ["registration", "torch_update", "update"]
