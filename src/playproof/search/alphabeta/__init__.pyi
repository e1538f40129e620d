from playproof.search.alphabeta.config import Settings as Settings
from playproof.search.alphabeta.search import AlphaBeta as AlphaBeta
from playproof.search.alphabeta.search import minimax as minimax
