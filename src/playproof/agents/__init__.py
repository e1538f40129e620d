"""Everything that can choose a move, by spec string: ``random``, ``greedy``, ``human``."""
