"""Other people's programs that tests play against or run in; a test whose peer is missing is skipped and named at the end."""

from __future__ import annotations

import os
import shutil

import pytest

# Debian names.
PEERS = (
    "stockfish",
    "ethereal-chess",
    "glaurung",
    "toga2",
    "phalanx",
    "sjeng",
    "hoichess",
    "fairymax",
    "chromium",
    "chromedriver",
    "gnuchess",
    "qemu-x86_64",
    "sjaakii",
    "xboard",
    "xvfb-run",
)


def find_peer(name: str) -> str | None:
    """The path of a peer program: Debian keeps games in a directory that is not always in PATH."""
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games"]))


def need_peer(*names: str) -> str:
    """The path of the first of these programs that is installed; without any the test is skipped."""
    found = next((path for name in names if (path := find_peer(name))), None)
    if found is None:
        pytest.skip(f"peer {names[0]} is not installed")
    return found
