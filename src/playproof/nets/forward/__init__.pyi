from playproof.nets.forward.mlp import Forward as Forward
from playproof.nets.forward.mlp import choices as choices
