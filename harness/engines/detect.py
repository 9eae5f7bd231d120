"""Finds out which protocol an engine speaks, for `protocol = "auto"`."""

from __future__ import annotations

from harness.engines.client import XBOARD_COMPLAINTS, Running, StartFailed
from harness.engines.process import Gone, monotonic
from harness.model import Player

ASKING_TIME = 3.0  # seconds for `uciok`: an XBoard engine need not answer `uci` at all


def detect(player: Player, patience: float) -> str:
    """Returns "uci" or "xboard"; raises StartFailed when the program cannot be started.

    The engine is asked for UCI in a process of its own, as some XBoard engines do not survive the question.
    """
    probe = Running(player, patience)
    try:
        probe.process.send("uci\n")
        deadline = monotonic() + min(ASKING_TIME, patience)
        while (line := probe.process.line(deadline)) is not None:
            text = line.strip().lower()
            if text == "uciok":
                return "uci"
            if text.startswith(XBOARD_COMPLAINTS) and "uci" in text:
                return "xboard"
    except Gone:
        pass
    finally:
        probe.process.kill()
    return "xboard"


__all__ = ["StartFailed", "detect"]
