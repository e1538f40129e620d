"""A probe server: tables of Choko in the memory of one process, looked up by others.

``server`` holds a store and listens at a Unix domain socket, ``client`` is a store whose codes come
from there, and ``protocol`` has the messages between them.
"""

__all__ = ["client", "server"]
