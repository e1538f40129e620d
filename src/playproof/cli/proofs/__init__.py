"""What the commands about proofs share: options, printing of events, positions and results, and the
commands for third-party statements."""

__all__ = ["events", "options", "own_statements", "positions", "results"]
