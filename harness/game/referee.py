"""The referee: applies the rules of chess after each move, fast enough for short games."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache

import chess

DRAW = "1/2-1/2"
_PLAIN = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_STRAIGHT = tuple(chess.BB_RANK_ATTACKS[s][0] | chess.BB_FILE_ATTACKS[s][0] for s in range(64))
_DIAGONAL = tuple(chess.BB_DIAG_ATTACKS[s][0] for s in range(64))
_KING_LINES = tuple(chess.BB_RANKS[s >> 3] | chess.BB_FILES[s & 7] | _DIAGONAL[s] for s in range(64))
_LINES = tuple(_STRAIGHT[s] | _DIAGONAL[s] for s in range(64))
_KNIGHT, _KING = chess.BB_KNIGHT_ATTACKS, chess.BB_KING_ATTACKS
_BESIDE = tuple(_STRAIGHT[s] & _KING[s] for s in range(64))  # a rook's shortest moves
_CORNERS = tuple(_DIAGONAL[s] & _KING[s] for s in range(64))  # a bishop's
_RANKS, _RANK_MASKS = chess.BB_RANK_ATTACKS, chess.BB_RANK_MASKS
_FILES, _FILE_MASKS = chess.BB_FILE_ATTACKS, chess.BB_FILE_MASKS
_DIAGONALS, _DIAGONAL_MASKS = chess.BB_DIAG_ATTACKS, chess.BB_DIAG_MASKS

# Squares from which a piece can give check to a king, or uncover a check by leaving them.
_CHECK_ZONE = tuple(_LINES[s] | _KNIGHT[s] for s in range(64))

Key = tuple[int, int, int, int, int, int, int, int, bool, int | None]


def is_attacked(board: chess.Board, square: int, by: bool, occupied: int) -> bool:
    """Says whether a colour's men on the board attack a square, with lines blocked by `occupied`."""
    men = board.occupied_co[by]
    if _KNIGHT[square] & board.knights & men or chess.BB_PAWN_ATTACKS[not by][square] & board.pawns & men:
        return True
    queens = board.queens
    straight, diagonal = (board.rooks | queens) & men, (board.bishops | queens) & men
    if _STRAIGHT[square] & straight and (
        _RANKS[square][_RANK_MASKS[square] & occupied] & straight
        or _FILES[square][_FILE_MASKS[square] & occupied] & straight
    ):
        return True
    if _DIAGONAL[square] & diagonal and _DIAGONALS[square][_DIAGONAL_MASKS[square] & occupied] & diagonal:
        return True
    return bool(_KING[square] & board.kings & men)


def has_legal_move(board: chess.Board, in_check: bool) -> bool:
    """Says whether the side to move can move: a piece off its king's lines mostly settles it, else the generator."""
    turn = board.turn
    ours = board.occupied_co[turn]
    king = board.kings & ours
    if king and not in_check:
        # Off the king's lines nothing is pinned: any step to a square without an own man is legal.
        free = ours & ~_KING_LINES[king.bit_length() - 1]
        pawns = board.pawns & free
        ahead = (pawns << 8) if turn else (pawns >> 8)
        if ahead & ~board.occupied & chess.BB_ALL:
            return True
        for men, steps in (
            (board.knights & free, _KNIGHT),
            ((board.rooks | board.queens) & free, _BESIDE),
            ((board.bishops | board.queens) & free, _CORNERS),
        ):
            if men and steps[men.bit_length() - 1] & ~ours:
                return True
    return any(True for _ in board.generate_legal_moves())


def key_of(board: chess.Board) -> Key:
    """Returns a key that is equal for positions that count as the same under the repetition rule."""
    square = board.ep_square
    if square is not None:
        takers = chess.BB_PAWN_ATTACKS[not board.turn][square] & board.pawns & board.occupied_co[board.turn]
        if not takers or not board.has_legal_en_passant():
            square = None
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[True],
        board.castling_rights,
        board.turn,
        square,
    )


def is_dead(board: chess.Board) -> bool:
    """Says whether neither side has the men to mate."""
    if board.pawns or board.rooks or board.queens:
        return False
    return board.is_insufficient_material()


def make_simple(board: chess.Board, move: chess.Move) -> bool:
    """Makes a legal move; False for castling, promotion and en passant, which are left to `Board.push`.

    All others, nineteen moves in twenty, cost a third of what they cost in `push`, which must be able to undo them.
    """
    source, square = move.from_square, move.to_square
    origin, target = 1 << source, 1 << square
    pawn = board.pawns & origin
    if pawn:
        if move.promotion or square == board.ep_square:
            return False
    elif board.kings & origin and (board.chess960 or square - source in (2, -2)):
        return False
    turn, sides = board.turn, board.occupied_co
    flip = origin | target
    quiet = not pawn
    if board.occupied & target:
        quiet = False
        rest = ~target
        sides[not turn] &= rest
        board.promoted &= rest
        if board.pawns & target:
            board.pawns &= rest
        elif board.knights & target:
            board.knights &= rest
        elif board.bishops & target:
            board.bishops &= rest
        elif board.rooks & target:
            board.rooks &= rest
        else:
            board.queens &= rest
    board.ep_square = None
    if pawn:
        board.pawns ^= flip
        if square - source in (16, -16):
            board.ep_square = (source + square) >> 1
    elif board.knights & origin:
        board.knights ^= flip
    elif board.bishops & origin:
        board.bishops ^= flip
    elif board.rooks & origin:
        board.rooks ^= flip
    elif board.queens & origin:
        board.queens ^= flip
    else:
        board.kings ^= flip
        board.castling_rights &= ~(chess.BB_RANK_1 if turn else chess.BB_RANK_8)
    if board.promoted & origin:
        board.promoted ^= flip
    if board.castling_rights & flip:
        board.castling_rights &= ~flip
    sides[turn] ^= flip
    board.occupied = sides[True] | sides[False]
    board.halfmove_clock = board.halfmove_clock + 1 if quiet else 0
    if not turn:
        board.fullmove_number += 1
    board.turn = not turn
    return True


@lru_cache(maxsize=64)
def _start(fen: str, chess960: bool) -> chess.Board:
    """The start position, shared by both games of a pair; not to be changed."""
    return chess.Board(fen, chess960=chess960)


class Referee:
    """The board of one game and the history that the draw rules need."""

    def __init__(self, fen: str, chess960: bool = False) -> None:
        self.board = _start(fen, chess960).copy(stack=False)
        self._seen: dict[Key, int] = {key_of(self.board): 1}
        self._times = 1
        self._in_check = self.board.is_check()

    def push(self, move: chess.Move) -> None:
        """Makes a legal move."""
        board = self.board
        simple = make_simple(board, move)
        if not simple:
            board.push(move)
        seen = self._seen
        key = key_of(board)
        if board.halfmove_clock == 0:
            seen.clear()
            self._times = seen[key] = 1
        else:
            self._times = seen[key] = seen.get(key, 0) + 1
        turn = board.turn
        king = (board.kings & board.occupied_co[turn]).bit_length() - 1
        if not simple:
            self._in_check = board.is_check()
        elif _CHECK_ZONE[king] & (1 << move.from_square | 1 << move.to_square):
            self._in_check = is_attacked(board, king, not turn, board.occupied)
        else:
            self._in_check = False

    def ended(self) -> tuple[str, str] | None:
        """Returns (result, reason) if the rules end the game in the present position, else None."""
        board = self.board
        if not has_legal_move(board, self._in_check):
            if self._in_check:
                return ("0-1" if board.turn else "1-0"), "mate"
            return DRAW, "stalemate"
        if self._times >= 3:
            return DRAW, "repetition"
        if board.halfmove_clock >= 100:
            return DRAW, "fifty"
        if not (board.pawns or board.rooks or board.queens) and is_dead(board):
            return DRAW, "material"
        return None

    def after(self, move: chess.Move) -> tuple[str, str] | None:
        """Returns what `ended` would return after a legal move; changes nothing."""
        trial = Referee.__new__(Referee)
        trial.board = self.board.copy(stack=False)
        trial._seen = dict(self._seen)
        trial.push(move)
        return trial.ended()

    def draw_claim(self) -> str | None:
        """Returns "repetition" or "fifty" if the side to move may claim that draw with its next move, else None."""
        board = self.board
        for move in list(board.legal_moves):
            board.push(move)
            reason = None
            if board.halfmove_clock >= 100 and has_legal_move(board, board.is_check()):
                reason = "fifty"
            elif board.halfmove_clock and self._seen.get(key_of(board), 0) >= 2:
                reason = "repetition"
            board.pop()
            if reason:
                return reason
        return None

    def read(self, text: str) -> chess.Move | None:
        """Returns the legal move that an engine wrote, None for an illegal one; raises ValueError if it is not a move."""
        move = _cache.get(text)
        board = self.board
        if move is None:
            if _PLAIN.fullmatch(text):
                move = _cache[text] = chess.Move.from_uci(text)
            else:
                return self._read_words(text)
        source, square = move.from_square, move.to_square
        origin, target = 1 << source, 1 << square
        turn = board.turn
        own = board.occupied_co[turn]
        if origin & board.kings:
            if board.chess960 or square not in _KING_STEPS[source]:
                # Castling has several spellings; parse_uci gives the one for this board's kind of chess.
                try:
                    return board.parse_uci(text)
                except ValueError:
                    return None
            if not origin & own or target & own or move.promotion:
                return None
            return None if is_attacked(board, square, not turn, board.occupied ^ origin) else move
        if not origin & own or target & own:
            return None
        if origin & board.pawns or move.promotion:
            if not board.is_pseudo_legal(move):
                return None
        elif not self._reaches(source, origin, target):
            return None
        king = (board.kings & own).bit_length() - 1
        if self._in_check or square == board.ep_square:
            return None if board.is_into_check(move) else move
        if not origin & _LINES[king]:
            return move  # not pinned and no check to answer: it cannot leave the king attacked
        ray = chess.BB_RAYS[king][source]
        pinning = board.queens | (board.rooks if origin & _STRAIGHT[king] else board.bishops)
        if not ray & pinning & ~own or ray & target:
            return move  # no piece pins it, or it stays on the line
        return None if board.is_into_check(move) else move

    @staticmethod
    def word(move: chess.Move, text: str) -> str:
        """Returns the coordinates of a move that was read from a text; mostly the text itself."""
        return text if _cache.get(text) is move else move.uci()

    def _reaches(self, source: int, origin: int, target: int) -> int:
        """Says whether the piece (not a pawn) on `origin` attacks `target`."""
        board = self.board
        if board.knights & origin:
            return _KNIGHT[source] & target
        occupied = board.occupied
        if _DIAGONAL[source] & target:
            slides = (board.bishops | board.queens) & origin
            return slides and _DIAGONALS[source][_DIAGONAL_MASKS[source] & occupied] & target
        if not (board.rooks | board.queens) & origin:
            return 0
        lines = _RANKS[source][_RANK_MASKS[source] & occupied] | _FILES[source][_FILE_MASKS[source] & occupied]
        return lines & target

    def _read_words(self, text: str) -> chess.Move | None:
        text = text.strip().rstrip("+#!?").replace("0-0-0", "O-O-O").replace("0-0", "O-O")
        bare = text.replace("-", "").replace("x", "").replace("=", "").lower()
        if text.startswith("B"):  # B1c3 is a bishop's move from the first rank, and only else one from b1
            with suppress(ValueError):
                if move := self.board.parse_san(text):
                    return move
        if _PLAIN.fullmatch(bare) and not text.startswith("O"):
            return self.read(bare)
        try:
            move = self.board.parse_san(text)
        except (chess.IllegalMoveError, chess.AmbiguousMoveError):
            return None
        except chess.InvalidMoveError:
            raise ValueError(text) from None
        if not move:
            raise ValueError(text)  # python-chess reads "--" as a null move
        return move


_KING_STEPS = tuple(frozenset(chess.scan_forward(chess.BB_KING_ATTACKS[square])) for square in range(64))
_cache: dict[str, chess.Move] = {}
