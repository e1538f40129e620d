"""Ranchin (2016), on Quantum Go, checked: its examples, its formula, and its open question."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from playproof.core.batch import Batch
from playproof.core.registry import make
from playproof.games.quantum_go.state import bell as quantum_bell
from playproof.games.quantum_go.state.quantum_state import QuantumState, quantum_of
from playproof.papers.claims import Claim
from playproof.papers.quantum_go import boards, statements
from playproof.papers.quantum_go.example1 import RecordMismatch, replay
from playproof.papers.quantum_go.komi import SPECS, Effort, fair_komi
from playproof.rules import go, go_board
from playproof.rules.quantum_go import VARIANTS

TITLE = "Quantum Go"

FIGURE_7 = "3/x1O/1x1 b 0 - 0 0 B1+A2 -"
FORMULA = (
    "(|0⟩_{A1,A3,B2,B3,C1,C3})(|1⟩_{C2})_W"
    "(\N{GREEK SMALL LETTER ALPHA}₁|0⟩_{A2}|1⟩_{B1} \N{MINUS SIGN} β₁|1⟩_{A2}|0⟩_{B1})_B"
)
LATEX = (
    r"(|0\rangle_{A1,A3,B2,B3,C1,C3})(|1\rangle_{C2})_{W}"
    r"(\alpha_{1}|0\rangle_{A2}|1\rangle_{B1} - \beta_{1}|1\rangle_{A2}|0\rangle_{B1})_{B}"
)
# The game of each variant, and its rule in a line.
RULES = {
    "go:board=5x5": "Classical Go: single stones",
    **{
        f"quantum-go:board=5x5,variant={v.name}": f"{v.title}: {v.summary}"
        for v in VARIANTS.values()
    },
    "quantum-go:board=5x5,k=3": "GHZ-k: groups of k stones; contact leaves one",
    "quantum-go:board=5x5,k=3,group=w": "W-k: groups of k stones; each contact removes one",
    "quantum-go:board=5x5,collapse=born": "Born's rule: chance collapses, not the owner",
}
_RANDOM_GAMES = 32


def _example_1() -> tuple[str, bool]:
    try:
        end = replay()
    except RecordMismatch as mismatch:
        return str(mismatch), False
    game: Any = end.game
    black, white = area(end)
    taken = game.prisoners(end)
    summary = f"every turn as recorded; area {black}-{white}, B{end.score:+g}; prisoners {taken}"
    return summary, (black, white, end.score, taken) == (20, 16, 4.0, (1, 3))


def _example_1_territory() -> tuple[str, bool]:
    try:
        score = replay("territory").score
    except RecordMismatch as mismatch:
        return str(mismatch), False
    return f"B{score:+g}", score == 4.0


def area(state: Any) -> tuple[int, int]:
    """Points that Black and White occupy or surround."""
    game = state.game
    n, ground = game.board_words, go_board.ground(game.width, game.height)
    black, white = (tuple(int(w) for w in state.row[i * n : (i + 1) * n]) for i in (0, 1))
    whole = tuple(int(w) for w in ground.whole)
    empty = tuple(w & ~(b | o) for w, b, o in zip(whole, black, white, strict=True))
    around = go.surrounded(black, white, empty, ground)
    sizes = [
        sum((int(s) | int(t)).bit_count() for s, t in zip(stones, inside, strict=True))
        for stones, inside in zip((black, white), around, strict=True)
    ]
    return sizes[0], sizes[1]


def _figure_7() -> tuple[str, bool]:
    state = quantum_of(make("quantum-go", board="3x3").position(FIGURE_7))
    return state.ket(), state.ket() == FORMULA and state.latex() == LATEX


def _mixed() -> tuple[str, bool]:
    state = quantum_of(make("quantum-go", board="3x3").position(FIGURE_7))
    rho = state.density("A2")
    odds, entropy = rho.diagonal().real, state.entropy("A2")
    summary = f"A2 of Figure 7: diag({odds[0]:g}, {odds[1]:g}), entropy {entropy:g} bit"
    return summary, bool(np.allclose(rho, np.diag([0.5, 0.5]))) and entropy == 1.0


def _chsh() -> tuple[str, bool]:
    """The CHSH value of two black pairs, one stone of each with either party."""
    state = QuantumState(6, 6, groups=[("B", "C2 D3"), ("B", "C4 D5")])
    largest = quantum_bell.largest_chsh(state, "C2 C4", "D3 D5").value
    real = quantum_bell.chsh_of_real_qubits()
    summary = f"|S| = {largest:.2f} at most on the board; real qubits {abs(real):.2f}"
    return summary, largest <= quantum_bell.CLASSICAL_BOUND + 1e-9


def _variants() -> tuple[str, bool]:
    """List all variants; random games of each must end."""
    lines, all_finished = [], True
    for spec, rule in RULES.items():
        batch = Batch.start(make(spec), _RANDOM_GAMES, seed=1)
        for _ in range(10_000):
            if batch.finished().all():
                break
            batch.apply(batch.random_actions())
        all_finished = all_finished and bool(batch.finished().all())
        lines.append(f"{spec}  {rule}")
    return "\n".join(lines), all_finished


def _komi(variant: str, effort: Effort, komi: float) -> tuple[str, None]:
    estimate = fair_komi(variant, effort, komi)
    played = (
        f"{estimate.games} games under komi {komi:g}, {effort.simulations} simulations a decision"
    )
    return f"{estimate} with 95 % confidence ({played}, seed {effort.seed}); weak players", None


# Per figure: the statement, the paper's result, and the check.
_EXAMPLE_2: dict[str, tuple[str, str, Callable[[], statements.CheckResult]]] = {
    "g1": ("Black keeps R16, Q3: White may keep R17 or R3", "either", statements.figure_g1),
    "g2": ("after P14, R8, Q13 White must keep P13, not D18", "P13", statements.figure_g2),
    "g3": ("White keeps J16, M12, then Black L12", "L12", statements.figure_g3),
    "g4": (
        "impossible as the text has it: M14, M15 and M16 entangled at once",
        "Black M16, M14, White D4, M15, then L15 forced", statements.figure_g4,
    ),
    "g6": ("White keeps G16, then Black M7", "G16, M7", statements.figure_g6),
    "g7": (
        "N18, P18, then D16, O17 are kept; Black may remove D17", "D17 removed",
        statements.figure_g7,
    ),
    "g8": (
        "Black removes H8: White must remove K9", "K9 removed",
        partial(statements.forced_away, "H8", "K9"),
    ),
    "g9": (
        "Black removes F3, so F4 touches nothing that collapsed: White may remove it",
        "F4 removed", statements.figure_g9,
    ),
    "g10": (
        "Black removes F15: White is forced to remove E12", "E12 removed",
        partial(statements.forced_away, "F15", "E12"),
    ),
    "g11": ("White keeps a stone beside K18: Black must keep K18", "K18", statements.figure_g11),
}  # fmt: skip


def claims(effort: Effort, komi: float = 0.0) -> tuple[Claim, ...]:
    """All claims of the paper; ``effort`` and ``komi`` are for the estimates by self-play."""
    return (
        Claim(
            "figure-1", "if Black keeps D3, White must keep D2, else she is free", "so", None,
            statements.figure_1,
        ),
        Claim(
            "example-1", "the game on 6x6, with every collapse and capture", "Black wins by four",
            None, _example_1,
        ),
        Claim(
            "example-1-territory", "the same game, counted by territory", "", None,
            _example_1_territory,
        ),
        *(
            Claim(f"figure-{name}", text, paper, None, run)
            for name, (text, paper, run) in _EXAMPLE_2.items()
        ),
        Claim("figure-7", "the state of a 3x3 board as a formula", LATEX, None, _figure_7),
        Claim(
            "mixed", "one point of a pair is a mixed state, one half each without information",
            r"|\alpha|^2 |0\rangle\langle0| + |\beta|^2 |1\rangle\langle1|", None, _mixed,
        ),
        Claim("chsh", "no Bell inequality is violated", "CHSH is obeyed", None, _chsh),
        Claim(
            "opposite", "Symmetric: C6 and R14 are opposite, seen from K10", "C6 and R14", None,
            statements.mirror_points,
        ),
        Claim("variants", "the variants, each with random games to the end", "", None, _variants),
        Claim(
            "solved-2x2", "Black's margin on 2x2, superko", "", None,
            partial(boards.solve, "2x2", "superko", boards.SUPERKO_2X2),
        ),
        Claim(
            "solved-3x3", "Black's margin on 3x3, simple ko", "", None,
            partial(boards.solve, "3x3", "simple", boards.SIMPLE_KO_3X3),
        ),
        Claim(
            "solved-5x2", "Black's margin on 5x2, simple ko", "", None,
            partial(boards.solve, "5x2", "simple", boards.SIMPLE_KO_5X2),
        ),
        *(
            Claim(
                f"positions-{board}", f"reachable positions on {board}, classical and quantum", "",
                None, partial(boards.positions, board),
            )
            for board in boards.POSITIONS
        ),
        *(
            Claim(
                f"komi-{variant}", f"the fair komi of {variant} on 5x5, an estimate by self-play",
                "an open question", None, partial(_komi, variant, effort, komi), long=True,
            )
            for variant in SPECS
        ),
    )  # fmt: skip
