"""The lab in a browser: a local server and the pages it serves.

``server`` builds the web application, ``serving`` runs it for ``playproof serve``. ``lab`` holds
the state they share, ``http`` and ``websocket`` are the two ways in, and ``pages`` has one package
for each page. Only the command line and scripts import from here.
"""

__all__ = ["http", "pages", "protocol", "server", "serving"]
