from playproof.formats.sgf.records import GAMES as GAMES
from playproof.formats.sgf.records import play_nodes as play_nodes
from playproof.formats.sgf.records import read as read
from playproof.formats.sgf.records import write as write
from playproof.formats.sgf.records import write_record as write_record
