"""What the fuzz tests of both protocols share: how much is sent, noise, and damaged lines."""

from __future__ import annotations

import os
import random

LINES = int(os.environ.get("SORTIE_FUZZ_LINES", "4000"))
LEAVES = 3.0 + 0.5  # seconds after `quit`, with some margin for a busy machine


def noise(chance: random.Random) -> str:
    """A line of letters from many alphabets and control characters."""
    text = "".join(chr(chance.randrange(1, 0x250)) for _ in range(chance.randrange(40)))
    return text.replace("\n", "").replace("\r", "")


def damaged(chance: random.Random, text: str) -> bytes:
    """A line as bytes with an error in it: bytes changed, lost or doubled, or stray blanks and line ends."""
    data = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            data[place : place + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            del data[place : place + chance.randrange(1, 4)]
        elif kind == 2:
            data[place:place] = chance.choice([b" ", b"\t", b"\r", b"\x00", b"\xff\xfe", b"\n", b"  "])
        else:
            data[place:place] = data[place : place + chance.randrange(1, 9)]
    return bytes(data) + chance.choice([b"\n", b"\n", b"\n", b"\r\n", b" \n"])
