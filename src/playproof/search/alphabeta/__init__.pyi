from playproof.search.alphabeta.config import AlphaBetaConfig as AlphaBetaConfig
from playproof.search.alphabeta.search import AlphaBeta as AlphaBeta
from playproof.search.alphabeta.search import minimax as minimax
