"""Small things to try the laboratory on: a game solvable by hand, and a solver without tricks."""
