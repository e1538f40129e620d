from playproof.nets.forward.mlp import Forward as Forward
from playproof.nets.forward.mlp import choose_actions as choose_actions
