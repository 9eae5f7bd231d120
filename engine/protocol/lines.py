"""Lines from the GUI: read from the pipe, told apart as moves and commands, made safe for echoing."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_LINE = 1 << 20  # bytes; a longer line is cut
ECHO = 200  # bytes of a faulty line that come back with the error
LONGEST = 440  # bytes of a line to the GUI; GUIs read into buffers of 500
LEAVE_S = 0.7  # of processor time: the process ends this long after quit or end of input, whatever happens
LEAVE_AT_MOST_S = 3.0  # the same by the clock
CASTLING = ("o-o", "o-o-o", "0-0", "0-0-0")
NULL_MOVE = "@@@@"


def printable(line: str, most: int = ECHO) -> str:
    """The line without control characters, and no longer than a GUI's buffer."""
    text = "".join(letter if letter.isprintable() or "\udc80" <= letter <= "\udcff" else "?" for letter in line[:most])
    while len(text.encode("utf-8", "surrogateescape")) > most:
        text = text[:-1]
    return text + "..." if len(text) < len(line) else text


def looks_like_move(word: str) -> bool:
    """Whether a bare word is meant as a move: coordinates, SAN, castling or the null move."""
    if word == NULL_MOVE:
        return True
    core = word.rstrip("+#!?")
    if core.lower() in CASTLING:
        return True
    if len(core) > 2 and core[-1] in "QRBNqrbn" and core[-2] in "=12345678":
        core = core[:-1].removesuffix("=")
    if len(core) < 2 or core[-2] not in "abcdefgh" or core[-1] not in "12345678":
        return False
    front = core[:-2]
    if front[:1] in ("K", "Q", "R", "B", "N"):
        front = front[1:]
    front = front.removesuffix("x").removesuffix("-")
    return front == "" or (len(front) == 1 and front in "abcdefgh12345678") or _is_square(front)


def _is_square(text: str) -> bool:
    return len(text) == 2 and text[0] in "abcdefgh" and text[1] in "12345678"


def wait_until_ready(handle: int, writing: bool) -> None:
    """Wait for a pipe that whoever started us does not let block: it is empty or full, not at its end."""
    import select  # hardly any GUI makes such pipes

    select.select([] if writing else [handle], [handle] if writing else [], [])


def has_room(handle: int) -> bool:
    """Whether a pipe can be written to; True where the system cannot tell."""
    import select  # at the end of the process alone

    try:
        return bool(select.select([], [handle], [], 0)[1])
    except (OSError, ValueError):
        return True


def read_lines(handle: int, put: Callable[[str | None], object]) -> None:
    """Hand over each line from the pipe, then None at its end; runs in a thread of its own and does nothing else.

    After `quit` or the end of input the process has LEAVE_S seconds left, whatever the other threads are doing. They are
    seconds of its own: on a busy machine a script's lines would be lost while the engine loads. If nobody reads what we write
    they are those of the clock.
    """
    rest = b""
    skipping = False
    while True:
        try:
            data = os.read(handle, 1 << 16)
        except BlockingIOError:
            wait_until_ready(handle, writing=False)
            continue
        except OSError:
            data = b""
        lines = (rest + data).split(b"\n")
        rest = lines.pop() if data else b""
        for line in lines:
            if not skipping:
                put(line.decode("utf-8", "surrogateescape"))
            skipping = False
            if line.split(None, 1)[:1] == [b"quit"]:
                data = b""
        if not data:
            break
        if len(rest) > LONGEST_LINE or skipping:
            if not skipping:
                put(rest.decode("utf-8", "surrogateescape"))
            rest, skipping = b"", True
    put(None)
    used, began = time.process_time(), time.monotonic()
    read = began  # when our output was last not full
    while time.process_time() < used + LEAVE_S and time.monotonic() < min(began + LEAVE_AT_MOST_S, read + LEAVE_S):
        time.sleep(LEAVE_S / 20)
        if has_room(1):
            read = time.monotonic()
    os._exit(0)
