"""Real xboard on a virtual screen: matches of Sortie against itself, PGN checked, no complaint in the debug log."""

import re
import shlex
import subprocess
from pathlib import Path

import chess.pgn
import pytest
from engine_process import COMMAND, environment
from peers import need_peer

pytestmark = pytest.mark.peers


def play(tmp_path: Path, *arguments: str, games: int = 2, seconds: int = 60) -> tuple[list[chess.pgn.Game], str]:
    """A match of Sortie against itself under xboard; its games and its debug log."""
    xboard, screen = need_peer("xboard"), need_peer("xvfb-run")
    command = shlex.join(COMMAND)
    quiet = (
        "-autoCallFlag true -saveSettingsOnExit false -popupExitMessage false -popupMoveErrors false -matchPause 50 "
        "-timeDelay 0 -animateMoving false -highlightMoveWithArrow false -soundProgram true -debug"
    ).split()
    subprocess.run(
        [screen, "-a", "timeout", str(seconds), xboard, "-fcp", command, "-scp", command, "-mg", str(games)]
        + ["-sgf", "games.pgn", "-debugfile", "xb.debug", *quiet, *arguments],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=seconds + 20,
        check=True,
    )
    found = []
    with open(tmp_path / "games.pgn", encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            found.append(game)
    return found, (tmp_path / "xb.debug").read_text(errors="replace")


def check(games: list[chess.pgn.Game], log: str, count: int) -> None:
    assert len(games) == count
    for game in games:
        assert not game.errors
        board = game.end().board()
        assert game.headers["Result"] in ("1-0", "0-1", "1/2-1/2"), game.headers
        text = " ".join(node.comment for node in game.mainline()) + str(game.headers.get("Termination", ""))
        for word in ("forfeit", "False", "llegal", "time", "disconnected", "exited"):
            assert word not in text, text
        if board.is_checkmate():
            assert game.headers["Result"] == ("0-1" if board.turn else "1-0")
        else:
            assert game.headers["Result"] == "1/2-1/2"  # resigning is off: whatever is no mate is a draw
            assert (
                board.is_stalemate()
                or board.is_insufficient_material()
                or board.can_claim_draw()
                or board.is_repetition(3)
            )
    complaints = [
        line for line in log.splitlines() if re.search(r"<(first|second) *: *(Error|Illegal|tellusererror)", line)
    ]
    assert complaints == []
    assert "rejected" not in log


def test_a_match_with_pondering(tmp_path: Path) -> None:
    games, log = play(tmp_path, "-ponder", "-tc", "5", "-mps", "0", "-inc", "1", "-depth", "6")
    check(games, log, 2)
    assert "accepted debug" in log and "Hint: " in log


def test_a_won_ending_on_the_clock(tmp_path: Path) -> None:
    """A whole game would be at the mercy of a busy machine; a queen mates long before the clock runs low."""
    (tmp_path / "ending.fen").write_text("4k3/8/8/8/8/8/8/3QK2R w - - 0 1\n")
    clock = ("-tc", "0:05", "-mps", "0", "-inc", "0.1")
    games, log = play(tmp_path, "-xponder", *clock, "-lpf", "ending.fen", games=1)
    check(games, log, 1)
    assert games[0].end().board().is_checkmate()
    assert any("level 0 0:05 0.1" in line for line in log.splitlines())


def test_a_chess960_match_by_depth(tmp_path: Path) -> None:
    games, log = play(tmp_path, "-variant", "fischerandom", "-tc", "1", "-mps", "40", "-inc", "-1", "-depth", "3")
    check(games, log, 2)
    assert any("level 40 1 0" in line for line in log.splitlines())
