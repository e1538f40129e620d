"""Quantum Go (Ranchin, 2016): stones come in entangled pairs that collapse on contact.

A turn is a sequence of decisions: the first point, the second point, and then one
point for each pair that collapses, chosen by the owner of the pair.  The players do
not simply alternate: ``current_player`` says who decides.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.core.game import Game
from playproof.core.spec import Option
from playproof.games.go import text as go_text
from playproof.games.go.game import common_words
from playproof.games.quantum_go import text as quantum_go_text
from playproof.games.quantum_go import view as quantum_go_view
from playproof.rules import go_board
from playproof.rules import quantum_go as law

if TYPE_CHECKING:
    from playproof.core.kernels import Kernels, Words
    from playproof.core.state import State
    from playproof.core.view import View
    from playproof.games.quantum_go.state.quantum_state import QuantumState

_ALPHA = math.sqrt(0.5)
_LEDGER_BITS = 47


class QuantumGo(Game):
    name = "quantum-go"
    title = "Quantum Go"
    summary = "Go with entangled pairs of stones that collapse on contact"
    players = ("Black", "White")
    colours = ("b", "w")
    option_fields = (
        *go_text.COMMON_OPTIONS,
        Option("variant", "standard", "a change of the rules", choices=tuple(law.VARIANTS)),
        Option("group", "ghz", "what contact leaves: ghz one stone, w one fewer", ("ghz", "w")),
        Option("k", 2, "stones of a group", minimum=2, maximum=law.LARGEST_GROUP),
        Option("collapse", "owner", "who chooses: the owner, or chance", ("owner", "born")),
        Option(
            "alpha",
            _ALPHA,
            "of a pair's later point, by column",
            minimum=0.01,
            maximum=0.99,
        ),
        Option("order", "any", "of a group's points: any, or rising", ("any", "rising")),
    )
    uses_history = True  # superko

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        width, height, self.twice_komi = go_text.board_and_komi(self.name, self.options)
        self.width, self.height = width, height
        self.points = go_text.Points(width, height)
        self.variant = law.VARIANTS[self.options["variant"]]
        self.title = self.variant.title  # type: ignore[misc]
        self.w_type = self.options["group"] == "w"
        self.born = self.options["collapse"] == "born"
        self._check_options()
        self.start_stones = go_text.handicap_points(
            self.name, width, height, self.options["handicap"]
        )
        self.members = int(self.options["k"])
        self.board_words = go_board.words_for(width, height)
        # Only in W-type play can an entangled stone have a neighbour.
        room = self.points.count if self.w_type else (self.points.count + 1) // 2
        self.slots = max(1, room // (2 if self.w_type else self.members))
        self.half_lanes = self.members <= 3
        groups = (self.slots + 1) // 2 if self.half_lanes else self.slots
        self.ledger = 5 * self.board_words
        self.words = self.ledger + 4 + groups
        self.pass_action = self.points.count
        self.num_actions = self.max_actions = self.points.count + 1
        self.symmetries = self._symmetry_count()
        self.observations = {"planes": (18, height, width)}
        self.position_mask = self._position_mask()

    def _check_options(self) -> None:
        options = self.options
        if self.variant.symmetric and (self.w_type or options["k"] != 2):
            raise UsageError("quantum-go: variant=symmetric is for pairs: want k=2 and group=ghz")
        if self.variant.symmetric and options["order"] == "rising":
            raise UsageError("quantum-go: variant=symmetric has no second point: want order=any")
        if self.w_type and options["ko"] == "simple":
            raise UsageError("quantum-go: group=w needs ko=superko, since groups can be retaken")

    def _symmetry_count(self) -> int:
        ordered = self.options["order"] == "rising"
        lopsided = self.w_type or self.later_stays != 0.5
        if ordered or (self.born and lopsided):
            return 1  # the game depends on the order of the points
        return 8 if self.width == self.height else 4

    @property
    def later_stays(self) -> float:
        """The probability, by Born's rule, that the stone of a pair stays at its later point (by
        column, then row)."""
        return float(round(self.options["alpha"] ** 2 * 2**32) / 2**32)

    def _position_mask(self) -> Words:
        whole = [int(word) for word in go_board.ground(self.width, self.height).whole]
        group = (1 << law.MEMBER_BITS * self.members) - 1
        prisoners = 0xFFF << 40 if self.options["scoring"] == "territory" else 0
        turn = [(1 << _LEDGER_BITS) - 1, group, prisoners, 2**64 - 1]
        boards = [*whole * 4, *[0] * len(whole)]
        # The grouping is part of the position, the ages of the groups are not.
        words = [*boards, *turn, *[0] * (self.words - len(boards) - len(turn))]
        return np.array(words, np.uint64)

    def quantum(self, state: State) -> QuantumState:
        """The quantum state that a position stands for."""
        from playproof.games.quantum_go.state.quantum_state import quantum_of

        return quantum_of(state)

    @functools.cached_property
    def kernels(self) -> Kernels:
        if self.born:
            from playproof.games.quantum_go.born import BORN_KERNELS

            return BORN_KERNELS
        from playproof.games.quantum_go.kernels import KERNELS

        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        more = [
            *(self.members if pairs else 1 for pairs in self.variant.pairs), self.variant.weak,
            self.variant.symmetric, self.w_type, self.born, int(self.later_stays * 2**32),
            self.options["order"] == "rising", self.half_lanes, self.slots,
        ]  # fmt: skip
        return common_words(self.width, self.height, self.twice_komi, self.options, more)

    def start_row(self) -> Words:
        row = np.zeros(self.words, np.uint64)
        for point in self.start_stones:
            row[point // 64] |= np.uint64(1 << point % 64)
        row[self.ledger] = int(bool(self.start_stones))
        return row

    def fill_derived(self, row: Words) -> Words:
        """Fill in what follows from the stones of a row; DataError if they are not possible."""
        from playproof.games.quantum_go.kernels import fill_derived

        error = fill_derived(self.option_words, row)
        if error == 1:
            raise DataError(f"impossible in {self.title}: a chain has no liberty")
        if error == 2:
            raise DataError(f"impossible in {self.title}: an entangled stone touches another stone")
        return row

    # The content of a row

    def stones(self, row: Words) -> tuple[list[int], list[int]]:
        """The points of Black's and of White's single stones."""
        n = self.board_words
        return self.points.points_in(row[:n]), self.points.points_in(row[n : 2 * n])

    def entangled(self, row: Words) -> tuple[list[int], list[int]]:
        """The points of Black's and of White's entangled stones, without this turn's group."""
        n = self.board_words
        return self.points.points_in(row[2 * n : 3 * n]), self.points.points_in(row[3 * n : 4 * n])

    def groups(self, row: Words) -> list[tuple[int, tuple[int, ...]]]:
        """(owner, points) of every entangled group, oldest first."""
        black = set(self.entangled(row)[0])
        groups = []
        for word in row[self.ledger + 4 :]:
            lanes = (int(word) & 0xFFFFFFFF, int(word) >> 32) if self.half_lanes else (int(word),)
            groups += [quantum_go_text.unpack(lane) for lane in lanes if lane]
        return [(0 if group[0] in black else 1, group) for group in groups]

    def new_group(self, row: Words) -> tuple[int, ...]:
        """The points placed so far in this turn."""
        return quantum_go_text.unpack(int(row[self.ledger + 1]))

    def step(self, row: Words) -> int:
        """The step of the turn, from PLACE to OVER of the rules."""
        return int(row[self.ledger]) >> 3 & 7

    def mover(self, row: Words) -> int:
        """Whose turn it is, whoever makes the next decision."""
        return int(row[self.ledger]) & 1

    def collapsing_group(self, row: Words) -> tuple[int, ...]:
        """The group that collapses now; empty while stones are placed."""
        step = self.step(row)
        if step in (law.PLACE, law.OVER):
            return ()
        if step == law.NEW_GROUP:
            return self.new_group(row)
        return self.groups(row)[int(row[self.ledger]) >> 6 & 0xFF][1]

    def prisoners(self, state: State) -> tuple[int, int]:
        """How many stones Black and White have captured."""
        word = int(state.row[self.ledger + 2])
        return word & 0xFFFFF, word >> 20 & 0xFFFFF

    # Text and picture

    def action_name(self, action: int) -> str:
        return self.points.action_name(action)

    def parse_action(self, text: str) -> int:
        action = self.points.find(text)
        if action is None:
            raise self.bad_action(text, self.points.move_syntax)
        return action

    def split_moves(self, text: str) -> list[str]:
        """The decisions, separated by spaces, or by ``+`` and ``>`` within a turn."""
        return text.replace("+", " ").replace(">", " ").split()

    def write_position(self, row: Words) -> str:
        return quantum_go_text.write(self, row)

    def read_position(self, text: str) -> Words:
        return quantum_go_text.read(self, text)

    def question(self, state: State) -> str:
        """The next decision in words: who decides about what."""
        return quantum_go_view.question(self, state)

    def view(self, state: State) -> View:
        return quantum_go_view.view(self, state)
