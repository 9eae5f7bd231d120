"""What a user asks of a run at work, from another shell or the live page: a small file in the run's folder.

A run looks at it several times a second, removes an old one when it begins, and ignores one it cannot read.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from harness.errors import BadInput
from harness.files import for_shell, store
from harness.journal.journal import Reader

FILE = "control.json"
PLAY, PAUSE, STOP, NOW = "play", "pause", "stop", "now"
STATES = (PLAY, PAUSE, STOP, NOW)
MOST_SLOTS = 4096


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for: go on, begin no game for now, stop when the games in play have ended, or stop at once.

    `slots` is the number of games at a time, None for the experiment's own.
    """

    state: str = PLAY
    slots: int | None = None


def read(folder: Path) -> Wish:
    """Returns what is asked of the run in a folder; an unreadable file asks for nothing."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        wish = Wish(**found)
    except (OSError, ValueError, TypeError, RecursionError):
        return Wish()
    slots = wish.slots
    whole = slots is None or (isinstance(slots, int) and not isinstance(slots, bool) and 1 <= slots <= MOST_SLOTS)
    return wish if wish.state in STATES and whole else Wish()


def forget(folder: Path) -> None:
    """Removes the wishes for an earlier run."""
    (folder / FILE).unlink(missing_ok=True)


def ask(folder: Path, state: str | None = None, slots: int | None = None) -> str:
    """Asks the run in a folder for a state, or for a number of games at a time; returns a line on what will happen.

    Raises BadInput if no run is at work, or if a run that is stopping is asked for anything but to stop sooner.
    """
    if slots is not None and not 1 <= slots <= MOST_SLOTS:
        raise BadInput(f"slots must be 1 to {MOST_SLOTS}, not {slots}")
    with Reader(folder) as reader:
        run, over = reader.at_work(), reader.state() == "done"
    if run is None and over:
        raise BadInput(f"{folder}: the run there is over")
    if run is None:
        raise BadInput(f"{folder}: no run is at work there; gauntlet resume {for_shell(folder)} plays what is missing")
    before = read(folder)
    if before.state in (STOP, NOW) and state not in (STOP, NOW):
        raise BadInput(
            f"{folder}: the run is stopping already; gauntlet resume {for_shell(folder)} goes on with it afterwards"
        )
    wish = replace(before, state=state or before.state, slots=slots or before.slots)
    store(folder / FILE, json.dumps(asdict(wish)).encode())
    if slots is not None:
        return f"{folder}: {at_a_time(slots)} from now on"
    return f"{folder}: {_SAID[wish.state]}"


_SAID = {
    PLAY: "goes on",
    PAUSE: "begins no game until gauntlet continue; those in play go on",
    STOP: "stops when the games in play have ended; gauntlet stop --now does not wait for them",
    NOW: "stops now; the games in play are played again by gauntlet resume",
}


def at_a_time(slots: int) -> str:
    """A number of slots in words."""
    return "one game at a time" if slots == 1 else f"{slots} games at a time"


class Wishes:
    """The wishes for one run, read again when the file has changed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._seen: tuple[int, int] | None = None
        self.wish = Wish()

    def changed(self) -> bool:
        """Looks at the file; returns whether the wish has changed."""
        try:
            status = os.stat(self._path)
        except OSError:
            return False
        stamp = status.st_mtime_ns, status.st_ino
        if stamp == self._seen:
            return False
        self._seen = stamp
        before, self.wish = self.wish, read(self._path.parent)
        return self.wish != before
