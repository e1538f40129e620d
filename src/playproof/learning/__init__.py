"""Learning: algorithms that make networks play better."""
