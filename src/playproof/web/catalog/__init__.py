"""What the lab offers: games, variants, opponents and analysts.

``listing`` is the catalog; ``house_games`` describes the games that come with Playproof,
``third_party`` the others.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
