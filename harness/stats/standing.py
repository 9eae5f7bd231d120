"""Who is known to be better than whom in a field, and which meetings are not needed to answer what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.stats.elo import STRONGER, WEAKER

BEST, ORDER = "best", "order"


def known(meetings: Sequence[tuple[int, int]], verdicts: Mapping[int, str]) -> dict[int, set[int]]:
    """Returns whom each player is known to be better than, directly or through others.

    `meetings` are (a, b), `verdicts` what is settled of a in the meeting of that number: see `elo.worth`.
    """
    below: dict[int, set[int]] = {player: set() for meeting in meetings for player in meeting}
    for number, verdict in verdicts.items():
        a, b = meetings[number]
        if verdict == STRONGER:
            below[a].add(b)
        elif verdict == WEAKER:
            below[b].add(a)
    grown = True
    while grown:
        grown = False
        for losers in below.values():
            more = set().union(*(below[loser] for loser in losers)) - losers if losers else set()
            if more:
                losers |= more
                grown = True
    return below


def needless(meetings: Sequence[tuple[int, int]], verdicts: Mapping[int, str], goal: str) -> list[int]:
    """Returns the open meetings whose games cannot change who is best, or the order of the field.

    For `best` these are the meetings of players to whom another is known to be superior; for `order` those of two
    players whose order follows from other meetings.
    """
    below = known(meetings, verdicts)
    beaten = set().union(*below.values())
    found = []
    for number, (a, b) in enumerate(meetings):
        told = a in beaten or b in beaten if goal == BEST else b in below[a] or a in below[b]
        if number not in verdicts and told:
            found.append(number)
    return found
