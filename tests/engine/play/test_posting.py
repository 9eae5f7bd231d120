"""How often a search reports to the door."""

from __future__ import annotations

from engine.board.game import Game
from engine.model import Info, Result
from engine.play.posting import Poster

E2E4 = Game().parse("e2e4")


class Recorder:
    """A door that keeps what the search reports."""

    def __init__(self) -> None:
        self.told: list[Info] = []

    def note(self, text: str) -> None:
        raise AssertionError(text)

    def warn(self, text: str) -> None:
        raise AssertionError(text)

    def stats(self, counters: dict[str, object]) -> None:
        raise AssertionError(counters)

    def settled(self) -> None:
        raise AssertionError

    def thinking(self, info: Info, fen: str, chess960: bool) -> None:
        self.told.append(info)


def report(depth: int, bound: int = 0) -> Info:
    return Info(depth, depth, 0, depth, depth, bound, [E2E4])


def test_paced_lines_keep_their_distance_and_the_last_one_is_never_lost() -> None:
    door = Recorder()
    poster = Poster(door, Game(), every_depth=False)
    for depth in range(1, 10):
        poster(report(depth))
    assert len(door.told) == 1
    poster.finish(Result(E2E4, 0, 0, 9, 9, 9, 0, 9, [E2E4], {}))
    assert [info.depth for info in door.told] == [1, 9]


def test_analysis_tells_every_completed_depth() -> None:
    door = Recorder()
    poster = Poster(door, Game(), every_depth=True)
    for depth in range(1, 10):
        poster(report(depth, -1))
        poster(report(depth))
    assert [info.depth for info in door.told if not info.bound] == list(range(1, 10))


def test_a_search_that_reported_nothing_still_gets_a_line() -> None:
    door = Recorder()
    poster = Poster(door, Game(), every_depth=False)
    poster.finish(Result(E2E4, 0, 17, 0, 0, 30, 0, 2, [], {}))
    assert door.told == [Info(1, 1, 17, 2, 30, 0, [E2E4])]


def test_nopost_and_pondering_tell_nothing() -> None:
    door = Recorder()
    poster = Poster(door, Game(), every_depth=True)
    poster.quiet = True
    poster(report(1))
    assert door.told == []
    poster.quiet = False
    poster.flush()
    assert len(door.told) == 1


def test_the_last_line_counts_what_an_iteration_that_was_cut_off_has_cost() -> None:
    door = Recorder()
    poster = Poster(door, Game(), every_depth=False)
    for depth in (1, 2):
        poster(report(depth))
    poster(Info(2, 2, -5, 2, 2, 0, [Game().parse("d2d4")], line=2))
    poster.finish(Result(E2E4, 0, 0, 2, 2, 500, 0, 40, [E2E4], {}))
    assert [(info.depth, info.line, info.nodes, info.ms) for info in door.told[-2:]] == [
        (2, 1, 500, 40),
        (2, 2, 500, 40),
    ]
