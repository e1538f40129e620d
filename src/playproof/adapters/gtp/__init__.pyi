from playproof.adapters.gtp.server import Server as Server
