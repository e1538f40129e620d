"""Long commands that the page starts, and all others, in one list."""
