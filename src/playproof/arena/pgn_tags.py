"""PGN tags for the arena's chess games: event, date, round and time control."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from playproof.arena.database import Event
from playproof.arena.player_process import Player
from playproof.arena.referee import FinishedGame
from playproof.formats.pgn.records import GAMES


def with_pgn_tags(game: FinishedGame, event: Event, pairing: tuple[Player, Player]) -> FinishedGame:
    """The game with PGN tags in its record if it is one of chess, else unchanged.

    Its round is the number of the pair and the game in the pair: ``12.2``.  The date is this
    machine's.
    """
    if game.record.game not in GAMES:
        return game
    task = game.task
    white, black = (player.control for player in (pairing if task.leg == 0 else pairing[::-1]))
    tags = {
        "Event": f"Playproof, seed {event.seed}",
        "Date": f"{datetime.now():%Y.%m.%d}",
        "Round": f"{task.pair + 1}.{task.leg + 1}",
    }
    if white == black:
        tags["TimeControl"] = white
    else:
        tags |= {"WhiteTimeControl": white, "BlackTimeControl": black, "TimeControl": "?"}
    extra = {**game.record.extra, "tags": tags}
    return replace(game, record=replace(game.record, extra=extra))
