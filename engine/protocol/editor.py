"""Edit mode: the board that a GUI sets up man by man between `edit` and `.`."""

from __future__ import annotations

MEN = "PNBRQK"


class Editor:
    """A board under construction, begun from a FEN. The side to move stays; white men are placed first."""

    def __init__(self, fen: str, chess960: bool) -> None:
        fields = fen.split()
        self._chess960 = chess960
        self._turn = fields[1]
        self._white = True
        self._men: dict[str, str] = {}
        for rank, row in zip("87654321", fields[0].split("/"), strict=True):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                else:
                    self._men["abcdefgh"[file] + rank] = letter
                    file += 1

    def command(self, text: str) -> bool:
        """Obey one line: `c`, `#`, `Pa4`, `xa4`. False when it is none of these."""
        if text == "c":
            self._white = not self._white
        elif text == "#":
            self._men.clear()
        elif len(text) == 3 and text[1] in "abcdefgh" and text[2] in "12345678":
            man, square = text[0], text[1:]
            if man in "xX":
                self._men.pop(square, None)
            elif man.upper() in MEN:
                self._men[square] = man.upper() if self._white else man.lower()
            else:
                return False
        else:
            return False
        return True

    def fen(self) -> str:
        """The position: a king and a rook at home may castle, no en passant, counters 0."""
        rows = []
        for rank in "87654321":
            row = "".join(self._men.get(file + rank, "1") for file in "abcdefgh")
            for run in range(8, 1, -1):
                row = row.replace("1" * run, str(run))
            rows.append(row)
        rights = self._rights("1", "K", "R") + self._rights("8", "k", "r")
        return f"{'/'.join(rows)} {self._turn} {rights or '-'} - 0 1"

    def _rights(self, rank: str, king: str, rook: str) -> str:
        """The letters of one colour. In Chess960 home is the back rank, and the outermost rook of each side counts."""
        row = [self._men.get(file + rank) for file in "abcdefgh"]
        short, long = ("K", "Q") if king == "K" else ("k", "q")
        if not self._chess960:
            at_home = row[4] == king
            return short * (at_home and row[7] == rook) + long * (at_home and row[0] == rook)
        if row.count(king) != 1:
            return ""
        home = row.index(king)
        return short * (rook in row[home + 1 :]) + long * (rook in row[:home])
