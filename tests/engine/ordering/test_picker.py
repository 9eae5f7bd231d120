"""The move picker: every legal move once, in one total order however it is chosen, generated and tested."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import KIWIPETE, SHARP, Plan, features, game_plans, play_out

from engine.board.game import Game

ORDERINGS = st.fixed_dictionaries(
    {
        "Preset": st.sampled_from(("bare", "jazz", "modern", "winglet", "mediocre")),
        "PVMoves": st.sampled_from(("off", "root", "line")),
        "CaptureOrder": st.sampled_from(("generation", "mvvlva", "see")),
        "SEEForm": st.sampled_from(("linear", "early-exit", "swap")),
        "Killers": st.sampled_from(("0", "1", "2")),
        "CounterMove": st.sampled_from(("on", "off")),
        "ComboMove": st.sampled_from(("on", "off")),
        "History": st.sampled_from(("off", "original", "quiet", "gated", "gravity")),
        "IndexBy": st.sampled_from(("fromto", "pieceto")),
        "ThreatOrder": st.sampled_from(("on", "off")),
        "BadCaptures": st.sampled_from(("last", "inplace", "equal")),
        "Baseline": st.sampled_from(("none", "none", "worst")),
    }
)


def filled(probe: ModuleType, levels: dict[str, str], game: Game, choices: list[int]) -> Any:
    """Tables with something in them: the first moves of the list have cut off here and there."""
    memory = probe.MemoryProbe(features(**levels))
    moves = game.legal_moves()
    form = levels["History"]
    if moves and form != "off":
        for i, choice in enumerate(choices[:20]):
            memory.credit(form, game, moves[choice % len(moves)], 1 + i % 9, [])
    return memory


@settings(max_examples=150)
@given(game_plans(longest=40), ORDERINGS, st.lists(st.integers(0, 65535), min_size=7, max_size=7))
def test_every_legal_move_once_and_the_same_however_chosen(
    probe: ModuleType, plan: Plan, levels: dict[str, str], codes: list[int]
) -> None:
    """Whatever codes are remembered, the picker hands out the legal moves, each once; selection = sort, and so on."""
    board, game = play_out(plan)
    moves = game.legal_moves()
    # Some of the remembered codes are real moves of the position.
    specials = [moves[code % len(moves)] if moves and code & 1 else code for code in codes[:6]]
    threat = codes[6]
    sequences = []
    memory = filled(probe, levels, game, plan[2])
    for choose in ("selection", "sort"):
        for generation in ("staged", "all"):
            for legality in ("late", "early"):
                memory.use(features(**levels, Choose=choose, Generation=generation, Legality=legality))
                picked, _ = memory.picked(game, specials, threat)
                sequences.append(picked)
    assert sorted(move for move, _ in sequences[0]) == sorted(moves), game.fen()
    assert all(sequence == sequences[0] for sequence in sequences), (levels, game.fen())
    order = features(**levels).program()
    places = [order.index(stage) for _, stage in sequences[0]]
    assert places == sorted(places)


@settings(max_examples=80)
@given(game_plans(longest=40), ORDERINGS, st.sampled_from((1, 0, -100000)), st.booleans())
def test_quiescence_hands_out_what_its_level_says(
    probe: ModuleType, plan: Plan, levels: dict[str, str], threshold: int, checks: bool
) -> None:
    """Captures that reach the threshold and queen promotions; such quiet checks too where they are asked for."""
    _, game = play_out(plan)
    if game.in_check():
        return
    levels = {**levels, "QSearch": "checks" if checks else "every", "SEEForm": "swap"}
    memory = filled(probe, levels, game, plan[2])
    picked = [move for move, _ in memory.picked(game, [0] * 6, 0, threshold, checks)[0]]
    expected = []
    for move in game.legal_moves():
        noisy = move >> 14 in (1, 2) or "x" in game.san(move)
        if not noisy:
            if checks and game.gives_check(move) and (threshold == -100000 or game.see_ge(move, threshold)):
                expected.append(move)
        elif threshold == -100000 or game.see_ge(move, threshold):
            if move >> 14 != 1 or threshold == -100000 or (move >> 12) & 3 == 3:
                expected.append(move)
        elif move >> 14 == 1 and (move >> 12) & 3 == 3 and threshold > 0:
            expected.append(move)  # QSearch winning takes every queen promotion
    assert sorted(picked) == sorted(expected), game.fen()


def kiwi_order(probe: ModuleType, specials: list[str], **levels: object) -> list[tuple[str, str]]:
    game = Game(KIWIPETE)
    memory = probe.MemoryProbe(features(**levels))
    codes = [game.parse(text) if text else 0 for text in specials]
    return [(game.coordinates(move), stage) for move, stage in memory.picked(game, codes)[0]]


def test_the_order_of_jazz(probe: ModuleType) -> None:
    """Hash move, winning captures, killers, counter, combo, quiet moves, then equal and losing captures."""
    order = kiwi_order(probe, ["", "e2a6", "a2a3", "a2a4", "b2b3", "g2g3"], Preset="jazz")
    assert order[0] == ("e2a6", "HASH")
    names = [stage for _, stage in order]
    first = {stage: names.index(stage) for stage in dict.fromkeys(names)}
    assert list(first) == ["HASH", "GOOD_NOISY", "KILLERS", "COUNTER", "COMBO", "QUIETS", "BAD_NOISY"]
    assert [move for move, stage in order if stage == "KILLERS"] == ["a2a3", "a2a4"]
    game = Game(KIWIPETE)
    for move, stage in order:
        if stage in ("GOOD_NOISY", "BAD_NOISY"):
            assert game.see_ge(game.parse(move), 1) == (stage == "GOOD_NOISY")


def test_remembered_moves_are_verified(probe: ModuleType) -> None:
    """Killers are quiet: a capture, an illegal move or a blocked one is not tried in their stage."""
    order = kiwi_order(probe, ["", "", "e2a6", "e1g1", "a1a8", ""], Preset="jazz")
    assert [(m, s) for m, s in order if s in ("KILLERS", "COUNTER")] == [("e1g1", "KILLERS")]
    one = kiwi_order(probe, ["", "", "a2a3", "b2b3", "", ""], Preset="jazz", Killers=1)
    assert [m for m, s in one if s == "KILLERS"] == ["a2a3"]


def test_capture_orders(probe: ModuleType) -> None:
    """Most valuable victim by least valuable attacker; exchange value, best first; generation order."""
    game = Game(KIWIPETE)
    captures = {
        level: [m for m, s in kiwi_order(probe, [""] * 6, Preset="bare", CaptureOrder=level) if s == "NOISY"]
        for level in ("generation", "mvvlva", "see")
    }
    values = [game.see(game.parse(move)) for move in captures["see"]]
    assert values == sorted(values, reverse=True)
    victims = [game.gains(game.parse(move))[0] for move in captures["mvvlva"]]
    assert victims == sorted(victims, reverse=True)
    listed = [game.coordinates(move) for move in game.legal_moves() if "x" in game.san(move)]
    assert captures["generation"] == listed


def test_history_orders_quiet_moves(probe: ModuleType) -> None:
    game = Game(KIWIPETE)
    for level in ("original", "quiet", "gated", "gravity"):
        memory = probe.MemoryProbe(features(Preset="bare", History=level, CaptureOrder="mvvlva"))
        favourites = [game.parse("g2g3"), game.parse("a2a4")]
        memory.credit(level, game, favourites[1], 4, [])
        memory.credit(level, game, favourites[0], 7, [])
        quiets = [move for move, stage in memory.picked(game, [0] * 6)[0] if stage == "QUIETS"]
        assert quiets[:2] == favourites


def test_winglet_mixes_captures_and_quiet_moves(probe: ModuleType) -> None:
    game = Game(KIWIPETE)
    memory = probe.MemoryProbe(features(Preset="winglet"))
    quiet, capture = game.parse("g2g3"), game.parse("e2a6")
    memory.credit("original", game, capture, 3)
    memory.credit("original", game, quiet, 5)
    picked = memory.picked(game, [0] * 6)[0]
    assert [move for move, _ in picked[:2]] == [quiet, capture]
    assert {stage for _, stage in picked} == {"MIXED"}


def test_a_threat_moves_the_piece_it_hits_and_takes_the_one_that_makes_it(probe: ModuleType) -> None:
    """C12: the bonus goes to moves of the piece en prise, and captures of the threatener are not deferred."""
    game = Game("4k3/8/2n5/8/3R4/8/8/1N2K3 w - - 0 1")
    memory = probe.MemoryProbe(features(Preset="jazz"))
    threat = 42 | 27 << 6  # the knight takes the rook
    quiets = [move for move, stage in memory.picked(game, [0] * 6, threat)[0] if stage == "QUIETS"]
    rook_moves = [move & 63 == 27 for move in quiets]
    assert rook_moves == sorted(rook_moves, reverse=True) and any(rook_moves) and not all(rook_moves)
    assert [move & 63 == 27 for move, s in memory.picked(game, [0] * 6)[0] if s == "QUIETS"] != rook_moves


LESSER = {
    chess.PAWN: (),
    chess.KNIGHT: (chess.PAWN,),
    chess.BISHOP: (chess.PAWN,),
    chess.ROOK: (chess.PAWN, chess.KNIGHT, chess.BISHOP),
    chess.QUEEN: (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK),
    chess.KING: (),
}


@settings(max_examples=150)
@given(game_plans(longest=60))
def test_escapes_and_checks_come_before_other_quiet_moves(probe: ModuleType, plan: Plan) -> None:
    """EscapeOrder: what leaves a square that a lesser piece attacks for one where none does. CheckOrder: what checks directly."""
    board, game = play_out(plan)

    def attacked(square: int, kind: int) -> bool:
        enemies = board.attackers(not board.turn, square)
        return any(board.piece_type_at(enemy) in LESSER[kind] for enemy in enemies)

    def escapes(move: chess.Move) -> bool:
        kind = board.piece_type_at(move.from_square)
        assert kind is not None
        return attacked(move.from_square, kind) and not attacked(move.to_square, kind)

    def checks(move: chess.Move) -> bool:
        after = board.copy(stack=False)
        after.push(move)
        return move.to_square in after.checkers()

    for switch, sign in (("EscapeOrder", escapes), ("CheckOrder", checks)):
        memory = probe.MemoryProbe(features(Preset="bare", CaptureOrder="mvvlva", **{switch: "on"}))
        codes = [move for move, stage in memory.picked(game, [0] * 6)[0] if stage == "QUIETS"]
        early = [sign(board.parse_san(game.san(code))) for code in codes]
        assert early == sorted(early, reverse=True), (switch, board.fen())


@pytest.mark.parametrize("fen", SHARP)
def test_staging_and_late_legality_save_work_after_one_move(probe: ModuleType, fen: str) -> None:
    """C13, C14: all that is counted for the whole list; each legality tests what it has listed."""
    game = Game(fen)
    late = probe.MemoryProbe(features(Preset="mediocre", Generation="staged", Legality="late")).picked(game, [0] * 6)[1]
    early = probe.MemoryProbe(features(Preset="mediocre", Generation="staged", Legality="early")).picked(game, [0] * 6)[
        1
    ]
    assert late["generated"] == late["tested"] == len(game.pseudo_legal_moves())
    assert early["generated"] == len(game.legal_moves()) and early["tested"] == len(game.legal_moves())
