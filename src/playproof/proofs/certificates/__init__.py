"""Certificates: folders that prove a statement to somebody who does not trust this program.

``bundle`` writes and checks certificates, ``files`` names and reads their files, and ``report``
is the result of a check.
"""

__all__ = ["bundle", "files", "report"]
