"""Chooses the protocol by the first line that the GUI sends."""

from __future__ import annotations

import _signal as signal  # without the enums that `signal` adds: they slow the start
import _thread
import gc
import os
from _queue import SimpleQueue

from engine.play.options import Settings
from engine.protocol.lines import read_lines
from engine.protocol.output import Log, Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.protocol.conversation import Conversation

# Words that only UCI knows: scripts may leave out `uci` itself.
UCI_WORDS = ("uci", "ucinewgame", "isready", "position", "setoption")


def serve(settings: Settings, log: Log, bench: Callable[[Settings], str]) -> None:
    """Speak the protocol of the first line on stdin and stdout; the process ends here.

    `bench` runs the bench and returns its summary line.
    """
    _end_on_signals()
    events: SimpleQueue = SimpleQueue()
    _thread.start_new_thread(read_lines, (0, events.put))
    first = events.get()
    # Shells and editors of Windows put a byte order mark before the first line.
    while first is not None and not (first := first.removeprefix("\ufeff")).strip():
        first = events.get()
    if first is not None:
        out = Output(1, log)
        conversation: Conversation
        # Only the protocol in use is loaded.
        if first.split()[0] in UCI_WORDS:
            from engine.protocol.uci import UCI

            conversation = UCI(settings, out, events, bench)
        else:
            from engine.protocol.xboard import XBoard

            conversation = XBoard(settings, out, events)
        gc.freeze()  # the collector was off while modules were loaded: see cli.py
        gc.enable()
        conversation.run(first)
    os._exit(0)


def _end_on_signals() -> None:
    """The process ends on SIGTERM, and on SIGINT while that is not ignored.

    Python runs handlers in the main thread only. That may have begun to wait for a command just as the signal came,
    and would go on waiting. So the signal's byte wakes a thread that waits for nothing else.
    """
    inlet, outlet = os.pipe()
    if os.name == "posix":
        os.set_blocking(outlet, False)  # set_wakeup_fd requires it
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    signal.set_wakeup_fd(outlet)
    _thread.start_new_thread(_end_when_woken, (inlet,))


def _end_when_woken(inlet: int) -> None:
    os.read(inlet, 1)
    os._exit(0)
