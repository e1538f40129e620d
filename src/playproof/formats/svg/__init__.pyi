from playproof.formats.svg.drawing import WIDTH as WIDTH
from playproof.formats.svg.drawing import render as render
from playproof.formats.svg.theme import PAPERS as PAPERS
from playproof.formats.svg.writer import num as num
