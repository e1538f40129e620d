"""PGN's tags of games that the arena plays: which event, when, which round, on what clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from playproof.arena.database import Event
from playproof.arena.player_process import Player
from playproof.arena.referee import FinishedGame
from playproof.formats.pgn.records import GAMES


def with_pgn_tags(
    played: FinishedGame, event: Event, pairing: tuple[Player, Player]
) -> FinishedGame:
    """A game of chess with its tags; of another game as it is.

    Its round is the pair and the game of the pair: ``12.2``.  The day is that of this machine.
    """
    if played.record.game not in GAMES:
        return played
    task = played.task
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
    extra = {**played.record.extra, "tags": tags}
    return replace(played, record=replace(played.record, extra=extra))
