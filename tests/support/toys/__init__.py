"""Toys for tests: a game that can be solved by hand, and a solver without tricks."""
