"""Every line to and from an engine, kept in a file where the user asked for it."""

from __future__ import annotations

import re
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TextIO

FOLDER = "io"  # in the results folder
LONGEST_NAME = 60  # characters of a player's name in that of its file: file systems allow 255 bytes


class IoLog(deque[str]):
    """The last lines of a process, as `EngineProcess` keeps them, which writes each of them to a file too.

    `>` is what we sent, `<` what it wrote, before them the seconds since it was started. A full disk ends the file, or
    keeps it from being begun, not the game.
    """

    def __init__(self, folder: Path, player: str, pid: int, most: int) -> None:
        super().__init__(maxlen=most)
        self._began = time.monotonic()
        safe = re.sub(r"[^\w.+-]+", "-", player).strip(".")[:LONGEST_NAME] or "engine"
        self.path = folder / f"{safe}-{pid}.txt"
        self._file: TextIO | None = None
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            self._file = open(self.path, "a", encoding="utf-8", errors="backslashreplace", buffering=1)

    def append(self, text: str) -> None:
        super().append(text)
        if self._file is None:
            return
        mark = ">" if text.endswith("\n") else "<"
        at = time.monotonic() - self._began
        with suppress(OSError):
            self._file.writelines(f"{at:10.3f} {mark} {line}\n" for line in text.removesuffix("\n").split("\n"))
