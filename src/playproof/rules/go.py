"""The law of Go: chains, liberties, captures and the score.

Boards are tuples of words (``go_board``).  ``atari``, the stones of either colour whose chain has
exactly one liberty, is kept beside the stones.  It follows from them, but with it every question
about the next move is answered by the neighbouring points.
"""

from numba.extending import register_jitable

from playproof.rules.go_board import (
    around,
    both,
    either,
    flood,
    lowest_of,
    nothing,
    one,
    same,
    several,
    some,
    without,
)


@register_jitable
def chain_in_atari(seed, stones, empty, g):
    """The chain of ``seed`` if it has one liberty or none, else the empty board.

    The search stops at the second liberty, which it soon finds for most chains.
    """
    x = seed
    while True:
        near = around(x, g)
        if several(both(near, empty)):
            return nothing(x)
        y = either(x, both(near, stones))
        if same(x, y):
            return x
        x = y


@register_jitable
def all_atari(black, white, empty, g):
    """Every stone whose chain has one liberty, computed from the stones alone."""
    atari = nothing(empty)
    for colour in range(2):
        stones = white if colour else black
        rest = stones
        while some(rest):
            chain = flood(lowest_of(rest), stones, g)
            liberties = both(around(chain, g), empty)
            if some(liberties) and not several(liberties):
                atari = either(atari, chain)
            rest = without(rest, chain)
    return atari


@register_jitable
def dead(stones, empty, g):
    """The stones of chains without a liberty."""
    return without(stones, flood(around(empty, g), stones, g))


@register_jitable
def breathing_points(own, opponent, atari, empty, g):
    """Empty points where a stone of ``own`` has a liberty after captures: those next to an empty
    point, to an own chain with a second liberty, or to an enemy chain in atari."""
    air = either(empty, either(without(own, atari), both(opponent, atari)))
    return both(empty, around(air, g))


@register_jitable
def capturing_points(opponent, atari, empty, g):
    """Empty points where a stone captures."""
    return both(empty, around(both(opponent, atari), g))


@register_jitable
def play(own, opponent, atari, point, g):
    """Play a stone on an empty point; return (own, opponent, atari, captured, lost).

    Opposing chains without liberties are captured first.  ``lost`` is the own chain if it then has
    no liberty (suicide).
    """
    stone = one(own, point)
    near = around(stone, g)
    captured = flood(near, both(opponent, atari), g)
    lost = nothing(own)
    if some(captured):
        opponent = without(opponent, captured)
        # Own chains in atari next to the captured chain gain a liberty.
        relieved = flood(around(captured, g), both(own, atari), g)
        atari = without(atari, either(captured, relieved))
    # Own chains in atari at this point become part of the new chain.
    atari = without(atari, flood(near, both(own, atari), g))
    own = either(own, stone)
    empty = without(g.whole, either(own, opponent))
    chain = chain_in_atari(stone, own, empty, g)
    if some(chain):
        if some(both(around(chain, g), empty)):
            atari = either(atari, chain)
        else:
            lost = chain
            own = without(own, lost)
            relieved = flood(around(lost, g), both(opponent, atari), g)
            return own, opponent, without(atari, relieved), captured, lost
    rest = both(near, opponent)
    while some(rest):
        enemy = lowest_of(rest)
        chain = chain_in_atari(enemy, opponent, empty, g)
        atari = either(atari, chain)
        rest = without(rest, either(enemy, chain))
    return own, opponent, atari, captured, lost


@register_jitable
def stones_after(own, opponent, atari, point, g):
    """(own, opponent) after one stone: ``play`` where only the board is needed."""
    stone = one(own, point)
    captured = flood(around(stone, g), both(opponent, atari), g)
    own = either(own, stone)
    if some(captured):
        return own, without(opponent, captured)
    empty = without(g.whole, either(own, opponent))
    chain = chain_in_atari(stone, own, empty, g)
    if some(both(around(chain, g), empty)):
        return own, opponent
    return without(own, chain), opponent


@register_jitable
def surrounded(black, white, empty, g):
    """(Black's, White's) empty points: those that only stones of that colour reach."""
    by_black = flood(around(black, g), empty, g)
    by_white = flood(around(white, g), empty, g)
    return without(by_black, by_white), without(by_white, by_black)


@register_jitable
def nearer(black, white, empty, g):
    """(Black's, White's) empty points: those that are nearer to that colour's stones.

    Both areas grow a step at a time.  A point that both reach in the same step belongs to neither,
    and neither grows on from it.
    """
    rest = empty
    mine, theirs = both(around(black, g), empty), both(around(white, g), empty)
    blacks, whites = nothing(empty), nothing(empty)
    while some(mine) or some(theirs):
        rest = without(rest, either(mine, theirs))
        fresh_black, fresh_white = without(mine, theirs), without(theirs, mine)
        blacks, whites = either(blacks, fresh_black), either(whites, fresh_white)
        mine = both(around(fresh_black, g), rest)
        theirs = both(around(fresh_white, g), rest)
    return blacks, whites
