"""The arena: matches that mean something, whatever the agents do."""
