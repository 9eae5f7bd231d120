"""A scripted engine for either protocol that plays legal moves and, if told to, misbehaves.

It uses Sortie's own rules of chess: python-chess would take most of its start, and the tests start hundreds of engines.

Usage: scripted.py [--uci] [BEHAVIOUR[=ARGUMENT][@PLY]]... PLY counts the engine's own moves from 1 (default 2); without
@, behaviours that concern the start act at the start. The moves are a function of position and `seed`.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time

from engine.board.game import Game


class Engine:
    def __init__(self, words: list[str]) -> None:
        self.uci = "--uci" in words
        self.acts: dict[str, tuple[str, int]] = {}
        for word in words:
            if word != "--uci":
                name, _, ply = word.partition("@")
                name, _, argument = name.partition("=")
                self.acts[name] = (argument, int(ply or 2))
        self.game = Game()
        self.force = True
        self.own = 0
        self.games = 0
        self.buffer = b""
        self.log = open(self.acts["log"][0], "a") if "log" in self.acts else None

    def has(self, name: str) -> bool:
        return name in self.acts

    def now(self, name: str) -> bool:
        return name in self.acts and self.acts[name][1] == self.own

    def argument(self, name: str) -> str:
        return self.acts[name][0]

    def say(self, text: str) -> None:
        if self.has("indent"):
            text = "  " + text
        data = (text + "\n").encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(1, data) :]

    def read(self) -> str | None:
        while b"\n" not in self.buffer:
            data = os.read(0, 65536)
            if not data:
                return None
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        text = line.decode()
        if self.log:
            self.log.write(text + "\n")
            self.log.flush()
        return text

    @staticmethod
    def seconds(text: str) -> float:
        """Reads a number of seconds, from a file if the text is the name of one: a test may change it meanwhile."""
        try:
            return float(text)
        except ValueError:
            with open(text) as file:
                return float(file.read())

    def hang(self) -> None:
        while True:
            time.sleep(60)

    def pick(self) -> int:
        moves: list[int] = sorted(self.game.legal_moves(), key=self.game.coordinates)
        seed = self.argument("seed") if self.has("seed") else ""
        digest = hashlib.blake2b((self.game.fen() + seed).encode(), digest_size=4).digest()
        return moves[int.from_bytes(digest, "big") % len(moves)]

    def murder(self, levels: int) -> None:
        """Kills its slot (1) or the worker above that (2), and waits to die with it."""
        victim = os.getppid()
        for _ in range(levels - 1):
            with open(f"/proc/{victim}/stat") as file:
                victim = int(file.read().rpartition(")")[2].split()[1])
        os.kill(victim, signal.SIGKILL)
        self.hang()

    def hear_hurry(self) -> None:
        """Waits until it is told to move at once."""
        while (line := self.read()) is not None:
            if line in ("?", "stop"):
                return
        sys.exit()

    def misbehave(self) -> bool:
        """Does what was ordered for this move; True if that replaces the move."""
        if self.now("hang"):
            self.hang()
        if self.now("ponderous"):
            self.hear_hurry()
        if self.now("slow"):
            time.sleep(float(self.argument("slow")))
        if self.has("pace"):
            time.sleep(self.seconds(self.argument("pace")))
        if self.now("abort"):
            os.write(2, b"assertion failed: score < INF\n")
            os.abort()
        if self.now("murder"):
            self.murder(int(self.argument("murder")))
        if self.now("exit"):
            os._exit(int(self.argument("exit") or 0))
        if self.now("close"):
            os.close(1)
            self.hang()
        if self.now("junk"):
            for number in range(int(self.argument("junk"))):
                self.say(f"blah blah {number} thinking about life")
        if self.now("stderr"):
            block = b"trouble " * 512
            for _ in range(int(self.argument("stderr")) // len(block)):
                os.write(2, block)
        if self.now("longline"):
            self.say("x" * int(self.argument("longline")))
        if self.now("binary"):
            os.write(1, bytes(range(256)) * 4 + b"\n")
        if self.now("escape"):
            word = "\x1b[2J\x1b]0;owned\x07" + "y" * 5000
            self.say(f"bestmove {word}" if self.uci else f"move {word}")
            return True
        if self.now("say"):
            self.say(self.argument("say").replace("_", " "))
        if self.now("banana"):
            self.say("bestmove banana" if self.uci else "move banana")
            return True
        if self.now("illegal"):
            self.say("bestmove e1e8" if self.uci else "move e1e8")
            return True
        if self.now("none"):
            self.say("bestmove (none)")
            return True
        if self.now("refuse"):
            self.say(f"Illegal move: {self.game.moves()[-1]}")
            return True
        if self.now("instead"):
            self.say(self.argument("instead").replace("_", " "))
            return True
        return False

    def think(self) -> None:
        self.own += 1
        if self.misbehave():
            return
        if not self.game.legal_moves():
            return
        move = self.pick()
        word = self.game.coordinates(move)
        score = 10 * self.own if not self.has("score") else int(self.argument("score"))
        depth, nodes = str(self.own), str(100 + self.own)
        if self.has("boast"):
            depth = nodes = "9" * int(self.argument("boast"))
        if self.has("modest"):
            nodes = "-5"
        if self.uci:
            self.say(f"info depth {depth} score cp {score} nodes {nodes} pv {word}")
            self.game.push(move)
            ponder = ""
            if self.has("guess") and self.game.legal_moves():
                ponder = f" ponder {self.game.coordinates(self.pick())}"
            self.say(f"bestmove {word}{ponder}")
            if self.now("after"):
                self.say(self.argument("after").replace("_", " "))
        else:
            self.say(f"{depth} {score} 1 {nodes} {word}")
            if self.has("deep"):
                levels = int(self.argument("deep"))
                self.say("# stats " + '{"a":' * levels + "1" + "}" * levels)
            if self.has("stats"):
                self.say(f'# stats {{"nodes": {100 + self.own}}}')
            word = self.game.san(move) if self.has("san") else word
            self.game.push(move)
            self.say(f"My move is : {word}" if self.has("oldmoves") else f"move {word}")
            if self.now("after"):
                self.say(self.argument("after").replace("_", " "))

    # The protocols

    def features(self) -> str:
        words = ["ping=" + ("0" if self.has("noping") else "1"), "setboard=" + ("0" if self.has("nosetboard") else "1")]
        words += [
            "usermove=" + ("0" if self.has("bare") else "1"),
            f'myname="{self.argument("name") if self.has("name") else "Scripted"}"',
            "colors=0",
            "memory=1",
            "smp=1",
        ]
        words += ["san=1"] if self.has("san") else []
        words += ["reuse=0"] if self.has("noreuse") else []
        words += ["nps=1"] if self.has("nps") else []
        words += ['variants="normal,fischerandom"'] if self.has("fischer") else []
        words += ['option="Hash -spin 16 1 1024"', 'option="Style -combo calm /// *wild"', 'option="Own Book -check 0"']
        return "feature " + " ".join(words) + ("" if self.has("nodone") else " done=1")

    def command(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "protover":
            if self.has("v1"):
                if self.has("complain"):
                    self.say("Error (unknown command): protover")
                return
            if self.has("loads"):
                end = time.monotonic() + float(self.argument("loads"))
                while time.monotonic() < end:  # like an engine that computes its tables before it listens
                    pass
            if self.has("computes"):
                end = time.process_time() + float(self.argument("computes"))
                while time.process_time() < end:  # the same in CPU time
                    pass
            if self.has("done0"):
                self.say("feature done=0")
                time.sleep(float(self.argument("done0")))
            self.say(self.features())
        elif word == "new":
            self.games += 1
            self.game = Game()
            self.force = False
            self.own = 0
            if self.has("dienew") and self.games >= int(self.argument("dienew") or 1):
                os._exit(3)
            if self.has("leavenew") and self.games >= 2:
                os._exit(0)
        elif word == "result" and self.has("dieresult"):
            time.sleep(float(self.argument("dieresult") or 0))
            os._exit(3)
        elif word == "variant":
            self.game = Game(chess960=True)
        elif word == "setboard":
            self.game = Game(rest, self.game.chess960)
        elif word == "edit":
            self.edit()
        elif word == "force":
            self.force = True
        elif word == "go":
            self.force = False
            self.think()
        elif word == "ping":
            if self.has("nopong"):
                return
            if self.has("oldpong"):
                self.say(f"pong {int(rest) + 100}")
            if self.has("stale"):
                self.say("move a1a1")
            self.say(f"pong {rest}")
        elif word == "sd" and self.has("nosd"):
            self.say(f"Illegal move: {line}")
        elif word == "st" and self.has("nofraction") and "." in rest:
            self.say(f"Error (bad argument): {line}")
        elif word == "uci" and not self.has("v1"):
            self.say(f"Error (unknown command): {line}")
        elif word == "draw":
            if self.has("agree"):
                self.say("offer draw")
        elif word == "quit":
            if self.has("stay"):
                return
            self.leave()
        elif word == "usermove" or self.is_move(word):
            self.usermove(rest if word == "usermove" else word)

    @staticmethod
    def is_move(word: str) -> bool:
        return len(word) in (4, 5) and word[0] in "abcdefgh" and word[1].isdigit() and word[3].isdigit()

    def usermove(self, word: str) -> None:
        self.game.push(self.game.parse(word))
        if not self.force:
            self.think()

    def edit(self) -> None:
        import chess

        board = chess.Board(None)
        board.turn = not self.game.turn
        colour = chess.WHITE
        while (line := self.read()) not in (".", None):
            if line == "c":
                colour = not colour
            elif line == "#":
                board.clear_board()
            elif line:
                piece = chess.Piece(chess.PIECE_SYMBOLS.index(line[0].lower()), colour)
                board.set_piece_at(chess.parse_square(line[1:3]), piece)
        board.castling_rights = chess.BB_CORNERS
        board.castling_rights = board.clean_castling_rights()
        self.game = Game(board.fen())

    def uci_command(self, line: str) -> None:
        words = line.split()
        if line == "uci":
            self.say("id name Scripted")
            self.say("option name Hash type spin default 16 min 1 max 1024")
            self.say("option name Ponder type check default false")
            self.say("option name UCI_Chess960 type check default false")
            if not self.has("nodone"):
                self.say("uciok")
        elif line == "isready":
            if self.has("dienew"):
                os._exit(3)
            if not self.has("nopong"):
                self.say("readyok")
        elif line == "ucinewgame":
            self.own = 0
        elif words and words[0] == "position":
            moves = words.index("moves") if "moves" in words else len(words)
            self.game = Game() if words[1] == "startpos" else Game(" ".join(words[2:moves]))
            for word in words[moves + 1 :]:
                self.game.push(self.game.parse(word))
        elif words and words[0] == "go":
            if "ponder" in words:
                answer = self.read()
                while answer not in ("ponderhit", "stop"):
                    answer = self.read()
            self.think()
        elif line == "quit":
            if not self.has("stay"):
                self.leave()

    def leave(self) -> None:
        if self.has("crashes"):
            os.kill(os.getpid(), signal.SIGSEGV)
        sys.exit()

    def run(self) -> None:
        if self.has("stay"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        if self.has("child"):
            pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                if self.has("daemon"):
                    os.setsid()
                self.hang()
        if self.has("pids"):
            with open(self.argument("pids"), "a") as file:
                file.write(f"{os.getpid()}\n" + (f"{pid}\n" if self.has("child") else ""))
        if self.has("die"):
            os.write(2, b"cannot find my network\n")
            os._exit(int(self.argument("die") or 1))
        if self.has("deaf"):
            self.hang()
        while (line := self.read()) is not None:
            if self.uci:
                self.uci_command(line.strip())
            else:
                self.command(line.strip())
        if self.has("stay"):
            self.hang()


if __name__ == "__main__":
    Engine(sys.argv[1:]).run()
