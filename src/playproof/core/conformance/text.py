"""Laws of text: names of moves, positions, specs and serialised states."""

from __future__ import annotations

import pickle

from playproof.core.conformance.laws import Law, holds, law, refusal, same
from playproof.core.conformance.random_games import Sampler, snapshot, without_history
from playproof.core.errors import PlayproofError
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.state import State

NO_MOVES = ("", "no such move", "é", "a1\na2", "99", "a1a1a1", "[]")
NO_POSITIONS = ("", "x", "--\n--", "5/5/5/5/5", "\N{SNOWMAN}" * 65, "o" * 200)


@law(1)
def wrong_names(game: Game, sampler: Sampler) -> None:
    """A text that is not a move is refused in one line."""
    state = game.start()
    sampler.current = state
    for text in NO_MOVES:
        refusal(PlayproofError, lambda t=text: state.apply(t), f"the move {text!r}")  # type: ignore[misc]
        same(snapshot(state), snapshot(game.start()), "the state after a wrong name")


@law(1)
def wrong_positions(game: Game, sampler: Sampler) -> None:
    """A text that is not a position is refused in one line."""
    for text in NO_POSITIONS:
        refusal(PlayproofError, lambda t=text: game.position(t), f"the position {text[:20]!r}")  # type: ignore[misc]


@law(1)
def spec(game: Game, sampler: Sampler) -> None:
    """A game can be made from its spec, and can be sent to other processes."""
    same(make(game.spec), game, f"the game {game.spec}")
    same(hash(make(game.spec)), hash(game), "its hash")
    holds(make(game.name, **game.options) is make(game.spec), "equal calls make two games")
    same(pickle.loads(pickle.dumps(game)), game, "the game, pickled and back")


@law(3)
def serialised_states(game: Game, sampler: Sampler) -> None:
    """A serialised state is one line, from which the whole state is restored."""
    for state in sampler.track(sampler.states(game, 4)):
        text = state.serialize()
        holds("\n" not in text, "a serialised state has more than one line")
        back = State.parse(text)
        same(back, state, "the state read back")
        same(snapshot(back), snapshot(state), "the state read back")
        same(snapshot(pickle.loads(pickle.dumps(state))), snapshot(state), "a pickled state")


@law(3)
def set_up_positions(game: Game, sampler: Sampler) -> None:
    """A game that started from a set-up position is restored completely too."""
    state = game.position(sampler.unfinished_state(game).position)
    while not state.is_terminal and len(state.actions) < 3:
        sampler.current = state
        state = state.apply(sampler.actions(state, 1)[0])
    sampler.current = state
    same(snapshot(State.parse(state.serialize())), snapshot(state), "the state read back")
    same(snapshot(state.before(3)), snapshot(state.start), "the state before its moves")


@law(3)
def positions(game: Game, sampler: Sampler) -> None:
    """A position is one line of text that can be read back and says all that the rules need."""
    for state in sampler.track(sampler.states(game, 8)):
        holds("\n" not in state.position, "a position has more than one line")
        back = game.position(state.position)
        same(back, state, "the position read back")
        same(back.position, state.position, "the line of the position read back")
        same(snapshot(back.start), snapshot(back), "the start of the position read back")
        # The line says all that the rules need, except the history.
        bare = without_history(state)
        same(
            back.legal_actions(), bare.legal_actions(), "legal_actions() of the position read back"
        )
        same(back.outcome, bare.outcome, "the outcome of the position read back")
        same(back.score, bare.score, "the score of the position read back")
        same(back.current_player, bare.current_player, "who moves in the position read back")


@law(3)
def move_names(game: Game, sampler: Sampler) -> None:
    """Every legal move has a name of its own, by which it is found."""
    for state in sampler.track(sampler.states(game, 8)):
        legal, names = state.legal_actions(), state.legal_names()
        twice = sorted({name for name in names if names.count(name) > 1})
        holds(
            not twice, f"two legal moves are called {', '.join(twice)}, expected names of their own"
        )
        same(len(names), len(legal), "the number of names")
        if not state.is_terminal:
            same([state.find(name) for name in names], legal, f"what the names {names[:12]} find")
            spaced = [state.find(f" {name} ") for name in names]
            same(spaced, legal, "what the names with blanks around them find")
        for action in sampler.actions(state, 3):
            by_name = snapshot(state.apply(state.name(action)))
            same(by_name, snapshot(state.apply(action)), f"the state after {state.name(action)}")


@law(3)
def transcripts(game: Game, sampler: Sampler) -> None:
    """A transcript, as a list or as text, leads to the same state."""
    walk = sampler.walk(game)
    end = walk[-1]
    names = end.moves
    expected = [state.name(action) for state, action in zip(walk, end.actions, strict=False)]
    same(names, expected, "the moves")
    for moves in (names, " ".join(names), game.join_moves(names)):
        same(snapshot(game.start().play(moves)), snapshot(end), "the game replayed")


LAWS: tuple[Law, ...] = (
    wrong_names, wrong_positions, spec, serialised_states, set_up_positions, positions, move_names,
    transcripts,
)  # fmt: skip
