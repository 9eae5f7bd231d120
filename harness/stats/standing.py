"""Who is known to be better than whom in a field, and which meetings are not needed to answer the question asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from harness.stats.elo import STRONGER, WEAKER

BEST, ORDER = "best", "order"
FIRST = 20  # pairs of each meeting before any is preferred: with fewer, anybody may lead


def known(meetings: Sequence[tuple[int, int]], verdicts: Mapping[int, str]) -> dict[int, set[int]]:
    """Returns whom each player is known to be better than, directly or through others.

    Players that beat each other in a circle are better than themselves. `meetings` are (a, b); `verdicts` give what is
    settled about a, by the number of the meeting: see `elo.worth`.
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


def best(below: Mapping[int, set[int]]) -> int | None:
    """The player known to be better than all the others and worse than none, None while there is none."""
    beaten = set().union(*below.values())
    return next(
        (player for player, losers in below.items() if player not in beaten and len(losers) == len(below) - 1), None
    )


def order(below: Mapping[int, set[int]]) -> list[int]:
    """The players from best to weakest if that is known; empty while two of them could still swap places."""
    found = sorted(below, key=lambda player: -len(below[player]))
    return found if [len(below[player]) for player in found] == list(range(len(found) - 1, -1, -1)) else []


def next_meeting(
    meetings: Sequence[tuple[int, int]],
    points: Sequence[tuple[float, int]],
    dealt: Sequence[int],
    open_: Collection[int],
    goal: str,
    fields: int = 1,
) -> int:
    """Returns the number of the open meeting in which the next pair of games tells most.

    `meetings` are those of so many fields, one after the other, whose players do not meet. The field with the fewest pairs
    is next, and the question is asked of it alone.

    `points` are a's points and the games in each meeting so far, `dealt` the pairs dealt to each. To find the best it is a
    meeting of the leader; to find the order, a meeting of neighbours in the present order (others follow
    from these). Of several it is the one with the fewest pairs. Before that everyone gets FIRST pairs against everyone.
    """
    size = len(meetings) // fields
    first = size * min({number // size for number in open_}, key=lambda one: (sum(dealt[size * one :][:size]), one))
    field = range(first, first + size)
    open_ = [number for number in open_ if number in field]
    fewest = min(open_, key=lambda number: (dealt[number], number))
    if dealt[fewest] < FIRST:
        return fewest
    scored: dict[int, float] = {}
    games: dict[int, int] = {}
    for (a, b), (won, count) in zip(meetings[first:][:size], points[first:][:size], strict=True):
        for player, own in ((a, won), (b, count - won)):
            scored[player] = scored.get(player, 0.0) + own
            games[player] = games.get(player, 0) + count
    ranks = sorted(scored, key=lambda player: (-scored[player] / max(1, games[player]), player))
    place = {player: rank for rank, player in enumerate(ranks)}

    def telling(number: int) -> bool:
        a, b = (place[player] for player in meetings[number])
        return min(a, b) == 0 if goal == BEST else abs(a - b) == 1

    return min(open_, key=lambda number: (not telling(number), dealt[number], number))


def needless(meetings: Sequence[tuple[int, int]], verdicts: Mapping[int, str], goal: str) -> list[int]:
    """Returns the open meetings whose games cannot change who is best, or the order of the field.

    For `best` these are the meetings of players to whom another is known to be superior; for `order`, those of two
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
