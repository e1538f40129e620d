"""Certificates: folders that prove a statement to someone who does not trust this program.

``bundle`` writes and checks them, ``files`` names and reads their files, ``report`` is the outcome
of a check.
"""

__all__ = ["bundle", "files", "report"]
