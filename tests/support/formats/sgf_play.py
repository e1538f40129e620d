"""Random games of Go and Quantum Go, their SGF, and sgfmill's view of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from sgfmill import boards, sgf_grammar, sgf_properties

from playproof import State, make
from playproof.formats import sgf

GAMES = (
    "go:board=9x9,komi=6.5",
    "go:board=7x4,komi=-0.5",
    "go:board=9x9,handicap=5",
    "go:board=5x5,suicide=true",
    "go:board=5x5,ko=simple,scoring=territory",
)
QUANTUM_GAMES = (
    "quantum-go:board=6x6",
    "quantum-go:board=5x7,komi=2,scoring=territory",
    "quantum-go:board=7x7,handicap=2",
    "quantum-go:board=6x6,variant=weak",
    "quantum-go:board=6x6,variant=symmetric",
    "quantum-go:board=5x5,variant=symmetric,suicide=true",
    "quantum-go:board=5x5,variant=semi-black",
    "quantum-go:board=5x5,variant=semi-white,collapse=born",
    "quantum-go:board=6x6,k=3",
    "quantum-go:board=6x6,group=w,k=3",
    "quantum-go:board=6x6,group=w,k=4,variant=weak",
    "quantum-go:board=5x5,collapse=born,alpha=0.8",
    "quantum-go:board=6x6,group=w,k=3,collapse=born",
    "quantum-go:board=5x5,order=rising",
)


def random_state(spec: str, rng: Random) -> State:
    """A game under way, finished or stopped in the middle of a turn."""
    state = make(spec).start()
    end = rng.randrange(1, 3 * state.game.num_actions)
    while not state.is_terminal and len(state.actions) < end:
        legal = state.legal_actions()
        # Passes are rare among so many points, and must be told too.
        passing = state.game.pass_action in legal and rng.random() < 0.05
        state = state.apply(state.game.pass_action if passing else rng.choice(legal))
    return state


def is_between_turns(state: State) -> bool:
    """In the middle of a turn stones may stand without liberties, which a viewer takes off."""
    if state.is_terminal or state.game.name == "go":
        return True
    return state.game.step(state.row) == 0 and not state.game.new_group(state.row)


def visible_stones(state: State) -> tuple[set[str], set[str]]:
    """Black's and White's points, entangled stones among them, as SGF names them."""
    game, row = state.game, state.row
    sides = [set(stones) for stones in game.stones(row)]
    if game.name == "quantum-go":
        for side, points in enumerate(game.entangled(row)):
            sides[side] |= set(points)
        sides[game.mover(row)] |= set(game.new_group(row))
    letters = "abcdefghijklmnopqrs"
    named = [
        {letters[p % game.width] + letters[game.height - 1 - p // game.width] for p in stones}
        for stones in sides
    ]
    return named[0], named[1]


def round_trips(spec: str, count: int, seed: int) -> int:
    """Write and read random records; how many.  AssertionError at the first that changes."""
    rng = Random(f"{spec}/{seed}")
    for number in range(count):
        state = random_state(spec, rng)
        text = sgf.write(state, ("a]b", "c\\d"))
        read, record = sgf.read(text)
        where = f"{spec}, seed {seed}, number {number}:\n{text}"
        assert read.game == state.game, where
        assert read.position == state.position, where
        assert read.score == state.score, where
        assert read.outcome == state.outcome, where
        assert len(read.actions) == len(state.actions), where  # a pair has no order
        assert read.legal_actions() == state.legal_actions(), where
        assert record.players == ("a]b", "c\\d"), where
        assert sgf.write(read, record.players) == text, where
    return count


def verify_pieces(records: int = 1_000) -> dict[str, Callable[[], str]]:
    """For ``make verify``: so many records of every game there and back."""

    def piece(spec: str) -> str:
        return f"{round_trips(spec, records, seed=2026):,} records came back"

    return {spec: partial(piece, spec) for spec in (*GAMES, *QUANTUM_GAMES)}


def sgfmill_sees(data: bytes) -> tuple[set[str], set[str]] | None:
    """What an ordinary program shows at the end of the main line; None if it cannot say."""
    tree = sgf_grammar.parse_sgf_game(data)
    nodes = list(sgf_grammar.main_sequence_iter(tree))
    size = nodes[0].get("SZ", [b"19"])[0].strip()
    width, _, height = size.partition(b":")
    if height and height != width:
        return None
    side = int(width)
    read = sgf_properties.Presenter(side, "UTF-8")
    board = boards.Board(side)
    for node in nodes:
        black, white, empty = (
            read.interpret(name, node[name]) if name in node else set()
            for name in ("AB", "AW", "AE")
        )
        if black or white or empty:
            board.apply_setup(black, white, empty)
        for name, colour in (("B", "b"), ("W", "w")):
            move = read.interpret(name, node[name]) if name in node else None
            if move is not None:
                board.play(*move, colour)
    stones: dict[str, set[str]] = {"b": set(), "w": set()}
    for colour, (row, column) in board.list_occupied_points():
        stones[colour].add(chr(97 + column) + chr(97 + side - 1 - row))
    return stones["b"], stones["w"]
