from playproof.formats.pgn.records import read as read
from playproof.formats.pgn.records import read_tree as read_tree
from playproof.formats.pgn.records import write as write
from playproof.formats.pgn.records import write_game as write_game
from playproof.formats.pgn.records import write_record as write_record
