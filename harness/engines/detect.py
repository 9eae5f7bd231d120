"""Finds out which protocol an engine speaks, for `protocol = "auto"`."""

from __future__ import annotations

from harness.engines.client import XBOARD_COMPLAINTS, Running
from harness.engines.process import Gone, monotonic
from harness.model import Player

ASKING_TIME = 3.0  # seconds for `uciok`: an XBoard engine need not answer `uci` at all
UCI_WORDS = ("id name ", "id author ", "option name ")  # an engine that says one of these will get to `uciok`


def detect(player: Player, patience: float) -> str:
    """Returns "uci" or "xboard"; raises StartFailed when the program cannot be started.

    The engine is asked for UCI in a process of its own, as some XBoard engines do not survive the question. An engine that
    is still loading, or has begun to answer, is given the whole patience; one that never ends its answer speaks UCI badly.
    """
    probe = Running(player, patience)
    found = "xboard"
    try:
        probe.process.send("uci\n")
        began = monotonic()
        deadline = began + min(ASKING_TIME, patience)
        while True:
            line = probe.process.line(deadline)
            if line is None:
                if deadline >= began + patience or not probe.process.is_working():
                    return found
                deadline = min(began + patience, deadline + ASKING_TIME / 4)
                continue
            text = line.strip().lower()
            if text == "uciok":
                return "uci"
            if text.startswith(UCI_WORDS):
                found = "uci"
                deadline = began + patience
            if text.startswith(XBOARD_COMPLAINTS) and "uci" in text:
                return "xboard"
    except Gone:
        return found
    finally:
        probe.process.kill()
