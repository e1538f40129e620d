"""The frame every game lives in: Game, State, Batch, the registry, and the
algorithms that are compiled once and work for all games."""
