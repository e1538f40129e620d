"""The public names of ``import playproof``; each is imported on first use."""

# Games
# Thinking
from playproof.agents.analysis.position import analyse as analyse
from playproof.agents.base import Agent as Agent
from playproof.agents.base import Decision as Decision
from playproof.agents.limits import Limits as Limits
from playproof.agents.registry import make_agent as make_agent
from playproof.agents.registry import register_agent as register_agent

# Matches
from playproof.arena.elo.run import elo as elo
from playproof.arena.tournament import match as match
from playproof.arena.tournament import tournament as tournament
from playproof.core.batch import Batch as Batch
from playproof.core.conformance.run import conform as conform

# Counting
from playproof.core.enumeration import enumerate_positions as enumerate_positions

# Errors
from playproof.core.errors import DataError as DataError
from playproof.core.errors import IllegalAction as IllegalAction
from playproof.core.errors import PlayproofError as PlayproofError
from playproof.core.errors import UsageError as UsageError
from playproof.core.game import Game as Game
from playproof.core.kernels import CHANCE as CHANCE
from playproof.core.perft import perft as perft
from playproof.core.playouts import playouts as playouts
from playproof.core.registry import list_games as list_games
from playproof.core.registry import make as make
from playproof.core.registry import names as names  # former name of list_games
from playproof.core.registry import register as register
from playproof.core.state import State as State
from playproof.formats.record import Record as Record

# Learning
from playproof.learning.registry import register_algorithm as register_algorithm
from playproof.learning.rewards import register_reward as register_reward
from playproof.learning.training import train as train
from playproof.nets.evaluators.network import network_evaluator as network_evaluator
from playproof.nets.shipped import load_net as load_net

# Proving
from playproof.proofs.api import check as check
from playproof.proofs.api import prove as prove
from playproof.proofs.certificates.report import CertificateReport as CertificateReport
from playproof.proofs.proof import Proof as Proof
from playproof.proofs.registry import register_statement as register_statement
from playproof.search.solve import solve as solve

__version__: str
