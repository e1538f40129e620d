"""The papers' claims beside our figures."""
