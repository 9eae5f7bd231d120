"""An engine that costs almost nothing, for measuring a harness: it answers from a table of games made beforehand.

Usage: instant_engine.py TABLE. The table (made by harness_overhead.py) holds, for each start position, the moves of one
random legal game, the same for both sides. It speaks XBoard or UCI, as the harness does.
"""

import json
import os
import sys

FEATURES = b'feature ping=1 setboard=1 usermove=1 reuse=1 sigint=0 sigterm=0 colors=0 analyze=0 nps=1 myname="Instant" done=1\n'


def main() -> None:
    with open(sys.argv[1]) as file:
        games = json.load(file)
    moves: list[str] = []
    ply = 0
    force = True
    tail = b""
    while data := os.read(0, 65536):
        lines = (tail + data).split(b"\n")
        tail = lines.pop()
        out = []
        for line in lines:
            if line.startswith(b"usermove"):
                ply += 1
                if not force:
                    out.append(f"move {moves[ply]}\n".encode())
                    ply += 1
            elif line.startswith((b"time", b"otim")):
                pass
            elif line.startswith(b"position fen"):
                fen, _, played = line[13:].partition(b" moves ")
                moves = games[fen.decode()]
                ply = len(played.split())
            elif line.startswith(b"go"):
                if force:
                    out.append(f"move {moves[ply]}\n".encode())
                    force = False
                    ply += 1
                else:
                    out.append(f"bestmove {moves[ply]}\n".encode())
            elif line.startswith(b"setboard"):
                moves = games[line[9:].decode()]
                ply = 0
            elif line == b"force":
                force = True
            elif line.startswith(b"ping"):
                out.append(b"pong" + line[4:] + b"\n")
            elif line == b"isready":
                out.append(b"readyok\n")
            elif line == b"uci":
                force = False
                out.append(b"id name Instant\nuciok\n")
            elif line.startswith(b"protover"):
                out.append(FEATURES)
            elif line == b"quit":
                return
        if out:
            os.write(1, b"".join(out))


if __name__ == "__main__":
    main()
