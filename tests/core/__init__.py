"""The frame itself: what every game, present and future, stands on."""
