"""The referee: what the rules of chess say after each move, at a cost that a thousand games an hour can bear."""

from __future__ import annotations

import re

import chess

DRAW = "1/2-1/2"
_PLAIN = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_PIN_FREE = tuple(chess.BB_RANKS[s >> 3] | chess.BB_FILES[s & 7] | chess.BB_DIAG_ATTACKS[s][0] for s in range(64))
_PIN_LINES = tuple(_PIN_FREE[s] | chess.BB_RANK_ATTACKS[s][0] | chess.BB_FILE_ATTACKS[s][0] for s in range(64))

# Squares from which, or by leaving which, a piece can give check to a king.
_CHECK_ZONE = tuple(_PIN_LINES[s] | chess.BB_KNIGHT_ATTACKS[s] for s in range(64))

Key = tuple[int, int, int, int, int, int, int, int, bool, int | None]


def has_legal_move(board: chess.Board, in_check: bool) -> bool:
    """Says whether the side to move can move. Mostly settled by a free pawn push, else by the generator."""
    ours = board.occupied_co[board.turn]
    king = board.kings & ours
    if king and not in_check:
        # Off the king's lines nothing is pinned, so a push to an empty square is legal.
        pawns = board.pawns & ours & ~_PIN_LINES[king.bit_length() - 1]
        ahead = (pawns << 8) if board.turn else (pawns >> 8)
        if ahead & ~board.occupied & chess.BB_ALL:
            return True
    return any(True for _ in board.generate_legal_moves())


def key_of(board: chess.Board) -> Key:
    """Returns what makes two positions the same for the repetition rule."""
    square = board.ep_square
    if square is not None and not board.has_legal_en_passant():
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
    """Makes a legal move that moves one piece and takes at most another on its target; False for the other kinds.

    Castling, promotion, en passant and the double step are python-chess's own to make. The rest, nine moves of ten,
    costs a third here of what `Board.push` takes, which must be able to take them back.
    """
    source, square = move.from_square, move.to_square
    origin, target = 1 << source, 1 << square
    zeroing = board.occupied & target
    if board.pawns & origin:
        if move.promotion or square == board.ep_square or abs(square - source) == 16:
            return False
        zeroing = 1
    elif board.kings & origin and (board.chess960 or abs(square - source) == 2):
        return False
    turn = board.turn
    flip, rest = origin | target, ~target
    if board.occupied & target:
        board.pawns &= rest
        board.knights &= rest
        board.bishops &= rest
        board.rooks &= rest
        board.queens &= rest
        board.occupied_co[not turn] &= rest
        board.promoted &= rest
    if board.pawns & origin:
        board.pawns ^= flip
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
    board.castling_rights &= ~flip
    board.occupied_co[turn] ^= flip
    board.occupied = board.occupied_co[True] | board.occupied_co[False]
    board.ep_square = None
    board.halfmove_clock = 0 if zeroing else board.halfmove_clock + 1
    if not turn:
        board.fullmove_number += 1
    board.turn = not turn
    return True


class Referee:
    """The board of one game and the history that the draw rules need."""

    def __init__(self, fen: str, chess960: bool = False) -> None:
        self.board = chess.Board(fen, chess960=chess960)
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
        if board.halfmove_clock == 0:
            seen.clear()
        key = key_of(board)
        self._times = times = seen.get(key, 0) + 1
        seen[key] = times
        king = board.kings & board.occupied_co[board.turn]
        zone = _CHECK_ZONE[king.bit_length() - 1]
        touched = 1 << move.from_square | 1 << move.to_square
        self._in_check = (not simple or zone & touched != 0) and board.is_check()

    def ended(self) -> tuple[str, str] | None:
        """Returns (result, reason) when the rules end the game in the present position."""
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
        """Returns what `ended` would say once a legal move is made; changes nothing."""
        trial = Referee.__new__(Referee)
        trial.board = self.board.copy(stack=False)
        trial._seen = dict(self._seen)
        trial.push(move)
        return trial.ended()

    def draw_claim(self) -> str | None:
        """Returns "repetition" or "fifty" when the side to move may claim that draw with its next move, else None."""
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
        """Returns the legal move that an engine wrote, None when it is none; raises ValueError for what is no move."""
        move = _cache.get(text)
        board = self.board
        if move is None:
            if _PLAIN.fullmatch(text):
                move = _cache[text] = chess.Move.from_uci(text)
            else:
                return self._read_words(text)
        source, square = move.from_square, move.to_square
        origin = 1 << source
        if origin & board.kings:
            if board.chess960 or square not in _KING_STEPS[source]:
                # Castling has several spellings; parse_uci gives the one that this board's kind of chess uses.
                try:
                    return board.parse_uci(text)
                except ValueError:
                    return None
            return move if board.is_legal(move) else None
        if origin & board.pawns or move.promotion:
            if not board.is_pseudo_legal(move):
                return None
        else:
            own = board.occupied_co[board.turn]
            if not origin & own or own >> square & 1 or not board.attacks_mask(source) >> square & 1:
                return None
        king = board.kings & board.occupied_co[board.turn]
        if not self._in_check and not origin & _PIN_LINES[king.bit_length() - 1] and move.to_square != board.ep_square:
            return move  # neither pinned nor an answer to a check: nothing it does can leave the king attacked
        return None if board.is_into_check(move) else move

    def _read_words(self, text: str) -> chess.Move | None:
        text = text.strip().rstrip("+#!?").replace("0-0-0", "O-O-O").replace("0-0", "O-O")
        bare = text.replace("-", "").replace("x", "").replace("=", "").lower()
        if _PLAIN.fullmatch(bare) and not text.startswith("O"):
            return self.read(bare)
        try:
            move = self.board.parse_san(text)
        except (chess.IllegalMoveError, chess.AmbiguousMoveError):
            return None
        except chess.InvalidMoveError:
            raise ValueError(text) from None
        if not move:
            raise ValueError(text)  # the null move, which python-chess reads from "--"
        return move


_KING_STEPS = tuple(frozenset(chess.scan_forward(chess.BB_KING_ATTACKS[square])) for square in range(64))
_cache: dict[str, chess.Move] = {}
