"""The log of a run: a line for each event, with its time."""

from __future__ import annotations

import time
from pathlib import Path

LOG = "run.log"


class Log:
    """The file run.log. A full disk silences it but does not stop the run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, text: str) -> None:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        try:
            with open(self.path, "a", encoding="utf-8", errors="replace") as file:
                file.write(f"{stamp} {text}\n")
        except OSError:
            pass
