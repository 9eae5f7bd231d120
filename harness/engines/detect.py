"""Finds out which protocol an engine speaks, for `protocol = "auto"`."""

from __future__ import annotations

from harness.engines.client import XBOARD_COMPLAINTS, Running
from harness.engines.process import Gone, monotonic
from harness.model import Player

ASKING_TIME = 3.0  # seconds for `uciok`: an XBoard engine need not answer `uci` at all
UCI_WORDS = ("id name ", "id author ", "option name ")  # an engine that says one of these will get to `uciok`


def detect(player: Player, patience: float) -> str:
    """Returns "uci" or "xboard"; raises StartFailed when the program cannot be started.

    The engine is asked for UCI in a process of its own, as some XBoard engines do not survive the question. One that stays
    silent is then asked for its XBoard features, and the first answer tells: a program behind ssh or a script may take a
    while to start. One that says nothing within the whole patience is taken for an XBoard engine of the time before features.
    """
    probe = Running(player, patience)
    found = "xboard"
    try:
        probe.process.send("uci\n")
        end = monotonic() + patience
        deadline = min(monotonic() + ASKING_TIME, end)
        while True:
            line = probe.process.line(deadline)
            if line is None:
                if deadline >= end:
                    return found
                probe.process.send("xboard\nprotover 2\n")
                deadline = end
                continue
            text = line.strip().lower()
            if text == "uciok":
                return "uci"
            if text.startswith(UCI_WORDS):
                found = "uci"
                deadline = end
            if text.startswith("feature ") or (text.startswith(XBOARD_COMPLAINTS) and "uci" in text):
                return "xboard"
    except Gone:
        return found
    finally:
        probe.process.kill()
