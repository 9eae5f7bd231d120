"""The searcher's contract: limits, stop, pause, new times, reports, several threads, no state left behind."""

from __future__ import annotations

import threading
import time
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import KIWIPETE, QUIET, SHARP, START, Plan, features, game_plans, play_out, search

from engine.board.game import Game
from engine.model import Info, Limits
from engine.search.threads import Searcher

PRESETS = ("modern", "winglet", "moreland", "jazz", "mediocre", "vicki", "bare")
ZUGZWANG = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
FIRST_MOVE = 60  # nodes that a search may need to have something to play
MATES = (
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, "Rd8#"),
    ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", 1, None),
    ("r5k1/5ppp/8/8/8/8/3R1PPP/3R2K1 w - - 0 1", 2, "Rd8+"),
)


class Running:
    """A search in a thread of its own; leaving it stops the search."""

    def __init__(self, searcher: Searcher, fen: str, limits: Limits, **levels: object) -> None:
        self.searcher = searcher
        self.result: Any = None
        self.infos: list[Info] = []
        searcher.prepare(limits)
        game, chosen = Game(fen), features(**levels)

        def work() -> None:
            self.result = searcher.search(game, chosen, limits, self.infos.append)

        self.thread = threading.Thread(target=work)
        self.thread.start()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        self.searcher.stop()
        self.searcher.resume()
        self.thread.join(60)

    def wait_for_depth(self, depth: int, patience: float = 60.0) -> None:
        limit = time.monotonic() + patience
        while not any(info.depth >= depth for info in self.infos):
            assert time.monotonic() < limit, "the search does not get on"
            time.sleep(0.002)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("fen", "moves", "first"), MATES)
def test_mates_are_found_and_scored_by_moves(preset: str, fen: str, moves: int, first: str | None) -> None:
    result = search(fen, 2 * moves + 2, Preset=preset)
    assert result.score == 100000 + moves
    if first:
        assert Game(fen).san(result.move) == first


def test_a_mate_by_zugzwang() -> None:
    """Morphy's problem: passing would save Black, so engines with null move are slow to see it."""
    for preset in ("winglet", "moreland", "vicki", "bare"):
        result = search(ZUGZWANG, 5, Preset=preset)
        assert result.score == 100002 and Game(ZUGZWANG).san(result.move) == "Ra6"
    assert search(ZUGZWANG, 14).score == 100002


def test_being_mated_is_scored_too() -> None:
    game = Game(ZUGZWANG)
    game.push(game.parse("Ra6"))
    result = search(game.fen(), 6)
    assert result.score == -100001


def test_no_move_to_play() -> None:
    """Mate and stalemate at the root: move 0, at once."""
    for fen, score in (("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0), ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", -100_000)):
        result = Searcher(1).search(Game(fen), features(), Limits(depth=5))
        assert result.score == score and result.move == 0 and result.nodes == 0 and result.pv == []


@pytest.mark.parametrize("nodes", [1, 2, 10, 500, 1023, 1024, 1025, 5000, 20_000])
def test_node_limit_is_exact(nodes: int) -> None:
    """It may run over only as far as the first root move needs to have something to play."""
    for preset in ("modern", "bare"):
        result = search(QUIET[3], 60, nodes=nodes, Preset=preset)
        assert result.move in Game(QUIET[3]).legal_moves()
        assert nodes <= result.nodes <= max(nodes, FIRST_MOVE)


@pytest.mark.parametrize("cores", [2, 4])
@pytest.mark.parametrize("limits", [Limits(nodes=3000), Limits(nodes=50_000), Limits(nodes=50_000, depth=60)])
def test_a_node_limit_is_of_all_threads_together(cores: int, limits: Limits) -> None:
    """Almost always it ends within a few nodes; a thread that was held up while it looked goes on for a thousand."""
    result = Searcher(4, cores).search(Game(QUIET[3]), features(), limits)
    assert limits.nodes <= result.nodes <= limits.nodes + cores * 1024
    assert result.move in Game(QUIET[3]).legal_moves()


@pytest.mark.parametrize("depth", [1, 2, 5, 9])
def test_depth_is_what_was_asked_for(depth: int) -> None:
    result = search(QUIET[0], depth)
    assert result.depth == depth and result.seldepth >= depth - 1 and len(result.stats["iterations"]) == depth


def test_deepening_off_searches_once() -> None:
    result = search(QUIET[0], 4, Preset="winglet", Deepening="off")
    assert result.depth == 4 and len(result.stats["iterations"]) == 1


def test_the_internal_search_at_the_root_tells_nothing() -> None:
    """Without deepening it is there, at half the depth, and its results were told as those of the whole."""
    infos: list[Info] = []
    result = Searcher(4).search(
        Game(SHARP[0]), features(Preset="mediocre", Deepening="off"), Limits(depth=8), infos.append
    )
    assert result.stats["iid_searches"] and infos and min(info.nodes for info in infos) > result.nodes // 20


def test_stop_ends_a_search_at_once() -> None:
    """A few milliseconds, counted in processor time: on the wall a busy machine would make it any length."""
    searcher = Searcher(4)
    for _ in range(5):
        with Running(searcher, KIWIPETE, Limits()) as running:
            running.wait_for_depth(4)
            used = time.process_time()
            searcher.stop()
            running.thread.join(60)
            assert time.process_time() - used < 0.1
        assert running.result.move in Game(KIWIPETE).legal_moves()


@pytest.mark.parametrize("cores", [1, 2])
def test_a_stop_costs_each_thread_a_thousand_nodes_or_so(cores: int) -> None:
    """What a stop takes on a free machine, counted in nodes because the one that tests may be busy: 2,000 are some 3 ms."""
    searcher, more = Searcher(4, cores), []
    for _ in range(5):
        with Running(searcher, KIWIPETE, Limits()) as running:
            running.wait_for_depth(6)
            before = searcher.nodes()
            searcher.stop()
            running.thread.join(60)
        more.append(running.result.nodes - before)
    assert min(more) <= cores * 2048, more


def test_a_stop_before_the_search_thread_has_begun_is_not_lost() -> None:
    searcher = Searcher(1)
    searcher.prepare(Limits())
    searcher.stop()
    result = searcher.search(Game(), features(), Limits())
    assert result.move in Game().legal_moves() and result.nodes < 100_000


@pytest.mark.parametrize("limits", [Limits(depth=9, nodes=100), Limits(hard_ms=50, soft_ms=50)])
def test_limits_hold_where_even_the_first_move_would_take_for_ever(limits: Limits) -> None:
    """Minimax with every capture: no root move gets a score, yet the search ends and there is a move to play."""
    used = time.process_time()
    result = Searcher(1).search(Game(KIWIPETE), features(Preset="bare", Algorithm="minimax"), limits)
    assert result.move in Game(KIWIPETE).legal_moves()
    assert result.nodes < 30_000 or limits.hard_ms
    assert time.process_time() - used < 5


def test_hard_time_is_kept() -> None:
    searcher = Searcher(4)
    began, used = time.perf_counter(), time.process_time()
    result = searcher.search(Game(KIWIPETE), features(), Limits(soft_ms=150, hard_ms=150))
    # A busy machine makes it longer on the wall, never for the processor.
    assert time.perf_counter() - began > 0.12 and result.ms >= 120
    assert time.process_time() - used < 2.0


def test_only_stability_ends_a_settled_search_before_its_soft_time() -> None:
    """A recapture that stands from the first iteration on: with the switch some of these searches give time back."""
    recapture = "r2q1rk1/ppp2ppp/2n5/3Q4/8/5N2/PPP2PPP/R4RK1 b - - 0 1"

    def gives_back(level: str, soft_ms: int) -> bool:
        limits = Limits(soft_ms=soft_ms, hard_ms=8 * soft_ms)
        return bool(
            Searcher(4).search(Game(recapture), features(Stability=level, NodeShare="off"), limits).ms < soft_ms
        )

    assert not any(gives_back("off", ms) for ms in range(12, 60, 4))
    # A busy machine may eat up what a short search saves: then a longer one is tried.
    assert any(gives_back("on", ms) for ms in (*range(12, 60, 4), *(100 * 2**n for n in range(6))))


def test_only_renewed_age_changes_the_second_search_of_a_game() -> None:
    def nodes(level: str) -> list[int]:
        searcher, game = Searcher(4), Game(KIWIPETE)
        found = []
        for move in ("e2a6", "b4c3", "b2c3"):
            found.append(searcher.search(game, features(RenewAge=level), Limits(depth=9)).nodes)
            game.push(game.parse(move))
        return found

    off, on = nodes("off"), nodes("on")
    assert off[0] == on[0]
    assert off[1:] != on[1:]


def test_pause_freezes_nodes_and_clock_and_resume_goes_on() -> None:
    searcher = Searcher(4)
    with Running(searcher, KIWIPETE, Limits(soft_ms=60_000, hard_ms=60_000)) as running:
        running.wait_for_depth(3)
        searcher.pause()
        frozen, looks = -1, 0
        limit = time.monotonic() + 60
        while looks < 5:  # its thread must first come to where it asks, and may be waiting for a processor
            assert time.monotonic() < limit, "it does not stand still"
            time.sleep(0.1)
            before, frozen = frozen, searcher.nodes()
            looks = looks + 1 if before == frozen else 0
        searcher.resume()
        limit = time.monotonic() + 60
        while searcher.nodes() == frozen and time.monotonic() < limit:
            time.sleep(0.005)
        assert searcher.nodes() > frozen
        ms = searcher.progress()[0]
    assert ms < 60_000 and running.result.move


def test_new_times_end_an_endless_search() -> None:
    """A ponder hit: the search goes on, now with a clock."""
    searcher = Searcher(4)
    with Running(searcher, KIWIPETE, Limits()) as running:
        running.wait_for_depth(3)
        searcher.set_times(60, 60, True)
        running.thread.join(60)
        assert not running.thread.is_alive()
    assert running.result.move


def test_new_times_before_the_search_thread_has_begun_are_not_lost() -> None:
    """A ponder hit that comes at once: the endless search starts with a clock."""
    searcher = Searcher(4)
    searcher.prepare(Limits())
    searcher.set_times(60, 60, True)
    began, used = time.perf_counter(), time.process_time()
    result = searcher.search(Game(KIWIPETE), features(), Limits())
    assert result.move and time.perf_counter() - began > 0.03 and time.process_time() - used < 5
    searcher.prepare(Limits(soft_ms=60_000, hard_ms=60_000))
    result = searcher.search(Game(MATES[0][0]), features(), Limits(soft_ms=60_000, hard_ms=60_000))
    assert result.score == 100001, "an earlier search's new times are forgotten"
    assert searcher.search(Game(KIWIPETE), features(), Limits(depth=3)).depth == 3


def test_a_line_of_one_move_gets_its_ponder_move_from_the_table() -> None:
    """The first root move is stopped right after it proved good: the table knows the answer that the line lacks."""
    searcher, one_move = Searcher(4), 0
    for fen in QUIET:
        game = Game(fen)
        searcher.search(game, features(), Limits(depth=7))
        result = searcher.search(game, features(), Limits(nodes=1))
        if len(result.pv) > 1:
            continue
        one_move += 1
        game.push(result.move)
        assert result.ponder in game.legal_moves()
    assert one_move


def test_an_endless_search_waits_for_stop_even_when_all_is_known() -> None:
    """Mate in one: nothing is left to find, but the answer comes when it is asked for."""
    searcher = Searcher(1)
    with Running(searcher, MATES[0][0], Limits()) as running:
        time.sleep(0.2)
        assert running.thread.is_alive()
        searcher.stop()
        running.thread.join(60)
    assert running.result.score == 100001


def test_excluded_root_moves_are_not_played() -> None:
    game = Game(QUIET[2])
    excluded: list[int] = []
    searcher = Searcher(1)
    for left in range(len(game.legal_moves()), 0, -1):
        result = searcher.search(game, features(), Limits(depth=2), excluded=tuple(excluded))
        assert result.move not in excluded and left == len(game.legal_moves()) - len(excluded)
        excluded.append(result.move)
    assert sorted(excluded) == sorted(game.legal_moves())
    assert searcher.search(game, features(), Limits(depth=2), excluded=tuple(excluded)).move == 0


def test_reports() -> None:
    """One at the end of each depth with its exact score; time and nodes never go back; lines are legal."""
    infos: list[Info] = []
    game = Game(QUIET[4])
    result = Searcher(4).search(game, features(), Limits(depth=9), infos.append)
    assert {info.depth for info in infos if info.bound == 0} == set(range(1, 10))
    for before, after in zip(infos, infos[1:], strict=False):
        assert after.depth >= before.depth and after.nodes >= before.nodes and after.ms >= before.ms
    for info in infos:
        line = game.copy()
        for move in info.pv:
            line.push(move)  # raises for an illegal move
    assert infos[-1].pv == result.pv and infos[-1].score == result.score
    assert len(result.pv) > 1 and result.ponder == result.pv[1]


@settings(max_examples=25)
@given(game_plans(longest=60), st.sampled_from(PRESETS), st.integers(1, 1500))
def test_any_position_any_preset_gives_a_legal_move_and_line(plan: Plan, preset: str, nodes: int) -> None:
    _, game = play_out(plan)
    legal = game.legal_moves()
    result = Searcher(1).search(game, features(Preset=preset), Limits(nodes=nodes, depth=40))
    assert (result.move in legal) if legal else result.move == 0
    line = game.copy()
    for move in result.pv:
        line.push(move)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_same_search_twice_is_the_same(preset: str) -> None:
    """After clear() nothing of earlier games is left: node for node."""
    searcher = Searcher(4)
    depth = 8 if preset == "modern" else 4
    chosen = features(Preset=preset)

    def run(fen: str) -> tuple[object, ...]:
        searcher.clear()
        result = searcher.search(Game(fen), chosen, Limits(depth=depth))
        return result.nodes, result.score, result.move, tuple(result.pv), str(result.stats)

    first = run(QUIET[5])
    for other in (QUIET[6], SHARP[5]):
        run(other)
    assert run(QUIET[5]) == first
    fresh = Searcher(4).search(Game(QUIET[5]), chosen, Limits(depth=depth))
    assert (fresh.nodes, fresh.score) == first[:2]


def test_perpetual_check_is_sought_when_losing() -> None:
    """A queen that checks for ever saves the side that is two rooks down."""
    fen = "6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1"
    result = search(fen, 8)
    assert result.score == 0 and Game(fen).san(result.move) == "Qe8+"


def test_repetition_is_avoided_when_winning() -> None:
    """A rook up, the position that stood twice already is not allowed a third time."""
    game = Game("7k/8/8/8/8/8/6R1/K7 w - - 10 20")
    for text in ("Rg3", "Kh7", "Rg2", "Kh8", "Rg3", "Kh7"):
        game.push(game.parse(text))
    result = Searcher(4).search(game, features(), Limits(depth=6))
    assert result.score > 1000
    game.push(result.move)
    reply = Searcher(4).search(game, features(), Limits(depth=6))
    game.push(reply.move)
    assert game.outcome() is None


def test_fifty_moves_are_seen() -> None:
    """With one half-move left before the draw a rook up is worth nothing, unless a pawn can move."""
    assert search("7k/8/8/8/8/8/6R1/K7 w - - 99 120", 5).score == 0
    assert search("7k/8/8/8/8/P7/6R1/K7 w - - 99 120", 5).score > 300
    mate = search("7k/8/6K1/8/8/8/8/R7 w - - 99 120", 3)
    assert mate.score == 100001, "a mate with the hundredth half-move counts"


def threads_come_down_to(count: int) -> bool:
    """A thread that gave its lock back may take a moment to be gone."""
    limit = time.monotonic() + 60
    while psutil.Process().num_threads() > count and time.monotonic() < limit:
        time.sleep(0.005)
    return psutil.Process().num_threads() == count


def test_a_mate_that_fifty_moves_forbid_is_not_taken_from_the_table() -> None:
    """The keys of the table know nothing of that rule."""
    searcher = Searcher(16)
    board = "7Q/7K/8/5R2/4k3/8/8/8 w - -"
    assert searcher.search(Game(f"{board} 0 1"), features(), Limits(depth=11)).score > 100_000
    for clock in (92, 94, 98):
        for depth in (1, 2, 3):
            result = searcher.search(Game(f"{board} {clock} 60"), features(), Limits(depth=depth))
            assert result.score <= 100_000 + (100 - clock + 1) // 2, (clock, depth)


@pytest.mark.parametrize("nodes", [1, 5])
def test_a_search_that_ends_in_its_first_iteration_has_the_score_of_its_move(nodes: int) -> None:
    result = Searcher(4).search(Game("6k1/8/6K1/8/8/8/8/Q7 w - - 0 1"), features(), Limits(nodes=nodes))
    assert result.depth == 0 and result.score > 300


@pytest.mark.parametrize(
    "fen",
    [
        "k4r2/1R4pb/1pQp1n1p/3P4/5p1P/3P2P1/r1q1R2K/8 w - - 0 1",
        "rnbqkb1r/pppp1ppp/8/4P3/6n1/7P/PPPNPPP1/R1BQKBNR b KQkq - 0 1",
    ],
)
def test_a_search_that_ends_in_any_iteration_has_the_score_of_its_move(fen: str) -> None:
    """It had that of the iteration before: Sortie took a draw, or resigned, with a mate on the screen."""
    replaced = 0
    for nodes in range(80, 240):
        infos: list[Info] = []
        result = Searcher(4).search(Game(fen), features(), Limits(nodes=nodes), infos.append)
        told = infos[-1] if infos else None
        if told is not None and told.depth > result.depth and not told.bound:
            assert (told.pv[0], told.score) == (result.move, result.score), nodes
            replaced += 1
    assert replaced


def test_a_search_of_some_root_moves_tells_the_table_nothing_of_the_position() -> None:
    """The replies that do not parry the mate were taken for all there are."""
    game, searcher = Game(), Searcher(4)
    for move in ("e2e4", "e7e5", "f1c4", "b8c6"):
        game.push(game.parse(move))
    before = game.copy()
    game.push(game.parse("d1h5"))
    some = {game.parse(move) for move in ("g8f6", "a7a6", "b7b6", "h7h6")}
    excluded = tuple(move for move in game.legal_moves() if move not in some)
    assert searcher.search(game, features(), Limits(depth=8), None, excluded).score < -99_000
    for depth in (1, 6):
        assert abs(searcher.search(before, features(), Limits(depth=depth)).score) < 1_000


def test_two_cores_search_and_leave_no_thread_behind() -> None:
    searcher = Searcher(4, cores=2)
    before = psutil.Process().num_threads()
    with Running(searcher, KIWIPETE, Limits()) as running:
        running.wait_for_depth(3)
        assert psutil.Process().num_threads() == before + 2  # the main one is a thread of this test
    assert threads_come_down_to(before)
    result = searcher.search(Game(KIWIPETE), features(), Limits(depth=9))
    assert result.depth == 9 and result.move in Game(KIWIPETE).legal_moves()
    assert threads_come_down_to(before)
    assert searcher.search(Game(MATES[2][0]), features(), Limits(depth=6)).score == 100002
    with Running(searcher, KIWIPETE, Limits()) as running:
        running.wait_for_depth(3)
    assert running.result.move and threads_come_down_to(before)
    searcher.set_cores(1)
    searcher.clear()
    one = searcher.search(Game(QUIET[0]), features(), Limits(depth=7))
    assert one.nodes == search(QUIET[0], 7).nodes


@pytest.mark.parametrize("fen", [*QUIET[:3], KIWIPETE, MATES[2][0]])
def test_three_threads_agree_on_one_answer(fen: str) -> None:
    with Running(Searcher(4, cores=3), fen, Limits()) as running:
        running.wait_for_depth(8)
    last, result = running.infos[-1], running.result
    # The iteration that was stopped may have a better move, and two slower threads may outvote the one that reports.
    assert last.pv == result.pv or last.pv[0] != result.move or last.depth <= result.depth + 1
    assert result.pv[0] == result.move and result.depth >= 5  # on a busy machine those two are some plies behind
    assert fen != MATES[2][0] or result.score == 100002


def test_memory_can_be_changed_between_searches() -> None:
    searcher = Searcher(1)
    for mebibytes in (8, 1, 1, 3):
        searcher.set_memory(mebibytes)
        assert searcher.search(Game(START), features(), Limits(depth=6)).depth == 6


def test_node_count_is_split_into_main_and_quiescence() -> None:
    result = search(QUIET[7], 7)
    assert result.stats["main_nodes"] + result.stats["q_nodes"] == result.nodes
    assert result.qnodes == result.stats["q_nodes"] > 0
    assert sum(result.stats["iterations"]) == result.nodes


@pytest.mark.parametrize("hard", [30_000, 100])
def test_time_spent_pondering_counts(hard: int) -> None:
    """A ponder hit after a long ponder, with little time wanted, is answered at once, not after another share.

    Also with a clock so low, or so few moves before it is filled up, that there is nothing between soft and hard.
    """
    searcher = Searcher(4)
    with Running(searcher, KIWIPETE, Limits()) as running:
        running.wait_for_depth(8)
        while searcher.progress()[0] < 500:
            time.sleep(0.01)
        used = time.process_time()
        searcher.set_times(100, hard)
        running.thread.join(60)
        assert time.process_time() - used < 0.05  # a re-timed search looks at the clock every thousand nodes
    assert running.result.move


def test_a_ponder_hit_too_early_thinks_on() -> None:
    """What is left of the share is used, and no more than the hard limit from the hit on."""
    searcher = Searcher(4)
    with Running(searcher, KIWIPETE, Limits()) as running:
        running.wait_for_depth(2)
        searcher.set_times(60_000, 400)
        began = time.monotonic()
        running.thread.join(60)
        assert 0.3 < time.monotonic() - began < 10
    assert running.result.move
