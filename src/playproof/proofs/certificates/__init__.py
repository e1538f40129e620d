"""Certificates: folders that prove a statement to somebody who does not trust this program.

``write`` and ``check`` write and check certificates, ``files`` names and reads their files, and
``report`` is the result of a check.  ``arrival`` checks what workers send.
"""

__all__ = ["arrival", "check", "files", "report", "write"]
