"""What the commands about proofs share: options, printed events, results."""

__all__ = ["events", "options", "own_statements", "results"]
