"""History tables, killers and the update rules, called directly: each form does what its formula says."""

from __future__ import annotations

from types import ModuleType

import pytest
from positions import KIWIPETE, features

from engine.board.game import Game


@pytest.fixture
def kiwi() -> Game:
    return Game(KIWIPETE)


def codes(game: Game, *texts: str) -> list[int]:
    return [game.parse(text) for text in texts]


@pytest.mark.parametrize(
    ("weight", "expected"),
    [("one", [1, 1, 1, 1]), ("depth", [1, 2, 5, 9]), ("depth2", [1, 4, 25, 81]), ("pow2", [2, 4, 32, 512])],
)
def test_credit_weights(probe: ModuleType, weight: str, expected: list[int]) -> None:
    """1, d, d*d and 2^d; a cutoff below one ply counts as one."""
    memory = probe.MemoryProbe(features(Preset="bare", CreditWeight=weight))
    assert [memory.weight(depth) for depth in (1, 2, 5, 9)] == expected
    assert memory.weight(0) == memory.weight(1)


def test_original_credits_every_move_and_saturates(probe: ModuleType, kiwi: Game) -> None:
    memory = probe.MemoryProbe(features(Preset="winglet"))
    quiet, capture = codes(kiwi, "a2a3", "e5f7")
    memory.credit("original", kiwi, quiet, 3)
    memory.credit("original", kiwi, capture, 5)
    memory.credit("original", kiwi, quiet, 2)
    assert (memory.entry(kiwi, quiet), memory.entry(kiwi, capture), memory.total()) == (13, 25, 38)
    memory.set_entry(kiwi, quiet, probe.limits()["SATURATE_AT"] - 5)
    memory.credit("original", kiwi, quiet, 9)
    memory.credit("original", kiwi, quiet, 9)
    assert memory.entry(kiwi, quiet) == probe.limits()["SATURATE_AT"]


def test_quiet_leaves_captures_and_promotions_out_and_halves(probe: ModuleType, kiwi: Game) -> None:
    memory = probe.MemoryProbe(features(Preset="bare", History="quiet"))
    quiet, other, capture = codes(kiwi, "a2a3", "b2b3", "e5f7")
    memory.credit("quiet", kiwi, capture, 8)
    promoting = Game("8/P1k5/8/8/8/5pp1/8/5K2 w - - 0 1")
    memory.credit("quiet", promoting, promoting.parse("a8=Q"), 8)
    assert memory.total() == 0
    memory.credit("quiet", kiwi, other, 10)
    memory.set_entry(kiwi, quiet, 2**14)
    memory.credit("quiet", kiwi, quiet, 4)
    assert memory.entry(kiwi, quiet) == (2**14 + 16) // 2 and memory.entry(kiwi, other) == 50


def test_gated_debits_what_was_tried_before(probe: ModuleType, kiwi: Game) -> None:
    """+d*d for the cutting move, -d*d for every quiet move tried before it; not for captures, castling or in check."""
    memory = probe.MemoryProbe(features(Preset="bare", History="gated"))
    first, second, cutter, castle, capture = codes(kiwi, "a2a3", "b2b3", "g2g3", "e1g1", "e5f7")
    memory.credit("gated", kiwi, cutter, 4, [first, second, cutter])
    assert [memory.entry(kiwi, move) for move in (first, second, cutter)] == [-16, -16, 16]
    before = memory.total()
    memory.credit("gated", kiwi, castle, 4, [first])
    memory.credit("gated", kiwi, capture, 4, [first])
    checked = Game("4k3/8/8/8/8/8/4r3/4K2R w - - 0 1")
    memory.credit("gated", checked, checked.legal_moves()[0], 4, [])
    assert memory.total() == before


def test_gated_halves_at_its_bound_and_before_each_iteration(probe: ModuleType, kiwi: Game) -> None:
    memory = probe.MemoryProbe(features(Preset="bare", History="gated"))
    first, cutter = codes(kiwi, "a2a3", "g2g3")
    memory.set_entry(kiwi, cutter, 0x4000 - 10)
    memory.set_entry(kiwi, first, 100)
    memory.credit("gated", kiwi, cutter, 4, [cutter])
    assert memory.entry(kiwi, cutter) == (0x4000 + 6) // 2 and memory.entry(kiwi, first) == 50
    memory.start_iteration()
    assert memory.entry(kiwi, first) == 25


@pytest.mark.parametrize(("form", "kept"), [("original", False), ("quiet", True), ("gated", True), ("gravity", True)])
def test_lifetimes(probe: ModuleType, kiwi: Game, form: str, kept: bool) -> None:
    """W4: the original form is zeroed before each think; the others live for the game; another form's table is of no use."""
    chosen = features(Preset="bare", History=form)
    memory = probe.MemoryProbe(chosen)
    memory.start_think()
    cutter = kiwi.parse("g2g3")
    memory.credit(form, kiwi, cutter, 5, [cutter])
    learnt = memory.entry(kiwi, cutter)
    assert learnt > 0
    memory.start_iteration()
    assert memory.entry(kiwi, cutter) == (learnt // 2 if form == "gated" else learnt)
    memory.start_think()
    assert (memory.total() > 0) == kept
    chosen.set("History", "gated" if form == "quiet" else "quiet")
    memory.start_think()
    assert memory.total() == 0


def test_gated_debits_no_castling(probe: ModuleType, kiwi: Game) -> None:
    memory = probe.MemoryProbe(features(Preset="bare", History="gated"))
    castle, cutter = codes(kiwi, "e1g1", "g2g3")
    assert memory.credit("gated", kiwi, cutter, 4, [castle, cutter])
    assert (memory.entry(kiwi, castle), memory.entry(kiwi, cutter)) == (0, 16)


def test_who_earns(probe: ModuleType, kiwi: Game) -> None:
    """A form says whether it gave credit: captures earn in the original form alone, alpha raises in original and quiet."""
    quiet, capture = codes(kiwi, "g2g3", "e5f7")
    for form in ("original", "quiet", "gated", "gravity"):
        memory = probe.MemoryProbe(features(Preset="bare", History=form))
        assert memory.credit_cutoff(kiwi, quiet, 3, [quiet])
        assert memory.credit_cutoff(kiwi, capture, 3, []) == (form == "original")
        before = memory.total()
        raised = memory.credit_alpha_raise(kiwi, quiet, 3)
        assert raised == (memory.total() > before) == (form in ("original", "quiet"))


def test_gravity_is_bounded_and_remembers_across_searches(probe: ModuleType, kiwi: Game) -> None:
    memory = probe.MemoryProbe(features())
    memory.start_think()
    limit = probe.limits()["HISTORY_LIMIT"]
    first, cutter = codes(kiwi, "a2a3", "g2g3")
    bonus = memory.gravity_bonus(5)
    memory.credit("gravity", kiwi, cutter, 5, [first, cutter])
    assert memory.entry(kiwi, cutter) == bonus and memory.entry(kiwi, first) == -memory.gravity_malus(5)
    for _ in range(500):
        memory.credit("gravity", kiwi, cutter, 30, [first, cutter])
    assert 0.9 * limit < memory.entry(kiwi, cutter) <= limit
    assert -limit <= memory.entry(kiwi, first) < -0.9 * limit
    memory.start_think()
    assert memory.entry(kiwi, cutter) > 0
    memory.forget()
    assert memory.total() == 0


def test_gravity_cells_follow_their_formula(probe: ModuleType) -> None:
    """h += b - h*|b|/limit, and never beyond the limit from any start."""
    memory = probe.MemoryProbe(features())
    limit = probe.limits()["HISTORY_LIMIT"]
    for value in range(-limit, limit + 1, 997):
        for bonus in (-1700, -100, 0, 70, 1700):
            expected = value + bonus - int(value * abs(bonus) / limit)
            assert memory.add_gravity(value, bonus) == expected
            assert abs(expected) <= limit


def test_bonus_grows_with_depth(probe: ModuleType) -> None:
    memory = probe.MemoryProbe(features())
    bonuses = [memory.gravity_bonus(depth) for depth in range(1, 40)]
    assert bonuses == sorted(bonuses) and bonuses[0] > 0


def test_index_by_piece_and_goal_shares_what_from_and_to_keeps_apart(probe: ModuleType) -> None:
    """Two rooks to one square: one entry by piece and goal, two by origin and goal. Sides never share."""
    game = Game("r3k2r/8/8/8/8/8/8/R2K3R w - - 0 1")
    left, right = codes(game, "a1c1", "h1g1")
    both = Game("4k3/8/8/8/8/R6R/8/3K4 w - - 0 1")
    west, east = codes(both, "a3d3", "h3d3")
    for index, shared in (("fromto", 0), ("pieceto", 25)):
        memory = probe.MemoryProbe(features(Preset="winglet", IndexBy=index))
        memory.credit("original", both, west, 5)
        assert memory.entry(both, west) == 25 and memory.entry(both, east) == shared
        assert memory.entry(game, left) == memory.entry(game, right) == 0


def test_killers(probe: ModuleType) -> None:
    """The newest in slot 0, the one before in slot 1, the same move not twice; gone at the next search."""
    memory = probe.MemoryProbe(features(Preset="jazz"))
    for move in (100, 200, 200, 300):
        memory.killer(7, move)
    assert memory.killers(7) == (300, 200) and memory.killers(8) == (0, 0)
    memory.start_think()
    assert memory.killers(7) == (0, 0)


@pytest.mark.parametrize("level", ["on", "full"])
def test_correction_learns_the_whole_error(probe: ModuleType, kiwi: Game, level: str) -> None:
    """Taught with what the corrected evaluation still lacks, it comes to the error itself, not to a share of it."""
    memory = probe.MemoryProbe(features(CorrHist=level))
    error = 30
    for _ in range(400):
        memory.correct(kiwi, 8, error - memory.correction(kiwi))
    assert abs(memory.correction(kiwi) - error) <= 4
    for _ in range(400):
        memory.correct(kiwi, 8, -1000)
    assert -260 <= memory.correction(kiwi) < 0, "one table is worth tens of centipawns, whatever it is taught"


def test_correction_of_pawns_alone_takes_no_heed_of_kings_and_pieces(probe: ModuleType) -> None:
    memory = probe.MemoryProbe(features(CorrHist="on"))
    here, moved, other = (
        Game(fen)
        for fen in (
            "4k3/2p5/8/8/8/8/2P5/R3K3 w - - 0 1",
            "8/2p1k3/8/8/3N4/8/2P1K3/8 w - - 0 1",
            "4k3/8/2p5/8/8/8/2P5/R3K3 w - - 0 1",
        )
    )
    for _ in range(50):
        memory.correct(here, 8, 40)
    assert memory.correction(here) == memory.correction(moved) > 0 == memory.correction(other)


def test_full_correction_knows_the_moves_before(probe: ModuleType, kiwi: Game) -> None:
    memory = probe.MemoryProbe(features(CorrHist="full"))
    for _ in range(50):
        memory.correct(kiwi, 8, 40, 77)
    assert memory.correction(kiwi, 77) > memory.correction(kiwi, 78) > 0
