"""FEN: reads 4 to 6 fields with KQkq, X-FEN or Shredder rights, writes X-FEN, and refuses impossible positions."""

import cython

LETTERS = "PNBRQK"


def parse_fen(text, chess960, pos, castling, fullmove):
    """Fill `pos`, `castling` and `fullmove` from FEN; ValueError with the reason for anything impossible.

    Fields that are missing are 0 halfmoves and move 1; counters above 9999 become 9999.
    """
    fields = text.split()
    if not 4 <= len(fields) <= 6:
        raise ValueError(f"a FEN has 4 to 6 fields, this has {len(fields)}")
    clear_board(pos)
    memset(castling, 0, cython.sizeof(Castling))
    pos.castling = castling
    castling.chess960 = chess960
    read_placement(fields[0], pos)
    if fields[1] not in ("w", "b"):
        raise ValueError(f"side to move is w or b, not {fields[1]!r}")
    pos.side = 0 if fields[1] == "w" else 1
    read_rights(fields[2], chess960, pos, castling)
    check_kings(pos)
    read_en_passant(fields[3], pos)
    pos.rule50 = read_counter(fields[4], "halfmove clock") if len(fields) > 4 else 0
    fullmove[0] = max(1, read_counter(fields[5], "move number")) if len(fields) > 5 else 1
    validate(pos)
    set_checkers(pos)
    check_checkers(pos)
    if pos.en_passant != NO_SQUARE and not en_passant_possible(pos, pos.en_passant):
        pos.en_passant = NO_SQUARE
    pos.key = compute_key(pos)


def read_placement(text, pos):
    """Put the men of the first field on the empty board."""
    rows = text.split("/")
    if len(rows) != 8:
        raise ValueError(f"the board has 8 ranks, this has {len(rows)}")
    rank: cython.int = 7
    for row in rows:
        file: cython.int = 0
        digit_before = False
        for letter in row:
            if letter in "12345678":
                if digit_before:
                    raise ValueError(f"rank {rank + 1} has two digits in a row")
                digit_before = True
                file += int(letter)
                continue
            digit_before = False
            kind: cython.int = LETTERS.find(letter.upper())
            if kind < 0 or not letter.isascii():
                raise ValueError(f"{letter!r} is not a piece")
            if file > 7:
                raise ValueError(f"rank {rank + 1} has more than 8 squares")
            put(pos, kind | (8 if letter.islower() else 0), rank * 8 + file)
            file += 1
        if file != 8:
            raise ValueError(f"rank {rank + 1} has {file} squares, not 8")
        rank -= 1


def add_right(pos, castling, side, rook):
    """Give `side` the right to castle with its rook on `rook`."""
    king = pos.king[side]
    short: cython.bint = rook > king
    right = (2 if side else 0) + (0 if short else 1)
    home = 56 if side else 0
    king_to = home + (6 if short else 2)
    rook_to = home + (5 if short else 3)
    pos.rights |= 1 << right
    castling.rook_from[right] = rook
    castling.king_to[right] = king_to
    castling.rook_to[right] = rook_to
    paths = between(king, king_to) | between(rook, rook_to) | bit(king_to) | bit(rook_to)
    castling.empty[right] = paths & ~bit(king) & ~bit(rook)
    castling.safe[right] = between(king, king_to) | bit(king) | bit(king_to)
    castling.kept[king] &= ~(1 << right)
    castling.kept[rook] &= ~(1 << right)


def read_rights(text, chess960, pos, castling):
    """Give the rights of the third field: KQkq mean the outermost rook, a file letter the rook on that file."""
    square: cython.int
    for square in range(64):
        castling.kept[square] = 15
    if text == "-":
        return
    given: set = set()
    for letter in text:
        side: cython.int = 1 if letter.islower() else 0
        home: cython.int = 56 if side else 0
        king: cython.int = pos.king[side]
        colour = "black" if side else "white"
        if letter.upper() not in ("K", "Q", "A", "B", "C", "D", "E", "F", "G", "H") or not letter.isascii():
            raise ValueError(f"castling rights {text!r} are not KQkq, file letters or -")
        if king == NO_SQUARE or king >> 3 != home >> 3:
            raise ValueError(f"castling right {letter} needs the {colour} king on its first rank")
        rook: cython.int = NO_SQUARE
        if letter.upper() in "KQ":
            # X-FEN: the outermost rook on that side of the king.
            step: cython.int = -1 if letter.upper() == "K" else 1
            square = home + (7 if letter.upper() == "K" else 0)
            while square != king:
                if pos.board[square] == (ROOK | (side << 3)):
                    rook = square
                    break
                square += step
        else:
            square = home + ord(letter.upper()) - ord("A")
            if pos.board[square] == (ROOK | (side << 3)):
                rook = square
        if rook == NO_SQUARE:
            raise ValueError(f"castling right {letter} has no {colour} rook to castle with")
        if not chess960 and (king != home + 4 or (rook != home + 7 and rook != home)):
            raise ValueError(
                f"castling right {letter} needs king and rook on their home squares (unless Fischer random)"
            )
        short: cython.bint = rook > king
        if (side, short) in given:
            raise ValueError(f"castling rights {text!r} name one side twice")
        given.add((side, short))
        add_right(pos, castling, side, rook)


def check_kings(pos):
    """ValueError unless each side has one king."""
    side: cython.int
    for side in range(2):
        count = popcount(pieces(pos, side, KING))
        if count != 1:
            raise ValueError(f"{('white', 'black')[side]} has {count} kings, not 1")


def read_en_passant(text, pos):
    """Set the square of the fourth field, which a pawn must just have passed."""
    if text == "-":
        return
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] not in "12345678":
        raise ValueError(f"en-passant square {text!r} is not a square")
    square: cython.int = (ord(text[1]) - ord("1")) * 8 + ord(text[0]) - ord("a")
    if square >> 3 != (5 if pos.side == WHITE else 2):
        raise ValueError(f"en-passant square {text} is on the wrong rank")
    pawn: cython.int = square ^ 8
    enemy_pawn: cython.int = PAWN | ((pos.side ^ 1) << 3)
    behind: cython.int = square + (8 if pos.side == WHITE else -8)
    if pos.board[pawn] != enemy_pawn or pos.board[square] != NO_PIECE or pos.board[behind] != NO_PIECE:
        raise ValueError(f"en-passant square {text} has no pawn that could just have passed it")
    pos.en_passant = square


def read_counter(text, name):
    """A number of at most five digits, at most 9999. ValueError, with `name`, for any other text."""
    if not (text.isascii() and text.isdigit()) or len(text) > 5:
        raise ValueError(f"{name} {text!r} is not a number from 0 on")
    return min(int(text), 9999)


def validate(pos):
    """ValueError for pieces that no game can have: too many, pawns on the end ranks, adjacent kings, the wrong king in check."""
    side: cython.int
    kind: cython.int
    if pos.kind[PAWN] & cython.cast(U64, 0xFF000000000000FF):
        raise ValueError("a pawn stands on the first or the last rank")
    for side in range(2):
        colour = ("white", "black")[side]
        pawns = popcount(pieces(pos, side, PAWN))
        if popcount(pos.colour[side]) > 16:
            raise ValueError(f"{colour} has more than 16 men")
        if pawns > 8:
            raise ValueError(f"{colour} has more than 8 pawns")
        promoted: cython.int = 0
        for kind in range(KNIGHT, KING):
            usual: cython.int = 1 if kind == QUEEN else 2
            promoted += max(0, popcount(pieces(pos, side, kind)) - usual)
        if promoted > 8 - pawns:
            raise ValueError(f"{colour} has more promoted pieces than lost pawns")
    waiting = pos.side ^ 1
    if attackers_to(pos, pos.king[waiting], occupied(pos)) & pos.colour[pos.side]:
        raise ValueError("the side that is not to move is in check")


def check_checkers(pos):
    """ValueError for checks that no move can have given."""
    count = popcount(pos.checkers)
    if count > 2:
        raise ValueError(f"the king is in check from {count} pieces, more than one move can give")
    king = pos.king[pos.side]
    if count == 2:
        sliders = pos.kind[BISHOP] | pos.kind[ROOK] | pos.kind[QUEEN]
        if not pos.checkers & sliders:
            raise ValueError("two checks without a slider cannot come from one move")
    if count and pos.en_passant != NO_SQUARE:
        # The double step was the last move: it gave the check itself, or uncovered it by leaving its square.
        pawn: cython.int = pos.en_passant ^ 8
        start: cython.int = pos.en_passant + (8 if pos.side == WHITE else -8)
        before = (occupied(pos) ^ bit(pawn)) | bit(start)
        if attackers_to(pos, king, before) & pos.checkers & ~bit(pawn):
            raise ValueError("the check stood before the double step that the en-passant square tells of")


def write_fen(pos, fullmove):
    """The position as X-FEN: file letters for rights only where the outermost rook is not meant."""
    rows = []
    rank: cython.int
    file: cython.int
    side: cython.int
    right: cython.int
    for rank in range(7, -1, -1):
        row = ""
        empty: cython.int = 0
        for file in range(8):
            piece: cython.int = pos.board[rank * 8 + file]
            if piece == NO_PIECE:
                empty += 1
                continue
            if empty:
                row += str(empty)
                empty = 0
            letter = LETTERS[piece & 7]
            row += letter.lower() if piece >> 3 else letter
        rows.append(row + (str(empty) if empty else ""))
    rights = ""
    for right in range(4):
        if not (pos.rights >> right) & 1:
            continue
        side = right >> 1
        rook = pos.castling.rook_from[right]
        step: cython.int = -1 if right & 1 else 1
        letter = "Q" if right & 1 else "K"
        square: cython.int = rook + step
        while square >> 3 == rook >> 3 and square >= 0:
            if pos.board[square] == (ROOK | (side << 3)):
                letter = "ABCDEFGH"[rook & 7]
            square += step
        rights += letter.lower() if side else letter
    en_passant = "-"
    if pos.en_passant != NO_SQUARE:
        en_passant = "abcdefgh"[pos.en_passant & 7] + "12345678"[pos.en_passant >> 3]
    return f"{'/'.join(rows)} {'wb'[pos.side]} {rights or '-'} {en_passant} {pos.rule50} {fullmove}"
