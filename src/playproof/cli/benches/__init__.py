"""What ``playproof bench`` measures: always beside a peer, in the same run."""

__all__: list[str] = []
