"""The rules of the XBoard protocol that engines break most: positions, ends of games, analysis."""

from __future__ import annotations

import chess

from harness.conformance.probe import CASTLING_960, GRACE, Fails, NotSupported, Probe, is_move, move_text, no_stderr
from harness.conformance.rule import RuleList
from harness.conformance.xboard_basics import (
    RESULT,
    THINKING,
    alive,
    is_complaint,
    is_result,
    no_complaint,
    no_move,
    shallow,
    think,
)
from harness.engines.edit import edit_commands

RULES = RuleList()
rule = RULES.rule

# Moves and positions


@rule("illegal-move", "refuses an illegal move by `Illegal move`, keeps the position and does not think")
def illegal_move(probe: Probe) -> None:
    features = probe.xboard()
    probe.new("easy", "st 1")
    probe.sync()
    probe.say("usermove e2e5" if features.usermove else "e2e5")
    lines = probe.sync() + probe.collect(0.2)
    no_move(lines)
    if not any(line.lower().startswith(("illegal", "invalid")) for line in lines):
        raise Fails("no `Illegal move` line")
    probe.usermove("e2e4")
    probe.engine_move(4)


@rule("setboard", "plays from a position set by `setboard`, en passant and castling rights included")
def setboard(probe: Probe) -> None:
    probe.xboard()
    probe.new("easy", "st 1", fen="4k3/8/8/8/1p6/8/P6P/R3K2R w KQ - 0 1")
    for move in ("a2a4", "b4a3", "e1g1", "a3a2"):
        probe.usermove(move)
    no_complaint(probe.sync())
    probe.say("go")
    probe.engine_move(4)


@rule("promotion", "takes promotions to every piece")
def promotion(probe: Probe) -> None:
    probe.xboard()
    # The last move is the new piece's own: a knight that has become a queen cannot make it.
    for piece, then in (("q", "a8d5"), ("r", "a8a5"), ("b", "a8d5"), ("n", "a8b6")):
        probe.new("easy", "st 1", fen="8/P6k/8/8/8/p7/P5K1/8 w - - 0 1")
        for move in (f"a7a8{piece}", "h7g7", then):
            probe.usermove(move)
        no_complaint(probe.sync())


@rule("late-en-passant", "knows that en passant is legal only at once")
def late_en_passant(probe: Probe) -> None:
    features = probe.xboard()
    probe.new("easy", fen="4k3/8/8/8/1p6/8/P6P/4K3 w - - 0 1")
    for move in ("a2a4", "e8e7", "h2h3"):
        probe.usermove(move)
    probe.sync()
    probe.say("usermove b4a3" if features.usermove else "b4a3")
    if not any(line.lower().startswith(("illegal", "invalid")) for line in probe.sync()):
        raise Fails("took en passant a move late")


@rule("bad-position", "lives on after an impossible position, and plays no move in it")
def bad_position(probe: Probe) -> None:
    if not probe.xboard().setboard:
        raise NotSupported("no setboard")
    for fen in ("8/8/8/8/8/8/8/8 w - - 0 1", "not a position at all", "kkkkkkkk/8/8/8/8/8/8/K7 w - - 0 1"):
        probe.new("force")
        probe.say(f"setboard {fen}")
        no_move(probe.sync())
    alive(probe)


@rule("undo", "takes back moves in force mode, and no further than the start")
def undo(probe: Probe) -> None:
    probe.xboard()
    probe.new("force", "easy", "st 1")
    for move in ("e2e4", "e7e5", "g1f3"):
        probe.usermove(move)
    probe.say("undo", "undo")
    probe.board.pop()
    probe.board.pop()
    probe.usermove("c7c5")
    no_complaint(probe.sync())
    probe.say("go")
    probe.engine_move(4)
    probe.say("force", *["undo"] * 300)
    probe.sync()
    alive(probe)


@rule("undo-past-setboard", "takes back no further than a position that was set")
def undo_past_setboard(probe: Probe) -> None:
    if not probe.xboard().setboard:
        raise NotSupported("no setboard")
    probe.new("force", "easy", "st 1")
    probe.usermove("e2e4")
    probe.new(fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    probe.sync()
    probe.say("undo", "undo")
    no_move(probe.sync())
    probe.usermove("e2e4")
    no_complaint(probe.sync())
    probe.say("go")
    probe.engine_move(4)


@rule("remove", "takes back two moves and keeps its side")
def remove(probe: Probe) -> None:
    probe.xboard()
    probe.new("easy", "st 1")
    probe.usermove("e2e4")
    probe.engine_move(4)
    probe.say("remove")
    probe.board.pop()
    probe.board.pop()
    no_move(probe.sync() + probe.collect(0.2))
    probe.usermove("d2d4")
    probe.engine_move(4)


@rule("edit", "sets up a position by `edit`, Black to move by a move before it")
def edit(probe: Probe) -> None:
    has_setboard = probe.xboard().setboard
    prefix = "usermove " if probe.features.usermove else ""
    try:
        for fen, move in (
            ("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1", "e1g1"),
            ("r3k3/p7/8/8/8/8/4P3/4K3 b q - 0 1", "e8c8"),
        ):
            probe.new("force", "easy", "st 1")
            probe.board = chess.Board(fen)
            probe.say(*edit_commands(probe.board, prefix, probe.features.san))
            probe.usermove(move)
            no_complaint(probe.sync())
            probe.say("go")
            probe.engine_move(4)
    except Fails as failure:
        if has_setboard:
            raise NotSupported(f"it has setboard, and edit fails: {failure}") from None
        raise


@rule("chess960", "castles by O-O in fischerandom, also with the rook beside the king")
def chess960(probe: Probe) -> None:
    variants = probe.xboard().variants or ()
    if "fischerandom" not in variants:
        raise NotSupported("variants without fischerandom")
    probe.say("new", "variant fischerandom", "force", "easy", "st 1", f"setboard {CASTLING_960}")
    probe.sync()
    probe.say("usermove O-O" if probe.features.usermove else "O-O")
    no_complaint(probe.sync())
    probe.board = chess.Board(CASTLING_960, chess960=True)
    probe.board.push_san("O-O")
    probe.say("go")
    probe.engine_move(4)


# Endings of games


@rule("mated", "says the result and makes no move when `go` finds it mated")
def mated(probe: Probe) -> None:
    probe.xboard()
    probe.new("force", "easy", "st 1")
    for move in ("f2f3", "e7e5", "g2g4", "d8h4"):
        probe.usermove(move)
    before = probe.sync()
    probe.say("go")
    lines = before + probe.collect(0.7)
    no_move(lines)
    if not any(is_result(line) for line in lines):
        raise Fails("silence: a GUI that waits for a word hangs")
    if any(line.startswith("1-0") for line in lines):
        raise Fails("claims a win when it is mated")


@rule("mating", "says no result but the true one after mating")
def mating(probe: Probe) -> None:
    probe.xboard()
    probe.new("easy", "st 1", fen="6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    probe.say("go")
    probe.engine_move(4)
    if not probe.board.is_checkmate():
        raise Fails("did not play the mate in one")
    for line in probe.collect(0.3):
        if RESULT.match(line) and not line.startswith("1-0"):
            raise Fails(f'claims "{line}" after mating')


@rule("no-false-draw", "does not claim a repetition of positions that differ in castling rights")
def no_false_draw(probe: Probe) -> None:
    probe.xboard()
    probe.new("force", "easy", "st 1")
    for move in ("g1f3", "g8f6", "h1g1", "h8g8", "g1h1", "g8h8", "h1g1", "h8g8", "g1h1", "g8h8"):
        probe.usermove(move)
    probe.say("go")
    line = probe.wait("move", lambda text: is_move(text) or is_result(text), 4)
    if is_result(line):
        raise Fails(f'claims "{line}"')


@rule("no-early-fifty", "does not claim the fifty-move rule after 99 plies")
def no_early_fifty(probe: Probe) -> None:
    if not probe.xboard().setboard:
        raise NotSupported("no setboard")
    probe.new("easy", "st 1", fen="4k3/8/8/8/8/8/8/R3K3 w - - 98 90")
    probe.say("go")
    line = probe.wait("move", lambda text: is_move(text) or is_result(text), 4)
    lines = [line, *probe.collect(0.3)]
    claims = [text for text in lines if is_result(text)]
    if claims:
        raise Fails(f'claims "{claims[0]}"')


@rule("mate-score", "gives a mate in two as 100002 once it sees it")
def mate_score(probe: Probe) -> None:
    probe.xboard()
    probe.new("easy", "post", "st 1", fen="k7/8/8/2K5/8/8/8/7R w - - 0 1")
    probe.say("go")
    lines = probe.until("move", is_move, 5)
    probe.move_of(move_text(lines[-1]))
    scores = [int(line.split()[1]) for line in lines if THINKING.match(line)]
    if not scores:
        raise NotSupported("no scores")
    if scores[-1] != 100_002:
        raise Fails(f"score {scores[-1]}")


@rule("quit", "leaves within a second of `quit`, also while thinking")
def leave(probe: Probe) -> None:
    probe.xboard()
    think(probe, "st 60")
    probe.collect(0.1)
    probe.say("quit")
    probe.gone(1.0 + GRACE)


@rule("end-of-input", "leaves within a second when its input is closed, also while thinking")
def end_of_input(probe: Probe) -> None:
    probe.xboard()
    think(probe, "st 60")
    probe.collect(0.1)
    probe.process.close_input()
    probe.gone(1.0 + GRACE)


# Analysis and the rest


@rule("analyze", "analyses without ever moving, follows moves and `undo`, and plays again after `exit`")
def analyze(probe: Probe) -> None:
    if not probe.xboard().analyze:
        raise NotSupported("feature analyze=0")
    probe.new("force", "easy", "post")
    probe.sync()
    probe.say("analyze")
    lines = probe.collect(0.4)
    if any(is_complaint(line) for line in lines):
        raise NotSupported("refuses analyze")
    probe.usermove("e2e4")
    probe.usermove("e7e5")
    lines += probe.collect(0.3)
    probe.say("undo", ".")
    probe.board.pop()
    lines += probe.collect(0.3)
    probe.say("exit")
    lines += probe.sync()
    no_move(lines)
    if not any(THINKING.match(line) for line in lines):
        raise Fails("shows no lines")
    probe.say("st 1", "go")
    probe.engine_move(4)


@rule("analyze-positions", "stays in analysis through `new`, `setboard` and a mated position, without ever moving")
def analyze_positions(probe: Probe) -> None:
    if not (probe.xboard().setboard and probe.features.analyze):
        raise NotSupported("no setboard" if probe.features.analyze else "feature analyze=0")
    probe.new("force", "easy", "post")
    probe.sync()
    probe.say("analyze")
    lines = probe.collect(0.2)
    if any(is_complaint(line) for line in lines):
        raise NotSupported("refuses analyze")
    mated, other = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    for line, shows in (("new", True), (f"setboard {mated}", False), (f"setboard {other}", True)):
        probe.say(line)
        lines += (here := probe.collect(0.3))
        if shows and not any(THINKING.match(text) for text in here):
            raise Fails(f"shows no lines after `{line}`")
    probe.say("exit")
    lines += probe.sync()
    no_move(lines)
    probe.board = chess.Board(other)
    probe.say("st 1", "go")
    probe.engine_move(4)


@rule("ponder", "thinks on with `hard`: answers a ping at once and plays on")
def ponder(probe: Probe) -> None:
    probe.xboard()
    probe.new("hard", "st 1")
    probe.usermove("a2a3")
    probe.engine_move(4)
    began = probe.now()
    no_move(probe.sync())
    if probe.features.ping and probe.now() - began > 0.5 + GRACE:
        raise Fails(f"pong after {probe.now() - began:.2f} s of pondering")
    no_move(probe.collect(0.5))
    probe.usermove("h2h3")
    probe.engine_move(4)


@rule("playother", "plays the other side after `playother`")
def playother(probe: Probe) -> None:
    if not probe.xboard().playother:
        raise NotSupported("no playother")
    probe.new("force", "easy", "st 1")
    probe.usermove("a2a3")
    probe.say("playother")
    no_move(probe.sync())
    probe.usermove("a7a6")
    probe.engine_move(4)


@rule("memory", "takes `memory` before every game without delay")
def memory(probe: Probe) -> None:
    if not probe.xboard().memory:
        raise NotSupported("no memory")
    if not probe.features.ping:
        raise NotSupported("no ping to time it by")
    probe.say("memory 64")
    probe.new("force")
    probe.sync(10)
    began = probe.now()
    for _ in range(20):
        probe.say("memory 64")
        probe.new("force")
        probe.sync()
    if probe.now() - began > 2.0 + GRACE:
        raise Fails(f"20 games with the same memory took {probe.now() - began:.2f} s to set up")


@rule("same-again", "plays the same after `new`: nothing of one game reaches the next")
def same_again(probe: Probe) -> None:
    probe.xboard()
    seen = []
    for _ in range(2):
        lines = shallow(probe, 8, "level 0 60 0", "sd 4")
        probe.say("force")
        probe.sync()
        counts = [line.split()[3] for line in lines if THINKING.match(line)]
        after = f" after {counts[-1]} nodes" if counts else ""
        seen.append(probe.board.peek().uci() + after)
    if seen[0] != seen[1]:
        raise Fails(f"first {seen[0]}, then {seen[1]}")


@rule("quiet-stderr", "writes nothing to standard error, which xboard reads as if it were output")
def quiet_stderr(probe: Probe) -> None:
    probe.xboard()
    alive(probe)
    no_stderr(probe)


@rule("no-chatter", "prints nothing that a GUI could take for something else")
def no_chatter(probe: Probe) -> None:
    probe.xboard()
    probe.new("easy", "nopost", "st 1")
    probe.sync()
    for first in ("e2e4", None, None):
        reply = first or sorted(move.uci() for move in probe.board.legal_moves)[0]
        probe.usermove(reply)
        line = probe.wait("move", lambda text: text != "", 4)
        while not is_move(line):
            if not line.startswith(("#", "tell", "Hint:", "offer draw")) and not THINKING.match(line):
                raise Fails(f'"{line[:80]}"')
            line = probe.wait("move", lambda text: text != "", 4)
        probe.move_of(move_text(line))
