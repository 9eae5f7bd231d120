"""One slot: an OS process that plays one game at a time with engines of its own, and gets its jobs over a pipe.

A frame is a pickle after its length in four bytes. In: first a `SlotSpec`, then a `Job` in each frame. Out: news of
the game (`FromSlot`). The end of the input ends the slot and its engines.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
from typing import BinaryIO, NoReturn

from harness.engines.children import adopt_orphans, die_with_parent, end_orphans, kill_all
from harness.model import Job
from harness.slots.interface import FromSlot
from harness.slots.worker import SlotSpec, Worker

GAMES_BETWEEN_COLLECTIONS = 50

_LENGTH = struct.Struct(">I")


def write_frame(stream: BinaryIO, value: object) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read_frame(stream: BinaryIO) -> object:
    """Returns the next value; raises EOFError at the end."""
    head = stream.read(4)
    if len(head) < 4:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def main() -> NoReturn:
    """The process `python -m harness.slots.process SUPERVISOR`."""
    worker: Worker | None = None

    def leave(*_: object) -> None:
        kill_all()
        end_orphans()
        os._exit(0)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, leave)
    die_with_parent(signal.SIGTERM)
    adopt_orphans()
    if hasattr(os, "getppid") and len(sys.argv) > 1 and os.getppid() != int(sys.argv[1]):
        os._exit(0)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not break the frames

    def report(news: FromSlot) -> None:
        write_frame(sink, news)

    try:
        spec = read_frame(source)
        assert isinstance(spec, SlotSpec)
        worker = Worker(spec, report)
        # A game makes few reference cycles: to collect them every few plies is a waste.
        gc.freeze()
        gc.disable()
        games = 0
        while True:
            games += 1
            if games % GAMES_BETWEEN_COLLECTIONS == 0:
                gc.collect()
            job = read_frame(source)
            assert isinstance(job, Job)
            report(worker.play(job))
    except (EOFError, BrokenPipeError):
        pass
    if worker is not None:
        worker.close()
    os._exit(0)


if __name__ == "__main__":
    main()
