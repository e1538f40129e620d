from playproof.adapters.uci.server import Server as Server
