"""The rules of the UCI protocol that engines break most, each tried in a conversation."""

from __future__ import annotations

import re

import chess

from harness.conformance.probe import CASTLING_960, GRACE, QUIET_START, Fails, NotSupported, Probe, is_best, no_stderr
from harness.conformance.rule import RuleList
from harness.engines.options import parse_uci
from harness.model import keeps_to

RULES = RuleList()
rule = RULES.rule

KNOWN = ("id", "option", "uciok", "readyok", "bestmove", "copyprotection", "registration", "info")


def started(probe: Probe) -> list[str]:
    lines = probe.uci()
    probe.ready(10)
    return lines


def declared(lines: list[str]) -> dict[str, str]:
    """Returns the types of the declared options by name."""
    found = (parse_uci(line) for line in lines if line.startswith("option"))
    return {option.name: option.kind for option in found if option}


def think(probe: Probe, go: str) -> None:
    probe.say("ucinewgame")
    probe.ready()
    probe.position(None, *QUIET_START)
    probe.say(go)


def timed(probe: Probe, most: float) -> float:
    began = probe.now()
    probe.best(most + 3)
    took = probe.now() - began
    if took > most + GRACE:
        raise Fails(f"moved after {took:.2f} s where {most:g} s were allowed")
    return took


def infos(probe: Probe, seconds: float) -> list[str]:
    """Returns the info lines of a search, with one blank between words, and plays its move."""
    lines = probe.until("bestmove", is_best, seconds)
    probe.best_of(lines[-1])
    spaced = (" ".join(text.split()) for text in lines if text.startswith("info"))
    return [text for text in spaced if " string " not in f"{text} "]


def number(line: str, key: str) -> int | None:
    match = re.search(rf"\b{key} (-?\d{{1,18}})\b", line)  # a longer one is a mistake
    return int(match[1]) if match else None


@rule("uciok", "answers `uci` by its name, its options and `uciok`")
def uciok(probe: Probe) -> None:
    lines = probe.uci()
    if not any(line.startswith("id name ") for line in lines):
        raise Fails("no `id name`")


@rule("options", "declares options that can be read: types, spins with min <= default <= max, combos with choices")
def options(probe: Probe) -> None:
    lines = [line for line in probe.uci() if line.startswith("option")]
    if not lines:
        raise NotSupported("no options")
    for line in lines:
        option = parse_uci(line)
        if option is None or option.kind not in ("check", "spin", "combo", "button", "string"):
            raise Fails(f'cannot be read: "{line}"')
        if option.kind == "spin" and not option.holds_default():
            raise Fails(f'min <= default <= max does not hold: "{line}"')
        if option.kind == "combo" and option.default not in option.choices:
            raise Fails(f'the default is no choice: "{line}"')


@rule("option-defaults", "takes every option back at its default and plays on")
def option_defaults(probe: Probe) -> None:
    lines = [line for line in probe.uci() if line.startswith("option")]
    found = [option for option in map(parse_uci, lines) if option and option.kind in ("check", "spin", "combo")]
    if not found:
        raise NotSupported("no options")
    probe.say(*(f"setoption name {option.name} value {option.default}" for option in found))
    probe.ready(10)
    think(probe, "go depth 2")
    probe.best()


@rule("unknown-option", "ignores an option that it does not have")
def unknown_option(probe: Probe) -> None:
    started(probe)
    probe.say("setoption name No Such Option value 3", "setoption name")
    probe.ready()


@rule("isready", "answers `isready` at once, also while thinking")
def isready(probe: Probe) -> None:
    started(probe)
    think(probe, "go movetime 1500")
    began = probe.now()
    probe.say("isready")
    lines = probe.until("readyok", lambda line: line == "readyok")
    if probe.now() - began > 0.5 + GRACE:
        raise Fails(f"readyok after {probe.now() - began:.2f} s of thinking")
    if not any(map(is_best, lines)):
        probe.best(4)


@rule("unknown-command", "ignores an unknown command and words before a known one")
def unknown_command(probe: Probe) -> None:
    started(probe)
    probe.say("foobar", "joho debug off", "")
    probe.ready()


@rule("odd-input", "survives empty, very long, binary and CRLF lines, and blanks between words")
def odd_input(probe: Probe) -> None:
    started(probe)
    probe.say("", "   ", "x" * 100_000, "\x00\x01\x02\x7f")
    probe.ready()
    probe.say("position   startpos  moves   e2e4", "go   depth  2")
    probe.board.push_uci("e2e4")
    probe.best()
    probe.say("isready\r")
    probe.wait("readyok", lambda line: line == "readyok")


@rule("depth", "keeps to `go depth 3`")
def depth(probe: Probe) -> None:
    started(probe)
    think(probe, "go depth 3")
    depths = [number(line, "depth") or 0 for line in infos(probe, 6)]
    if depths and max(depths) != 3:
        raise Fails(f"searched to depth {max(depths)}")


@rule("nodes", "keeps to `go nodes 5000`")
def nodes(probe: Probe) -> None:
    started(probe)
    think(probe, "go nodes 5000")
    counts = [number(line, "nodes") or 0 for line in infos(probe, 10)]
    if counts and not keeps_to(5000, max(counts)):
        raise Fails(f"{max(counts)} nodes where 5000 were asked for")


@rule("movetime", "keeps to `go movetime 500`")
def movetime(probe: Probe) -> None:
    started(probe)
    think(probe, "go movetime 500")
    timed(probe, 0.5)


@rule("clock", "keeps to its clock: half a second left, with and without increment and moves to go")
def clock(probe: Probe) -> None:
    started(probe)
    for go in (
        "go wtime 500 btime 500",
        "go wtime 500 btime 500 winc 100 binc 100",
        "go wtime 500 btime 500 movestogo 1",
    ):
        think(probe, go)
        timed(probe, 0.5)


@rule("no-time", "moves when its clock is at 1 ms")
def no_time(probe: Probe) -> None:
    started(probe)
    think(probe, "go wtime 1 btime 1000")
    timed(probe, 0.5)


@rule("infinite", "does not move under `go infinite` until `stop`, and then at once")
def infinite(probe: Probe) -> None:
    started(probe)
    think(probe, "go infinite")
    if any(map(is_best, probe.collect(0.5))):
        raise Fails("moved without `stop`")
    probe.say("stop")
    timed(probe, 0.2)


@rule("one-bestmove", "answers every `go` by one `bestmove`, and a stray `stop` by none")
def one_bestmove(probe: Probe) -> None:
    started(probe)
    think(probe, "go depth 2")
    probe.best()
    probe.say("stop", "stop")
    if any(map(is_best, probe.collect(0.4))):
        raise Fails("a second bestmove")


@rule("info", "tells depth, score, nodes and a legal line while it thinks")
def info(probe: Probe) -> None:
    started(probe)
    think(probe, "go movetime 400")
    lines = [line for line in infos(probe, 5) if " pv " in line]
    if not lines:
        raise Fails("no info with a pv")
    probe.board.pop()
    for key in ("depth", "nodes"):
        if number(lines[-1], key) is None:
            raise Fails(f'no {key} in "{lines[-1][:80]}"')
    if not re.search(r"\bscore (cp|mate) -?\d+", lines[-1]):
        raise Fails(f'no score in "{lines[-1][:80]}"')
    for word in lines[-1].split(" pv ")[1].split():
        try:
            probe.board.push_uci(word)
        except ValueError:
            raise Fails(f"illegal move {word} in the pv") from None


@rule("score-sign", "gives scores from the side to move: Black a queen up is positive for Black")
def score_sign(probe: Probe) -> None:
    started(probe)
    probe.position("3qk3/pppppppp/8/8/8/8/PPPPPPPP/4K3 b - - 0 1")
    probe.say("go depth 4")
    lines = [line for line in infos(probe, 6) if " score " in line]
    if not lines:
        raise NotSupported("no scores")
    centipawns, mate = number(lines[-1], "cp"), number(lines[-1], "mate")
    score = mate if centipawns is None else centipawns
    if score is None or score <= 0:
        raise Fails(f'"{lines[-1][:80]}"')


@rule("game", "plays thirty plies of a game legally, given all moves each time")
def game(probe: Probe) -> None:
    started(probe)
    probe.say("ucinewgame")
    probe.ready()
    played: list[str] = []
    pick = 11
    for _ in range(15):
        replies = sorted(move.uci() for move in probe.board.legal_moves)
        if not replies:
            return
        pick = pick * 75 % 65537
        played.append(replies[pick % len(replies)])
        probe.position(None, *played)
        if probe.board.is_game_over():
            return
        probe.say("go movetime 30")
        played.append(probe.best(3).uci())


@rule("position", "plays from a FEN: promotion, en passant and castling in the moves")
def position(probe: Probe) -> None:
    started(probe)
    probe.position("4k3/6P1/8/8/1p6/8/P6P/R3K2R w KQ - 0 1", "a2a4", "b4a3", "e1g1", "e8d7", "g7g8n", "a3a2")
    probe.say("go depth 3")
    probe.best()


@rule("long-game", "follows a game of 300 plies told in one line")
def long_game(probe: Probe) -> None:
    started(probe)
    words = ("g1f3", "g8f6", "f3g1", "f6g8")
    probe.position(None, *(words[place % 4] for place in range(300)))
    probe.say("go depth 2")
    probe.best()


@rule("no-move", "answers `go` without a legal move by `bestmove (none)` or 0000")
def no_legal_move(probe: Probe) -> None:
    started(probe)
    for fen in ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"):
        probe.position(fen)
        probe.say("go depth 3")
        line = probe.wait("bestmove", is_best)
        words = line.split()
        if len(words) > 1 and words[1].lower() not in ("(none)", "0000", "none", "null"):
            raise Fails(f'"{line}" where there is no legal move')


@rule("mate", "mates in one")
def mate(probe: Probe) -> None:
    started(probe)
    probe.position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    probe.say("go depth 4")
    probe.best()
    if not probe.board.is_checkmate():
        raise Fails("did not play the mate in one")


@rule("ponder", "ponders under `go ponder`, moves only after `ponderhit` or `stop`")
def ponder(probe: Probe) -> None:
    if "Ponder" not in declared(started(probe)):
        raise NotSupported("no option Ponder")
    probe.say("setoption name Ponder value true")
    for word in ("ponderhit", "stop"):
        think(probe, "go ponder wtime 2000 btime 2000 winc 0 binc 0")
        if any(map(is_best, probe.collect(0.3))):
            raise Fails(f"moved before `{word}`")
        probe.say(word)
        timed(probe, 1.0)


@rule("chess960", "castles by king takes rook under UCI_Chess960")
def chess960(probe: Probe) -> None:
    if "UCI_Chess960" not in declared(started(probe)):
        raise NotSupported("no option UCI_Chess960")
    probe.say("setoption name UCI_Chess960 value true")
    probe.ready()
    probe.say(f"position fen {CASTLING_960} moves f1g1", "go depth 3")
    probe.board = chess.Board(CASTLING_960, chess960=True)
    probe.board.push_uci("f1g1")
    probe.best()


@rule("same-again", "plays the same after `ucinewgame`: nothing of one game reaches the next")
def same_again(probe: Probe) -> None:
    started(probe)
    seen = []
    for _ in range(2):
        think(probe, "go depth 5")
        lines = infos(probe, 10)
        counts = [count for line in lines if (count := number(line, "nodes")) is not None]
        after = f" after {counts[-1]} nodes" if counts else ""
        seen.append(probe.board.peek().uci() + after)
    if seen[0] != seen[1]:
        raise Fails(f"first {seen[0]}, then {seen[1]}")


@rule("quit", "leaves within a second of `quit`, also while thinking")
def leave(probe: Probe) -> None:
    started(probe)
    think(probe, "go infinite")
    probe.collect(0.1)
    probe.say("quit")
    probe.gone(1.0 + GRACE)


@rule("end-of-input", "leaves within a second when its input is closed, also while thinking")
def end_of_input(probe: Probe) -> None:
    started(probe)
    think(probe, "go infinite")
    probe.collect(0.1)
    probe.process.close_input()
    probe.gone(1.0 + GRACE)


@rule("quiet-stderr", "writes nothing to standard error")
def quiet_stderr(probe: Probe) -> None:
    started(probe)
    think(probe, "go depth 3")
    probe.best()
    no_stderr(probe)


@rule("no-chatter", "prints nothing that is not UCI after `uci`")
def no_chatter(probe: Probe) -> None:
    probe.uci()
    probe.transcript.clear()  # what stands there may be a greeting, sent at the start
    probe.ready(10)
    think(probe, "go depth 3")
    probe.best()
    for line in probe.transcript:
        if line.startswith("< ") and line[2:].strip() and not line[2:].strip().startswith(KNOWN):
            raise Fails(f'"{line[2:82]}"')
