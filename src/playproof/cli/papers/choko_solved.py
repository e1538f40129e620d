"""The solved Choko in a terminal: sentences, tables and boards."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING

from playproof.cli.output import table
from playproof.core.registry import make
from playproof.formats import terminal
from playproof.papers.choko_solved.report import (
    ENDINGS,
    LINE_CAPTIONS,
    best_replies,
    drawn_starts,
    first_placements,
    quickest,
    summarize_play,
)
from playproof.papers.choko_solved.truth import (
    CLASSES,
    EARLIER,
    EARLIER_ENDINGS,
    EVEN,
    KINDS,
    kind_of_move,
)

if TYPE_CHECKING:
    from playproof.core.state import State
    from playproof.core.view import View
    from playproof.papers.choko_solved.truth import SolvedReading, Truth

_WIDTH = 100


def print_truth(truth: Truth) -> None:
    """Print everything, part by part."""
    parts = (_who_wins, _line, _first, _initiative, _play, _moves, _longest, _material, _endings)
    for part in parts:
        part(truth)


def _who_wins(truth: Truth) -> None:
    print_heading("Who wins?")
    off, on = truth.off, truth.on
    print_paragraph(
        f"Blue, who moves first, wins from the empty board: in {off.value} actions of both sides "
        "together, with best play. That is well inside the cap of 100."
    )
    print_paragraph(
        f"All {off.all.positions:,} positions in which the mover is free were solved. The tables "
        f"hold {off.stored:,} of them; the others are their images. Every stored one was derived "
        f"again in a second way, and {off.wrong} were wrong."
    )
    print_paragraph(
        "A jump over the only enemy piece on the board (a lone jump) is illegal here, as in the "
        f"authors' code. If it is legal, there are {on.all.positions:,} positions, and the result "
        f"is the same: Blue wins in {on.value}, and every first placement is worth the same."
    )
    _by_hands("off", off)
    _by_hands("on", on)
    print_paragraph(
        "Earlier: figures of an earlier solve by other code, as far as they were recorded. "
        "Positions are those with a free mover, symmetric ones counted separately, the cap ignored."
    )


def _by_hands(name: str, solved: SolvedReading) -> None:
    rows = []
    for hands, counts in [*solved.hands.items(), ("all", solved.all)]:
        earlier, longest = EARLIER[name].get(str(hands), ("", ""))
        rows.append(
            [
                str(hands),
                f"{counts.positions:,}",
                counts.percent(),
                earlier,
                counts.longest,
                longest,
            ]
        )
    columns = ["in hand", "positions", "won/drawn/lost %", "earlier", "longest", "earlier"]
    table(f"By pieces in each hand, lone jumps {name}", columns, rows, right="rrrrrr")


def _line(truth: Truth) -> None:
    print_heading("The best line")
    print_paragraph("The winner hurries and the loser delays. Often another move is equally good.")
    numbered = [
        f"{number // 2 + 1}.\u00a0{' '.join(truth.line[number : number + 2])}"
        for number in range(0, len(truth.line), 2)
    ]
    print_paragraph(" ".join(numbered))
    state = make("choko").start()
    for number, move in enumerate(truth.line, 1):
        state = state.apply(move)
        if number in LINE_CAPTIONS:
            _draw(f"After action {number}. {LINE_CAPTIONS[number]}", state.view())


def _first(truth: Truth) -> None:
    print_heading("What is a first placement worth? Are corners best?")
    _draw("Actions in which Blue wins after placing there:", first_placements(truth))
    rows = []
    for square in CLASSES:
        longest, replies = best_replies(truth, square)
        worth = [str(solved.first[square]) for solved in (truth.off, truth.on)]
        rows.append([square, kind_of_move(square), *worth, str(longest), " ".join(replies)])
    columns = ["first", "kind", "off", "on", "Red holds out", "with the reply"]
    table("First placements up to symmetry, lone jumps off and on", columns, rows, right="llrrr")
    opening = truth.sample["opening"]
    print_paragraph(
        "All 25 win. The paper says that its agents all opened in the corners, and they were "
        "right: a corner wins quickest, and the best replies are corners too. But an edge costs "
        "two actions only, and no first placement throws the win away."
    )
    print_paragraph(
        f"After any two placements ({sum(truth.third_best.values())} positions) a corner is among "
        f"Blue's quickest moves. Later, in {opening['corners_best']:,} of {opening['corners']:,} "
        "sampled won positions of the opening with a free corner "
        f"({opening['corners_best'] / opening['corners']:.0%}), a corner still is."
    )


def _initiative(truth: Truth) -> None:
    print_heading("The initiative is worth more than two pieces")
    opening, failing = truth.sample["opening"], {}
    for phase, statistics in truth.sample.items():
        failing[phase] = f"{statistics['jumps_fail'] / statistics['jumps']:.0%}"
    position, moves = truth.early_capture
    jump = next(move for move in moves if "x" in move)
    best, value = quickest(moves)
    print_paragraph(
        f"After two placements Blue has {sum(truth.third['step']):,} steps in all, and "
        f"{truth.third['step'][2]:,} of them lose: a step gives the drop initiative away."
    )
    print_paragraph(
        f"A jump gives it away too. In {opening['jumps_fail']:,} of {opening['jumps']:,} sampled "
        f"won positions of the opening in which one can jump ({failing['opening']}), no jump keeps "
        f"the win, though it takes two pieces. In the middle it is {failing['middle']}, in the end "
        f"{failing['end']}."
    )
    _draw(
        f"Here {jump} takes both Red pieces, and the win is gone: drawn. "
        f"{' or '.join(best)} wins in {value} actions.",
        _state(position).view(),
    )
    fewer = ", ".join(map(str, drawn_starts(truth)))
    print_paragraph(
        f"And Blue needs all twelve pieces: with {fewer} a side the empty board is a draw. (With "
        "odd numbers it has not been solved.)"
    )


def _play(truth: Truth) -> None:
    print_heading("How often does play throw the win away?")
    rows = []
    for player, games in truth.games.items():
        play = summarize_play(games)
        rows.append(
            [
                player,
                str(play.games),
                f"{play.blue_won}/{play.drawn}/{play.red_won}",
                f"{play.threw} ({play.threw / play.games:.0%})",
                f"{play.first:.1f}",
                " ".join(f"{kind} {count}" for kind, count in play.first_kinds.items()),
                f"{play.errors:.1f}",
                f"{play.blue_rate:.0%}/{play.red_rate:.0%}",
            ]
        )
    columns = ["player", "games", "B/d/R", "win thrown", "at", "with", "errors", "rate B/R"]
    table("Players against themselves, with the cap of 100", columns, rows, right="lrrrrlrr")
    print_paragraph(
        "B/d/R: games won by Blue, drawn, won by Red. At: the action with which Blue first gave "
        "the win up, on average; with: what that action was. Errors: actions a game, of both "
        "sides, that gave up a win or a draw; rate: their share among the decisions in which "
        "there was something to lose."
    )
    error_free = [game for games in truth.games.values() for game in games if not game.first]
    won = sum(game.outcome > 0 for game in error_free)
    print_paragraph(
        f"In {len(error_free)} games Blue kept the win to the end, and won {won} of them. "
        "A player who makes no progress runs into the cap."
    )


def _moves(truth: Truth) -> None:
    rows = [
        [phase, *(f"{statistics[key]:,}" for key in ("positions", "lost", "critical")),
         f"{statistics['random_throws']:.1%}"]
        for phase, statistics in truth.sample.items()
    ]  # fmt: skip
    columns = ["phase", "positions", "lost", "critical", "thrown by chance"]
    table("A random move in sampled positions", columns, rows, right="lrrrr")
    print_paragraph(
        "Opening: at least 7 in each hand; end: none. Critical: some moves throw the value away "
        "and others do not. By chance: the share of such moves where there is something to lose."
    )
    rows = []
    for phase in truth.sample:
        kinds = truth.thrown(phase, won=True, free=True)
        counts = [kinds.get(kind) for kind in KINDS]
        rows.append([phase, *("-" if one is None else f"{one[1] / one[0]:.1%}" for one in counts)])
    title = "Moves of a free player that throw a win away"
    table(title, ["phase", *KINDS], rows, right="lrrrrr")


def _longest(truth: Truth) -> None:
    print_heading("The longest wins")
    rows = [[str(hands), str(n), position] for hands, (n, position) in truth.longest.items()]
    columns = ["in hand", "actions", "position"]
    table("By pieces in each hand, lone jumps off", columns, rows, right="rr")
    hands, (actions, position) = max(truth.longest.items(), key=lambda item: (item[1][0], item[0]))
    _draw(
        f"With {hands} pieces in each hand Blue wins, but it takes {actions} actions:",
        _state(position).view(),
    )
    print_paragraph(
        "With the cap of 100 that is a draw. With lone jumps the longest win takes "
        f"{truth.on.all.longest_win} actions."
    )


def _material(truth: Truth) -> None:
    print_heading("How often is it drawn?")
    rows = [
        [f"mover has {own}", *(f"{truth.off.ending(own, other).drawn:.1%}" for other in EVEN)]
        for own in EVEN
    ]
    columns = ["", *(f"other has {other}" for other in EVEN)]
    table("Draws with both hands empty, lone jumps off", columns, rows, right="lrrrrrr")
    rows = []
    for name, (earlier, longest) in EARLIER_ENDINGS.items():
        counts = truth.off.slices[f"h0-{name}"]
        beside = truth.on.slices[f"h0-{name}"]
        rows.append(
            [name, counts.percent(1), earlier, counts.longest, longest, beside.percent(1),
             beside.longest]
        )  # fmt: skip
    columns = ["pieces", "off", "earlier", "longest", "earlier", "on", "longest"]
    table("Small endings: won/drawn/lost in %, longest win/loss", columns, rows, right="lrrrrrr")
    rows = [
        [f"{lead:+d}" if lead else "0", f"{counts.positions:,}", counts.percent()]
        for lead, counts in truth.off.lead.items()
    ]
    columns = ["mover ahead by", "positions", "won/drawn/lost %"]
    table("By the difference in pieces, all hands", columns, rows, right="rrr")


def _endings(truth: Truth) -> None:
    print_heading("Endings that nobody expects")
    for ending in ENDINGS:
        upset = truth.upset(ending.slice)
        share_text = (
            f"{upset.positions:,} such positions of {truth.off.slices[ending.slice].positions:,}"
        )
        _draw(f"{ending.title}. {ending.why} There are {share_text}.", _state(upset.example).view())
    print_paragraph(
        f"{len(truth.upsets)} kinds of material have such exceptions, fewer than one position in "
        "a thousand; --json lists them."
    )


# Printing


def _state(position: str) -> State:
    return make("choko").position(position)


def print_heading(text: str) -> None:
    print(f"\n{text}\n{'=' * len(text)}\n")


def print_paragraph(text: str) -> None:
    # The number of a move stays on its line.
    print(textwrap.fill(text, _WIDTH).replace("\u00a0", " ") + "\n")


def _draw(caption: str, view: View) -> None:
    colour, unicode = terminal.supports_colour(sys.stdout), terminal.supports_unicode(sys.stdout)
    print_paragraph(caption)
    print(terminal.render(view, colour=colour, unicode=unicode) + "\n")
