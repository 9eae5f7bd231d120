"""What engines' moves cost, judged by a stronger engine: `python benchmarks/regret.py --positions FILE ENGINE...`.

Every engine searches every position under the same node limit, from empty tables. The judge searches the position and, if the
engine chose a move other than its own, the position with that move alone. A logistic curve turns scores into expected scores.

regret   expected score of the judge's best move less that of the chosen move, thousandths: what the move costs
error    squared difference between the engine's expected score and the judge's, thousandths: how good the score is
depth    plies that the engine reported

An ENGINE is NAME=PROTOCOL:COMMAND or NAME=PROTOCOL:COMMAND;OPTION=VALUE;..., PROTOCOL uci or xboard; the judge speaks UCI. FILE
holds FENs or EPD lines, or is a PGN (*.pgn), of whose games every --every-th position from move 9 on is taken. Means have
95 % intervals over positions.
"""

from __future__ import annotations

import argparse
import math
import shlex
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.engine
import chess.pgn

SCALE = 170.0  # centipawns at which the expected score is 1 / (1 + 1/e)
MATE_CP = 10_000
FIRST_PLY = 16
SILENT = "an engine does not answer"  # the one error that has no words of its own


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine of the table: its command, protocol and options."""

    name: str
    protocol: str
    command: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One position: regret and squared error as fractions, depth in plies (None if the engine reported none)."""

    regret: float
    error: float | None
    depth: int | None


def expected(centipawns: float) -> float:
    """The expected score, 0 to 1, of a score in centipawns."""
    return 1 / (1 + math.exp(-max(-MATE_CP, min(MATE_CP, centipawns)) / SCALE))


def judged(best: float, chosen: float, own: float | None, depth: int | None) -> Sample:
    """The sample of one position: the judge's centipawns for its best and for the chosen move, the engine's own for its move.

    A chosen move that the judge, searching it alone, scores higher than its own best costs nothing.
    """
    error = None if own is None else (expected(own) - expected(chosen)) ** 2
    return Sample(max(0.0, expected(best) - expected(chosen)), error, depth)


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Mean and half its 95 % interval; the latter 0 for fewer than two values."""
    if len(values) < 2:
        return (values[0] if values else math.nan), 0.0
    return statistics.fmean(values), 1.96 * statistics.stdev(values) / math.sqrt(len(values))


def row(name: str, samples: Sequence[Sample]) -> str:
    """A line of the table."""
    regret, spread = mean_and_error([1000 * sample.regret for sample in samples])
    errors = [1000 * sample.error for sample in samples if sample.error is not None]
    depths = [sample.depth for sample in samples if sample.depth is not None]
    error = "-" if not errors else "{:.1f} ± {:.1f}".format(*mean_and_error(errors))
    depth = f"{statistics.fmean(depths):.1f}" if depths else "-"
    return f"{name:<16}{depth:>6}  {regret:6.1f} ± {spread:<6.1f}{error:>14}  {len(samples)} positions"


def engine(text: str) -> Engine:
    """NAME=PROTOCOL:COMMAND;OPTION=VALUE..., or what argparse says of it."""
    name, equals, rest = text.partition("=")
    protocol, colon, rest = rest.partition(":")
    command, *options = rest.split(";")
    pairs = tuple((option.partition("=")[0], option.partition("=")[2]) for option in options)
    if (
        not (name and equals and colon and command)
        or protocol not in ("uci", "xboard")
        or any(not pair[0] for pair in pairs)
    ):
        raise argparse.ArgumentTypeError(f"expected NAME=uci:COMMAND or NAME=xboard:COMMAND, not '{text}'")
    return Engine(name, protocol, tuple(shlex.split(command)), pairs)


def started(one: Engine) -> chess.engine.SimpleEngine:
    """The engine's process, configured."""
    opened = chess.engine.SimpleEngine.popen_uci if one.protocol == "uci" else chess.engine.SimpleEngine.popen_xboard
    process = opened(list(one.command), timeout=30)
    process.configure(dict(one.options))
    return process


def spread(found: Sequence[chess.Board], count: int) -> list[chess.Board]:
    """At most so many of them, at even distances."""
    kept = min(count, len(found))
    return [found[place * len(found) // kept] for place in range(kept)]


def positions(path: Path, every: int) -> Iterator[chess.Board]:
    """The positions of a file that have more than one legal move."""
    if path.suffix == ".pgn":
        with path.open(encoding="utf-8", errors="replace") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                board = game.board()
                for ply, move in enumerate(game.mainline_moves()):
                    if ply >= FIRST_PLY and ply % every == 0 and board.legal_moves.count() > 1:
                        yield board.copy(stack=False)
                    board.push(move)
        return
    for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            board = (
                chess.Board(line.strip())
                if line.split()[4:5] and line.split()[4].isdigit()
                else chess.Board.from_epd(line)[0]
            )
        except ValueError as problem:
            raise SystemExit(f"{path}:{number}: {problem}") from None
        if board.legal_moves.count() > 1:
            yield board


class Judge:
    """Full Stockfish: scores of positions and of single moves, each searched once."""

    def __init__(self, one: Engine, nodes: int) -> None:
        self._process = started(one)
        self._limit = chess.engine.Limit(nodes=nodes)
        self._known: dict[tuple[str, str], tuple[float, str]] = {}

    def score(self, board: chess.Board, move: chess.Move | None = None) -> tuple[float, str]:
        """Centipawns for the side to move of the best move, or of `move`; and the move."""
        key = (board.fen(), move.uci() if move else "")
        if key not in self._known:
            info = self._process.analyse(board, self._limit, root_moves=[move] if move else None, game=object())
            line = info.get("pv") or [move]
            found = line[0]
            assert found is not None
            self._known[key] = (float(info["score"].relative.score(mate_score=MATE_CP)), found.uci())
        return self._known[key]

    def close(self) -> None:
        self._process.quit()


def measured(one: Engine, boards: Sequence[chess.Board], nodes: int, judge: Judge) -> list[Sample]:
    """One engine over all positions."""
    process = started(one)
    samples = []
    try:
        for board in boards:
            played = process.play(board, chess.engine.Limit(nodes=nodes), info=chess.engine.INFO_ALL, game=object())
            assert played.move is not None
            best, best_move = judge.score(board)
            chosen = best if played.move.uci() == best_move else judge.score(board, played.move)[0]
            score = played.info.get("score")
            own = None if score is None else float(score.relative.score(mate_score=MATE_CP))
            samples.append(judged(best, chosen, own, played.info.get("depth")))
    finally:
        process.quit()
    return samples


def whole(text: str) -> int:
    """A whole number, 1 or more; argparse reports anything else."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not '{text}'")
    return int(text)


def main() -> int:
    parser = argparse.ArgumentParser(description="what the moves of engines cost, judged by a stronger one")
    parser.add_argument(
        "engines", nargs="+", type=engine, metavar="ENGINE", help="NAME=uci:COMMAND;OPTION=VALUE or NAME=xboard:..."
    )
    parser.add_argument("--positions", type=Path, required=True, help="FENs, EPD lines or a PGN")
    parser.add_argument("--every", type=whole, default=20, help="of a PGN: every so many plies (default 20)")
    parser.add_argument(
        "--count", type=whole, default=100, help="positions at most, spread over the file (default 100)"
    )
    parser.add_argument(
        "--nodes", type=whole, nargs="+", default=[100_000], help="limits of the engines (default 100000)"
    )
    parser.add_argument(
        "--judge", type=engine, default=engine("judge=uci:stockfish"), help="default judge=uci:stockfish"
    )
    parser.add_argument("--judge-nodes", type=whole, default=1_000_000, help="default 1000000")
    told = parser.parse_args()
    if told.judge.protocol != "uci":
        parser.error("the judge has to speak UCI: it is asked for single moves")
    if not told.positions.is_file():
        parser.error(f"no such file: {told.positions}")
    found = list(positions(told.positions, told.every))
    boards = spread(found, told.count)
    if not boards:
        parser.error(f"{told.positions} holds no position with a choice of moves")
    try:
        judge = Judge(told.judge, told.judge_nodes)
        try:
            print(f"{'engine':<16}{'depth':>6}  {'regret':>6}   ‰    {'error ‰':>14}")
            for nodes in told.nodes:
                print(f"{nodes} nodes")
                for one in told.engines:
                    print(row(one.name, measured(one, boards, nodes, judge)), flush=True)
        finally:
            judge.close()
    except (chess.engine.EngineError, OSError) as problem:
        print(f"regret: {str(problem) or SILENT}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
