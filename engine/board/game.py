"""Game: set up a position, make and take back moves, read and write moves, tell when and how the game has ended."""

import cython

STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
PIECE_LETTERS = "PNBRQK"
FORMS = {"linear": SEE_LINEAR, "early-exit": SEE_EARLY_EXIT, "swap": SEE_SWAP}


def square_name(square):
    """`a1` for 0 to `h8` for 63."""
    return "abcdefgh"[square & 7] + "12345678"[square >> 3]


class Game:
    """A game of chess or Fischer random: start position, moves made, position now.

    Moves are 16-bit codes (types.pxd), 0 is no move. Raises ValueError with the reason for an impossible position.
    """

    def __cinit__(self):
        self.past = cython.NULL
        self.made = 0
        self.capacity = 0

    def __init__(self, fen=STARTPOS, chess960=False):
        self.chess960 = chess960
        self.played = []
        parse_fen(
            fen,
            chess960,
            cython.address(self.position),
            cython.address(self.castling),
            cython.address(self.start_fullmove),
        )
        self.start_side = self.position.side
        self.start = write_fen(cython.address(self.position), self.start_fullmove)

    def __dealloc__(self):
        free(self.past)

    @property
    def turn(self):
        """Side to move: 0 White, 1 Black."""
        return self.position.side

    @property
    def ply(self):
        """Moves of both sides made since the start position."""
        return self.made

    @property
    def key(self):
        """Zobrist key of the position; equal keys mean equal positions as far as repetition is concerned."""
        return self.position.key

    @property
    def halfmove_clock(self):
        """Moves of either side since the last capture or pawn move."""
        return self.position.rule50

    def fullmove(self):
        """The number of the move to be made, as in FEN and score sheets: 1 at the start, one more after each move of Black."""
        return self.start_fullmove + (self.start_side + self.made) // 2

    def fen(self):
        """The position now, as X-FEN."""
        return write_fen(cython.address(self.position), self.fullmove())

    def start_fen(self):
        """The position the game started from."""
        return self.start

    def moves(self):
        """Coordinates of the moves made."""
        return list(self.played)

    def copy(self):
        """An independent copy, history included."""
        twin: Game = Game.__new__(Game)
        i: cython.int
        if self.made:
            twin.past = cython.cast(cython.pointer(Position), malloc(self.made * cython.sizeof(Position)))
            if twin.past == cython.NULL:
                raise MemoryError("no memory for a copy of the game")
            memcpy(twin.past, self.past, self.made * cython.sizeof(Position))
        twin.castling = self.castling
        twin.position = self.position
        twin.made = twin.capacity = self.made
        for i in range(twin.made):
            twin.past[i].castling = cython.address(twin.castling)
        twin.position.castling = cython.address(twin.castling)
        twin.chess960 = self.chess960
        twin.start_fullmove = self.start_fullmove
        twin.start_side = self.start_side
        twin.start = self.start
        twin.played = list(self.played)
        return twin

    def in_check(self):
        """Whether the side to move is in check."""
        return self.position.checkers != 0

    def legal_moves(self):
        """Codes of all legal moves in generation order: noisy moves, then quiet ones."""
        moves = cython.declare(Move[MAX_MOVES])
        set_pinned(cython.address(self.position))
        middle = generate(cython.address(self.position), moves, NOISY, True)
        end = generate(cython.address(self.position), middle, QUIET, True)
        i: cython.int
        return [moves[i] for i in range(end - moves)]

    def quiet_checks(self):
        """Codes of the legal quiet moves that give check, in generation order: what quiescence tries beside captures."""
        moves = cython.declare(Move[MAX_MOVES])
        checks = cython.declare(CheckSquares)
        set_pinned(cython.address(self.position))
        set_check_squares(cython.address(self.position), cython.address(checks))
        end = generate_checks(cython.address(self.position), moves, cython.address(checks), True)
        i: cython.int
        return [moves[i] for i in range(end - moves)]

    def is_pseudo_legal(self, move):
        """Whether the generator lists this code here, before it tests the own king's safety."""
        code: cython.int = move
        return generator_lists(cython.address(self.position), code)

    def pseudo_legal_moves(self):
        """Codes of all pseudo-legal moves in generation order."""
        moves = cython.declare(Move[MAX_MOVES])
        middle = generate(cython.address(self.position), moves, NOISY, False)
        end = generate(cython.address(self.position), middle, QUIET, False)
        i: cython.int
        return [moves[i] for i in range(end - moves)]

    def gives_check(self, move):
        """Whether a legal move attacks the enemy king."""
        code: cython.int = move
        return move_gives_check(cython.address(self.position), code)

    def push(self, move):
        """Make a legal move; ValueError for any other."""
        code: cython.int = move
        set_pinned(cython.address(self.position))
        if (
            code == 0
            or not generator_lists(cython.address(self.position), code)
            or not is_legal(cython.address(self.position), code)
        ):
            raise ValueError(f"move code {code} is not legal here")
        text = self.coordinates(code)
        if self.made == self.capacity:
            capacity: cython.int = 256 if self.capacity == 0 else 2 * self.capacity
            grown = cython.cast(cython.pointer(Position), realloc(self.past, capacity * cython.sizeof(Position)))
            if grown == cython.NULL:
                raise MemoryError("no memory for more moves")
            self.past = grown
            self.capacity = capacity
        self.past[self.made] = self.position
        make(cython.address(self.past[self.made]), cython.address(self.position), code)
        self.made += 1
        self.played.append(text)

    def pop(self):
        """Take back the last move; IndexError when there is none."""
        if self.made == 0:
            raise IndexError("no move to take back")
        self.made -= 1
        self.position = self.past[self.made]
        self.played.pop()

    def coordinates(self, move):
        """e2e4, e7e8q; castling as e1g1, in Fischer random as O-O or O-O-O."""
        code: cython.int = move
        origin = move_from(code)
        target = move_to(code)
        if move_kind(code) == CASTLING:
            if self.chess960:
                return "O-O" if target > origin else "O-O-O"
            target = landing_square(cython.address(self.position), code)
        text = square_name(origin) + square_name(target)
        if move_kind(code) == PROMOTION:
            text += PIECE_LETTERS[promotion_type(code)].lower()
        return text

    def san(self, move):
        """Standard algebraic notation of a legal move, with + or # where it is due."""
        code: cython.int = move
        pos = cython.address(self.position)
        origin = move_from(code)
        target = move_to(code)
        kind = kind_on(pos, origin)
        if move_kind(code) == CASTLING:
            text = "O-O" if target > origin else "O-O-O"
        else:
            takes = captured_kind(pos, code) != NO_PIECE
            if kind == PAWN:
                text = square_name(origin)[0] if takes else ""
            else:
                text = PIECE_LETTERS[kind]
                rivals = [
                    other
                    for other in self.legal_moves()
                    if (other >> 6) & 63 == target
                    and other & 63 != origin
                    and other >> 14 == 0
                    and kind_on(pos, other & 63) == kind
                ]
                if rivals:
                    name = square_name(origin)
                    if not any((other & 7) == (origin & 7) for other in rivals):
                        text += name[0]
                    elif not any(((other & 63) >> 3) == (origin >> 3) for other in rivals):
                        text += name[1]
                    else:
                        text += name
            text += ("x" if takes else "") + square_name(target)
            if move_kind(code) == PROMOTION:
                text += "=" + PIECE_LETTERS[promotion_type(code)]
        after = cython.declare(Position)
        make(pos, cython.address(after), code)
        if after.checkers:
            text += "+" if has_legal_move(cython.address(after)) else "#"
        return text

    def parse(self, text):
        """Code of the legal move that `text` names, 0 when it names none or more than one.

        Takes coordinates (promotion letter of either case, `=` allowed, castling by king's target square or king takes rook),
        O-O and 0-0, and SAN, also over-disambiguated and with check marks and annotations.
        """
        word = text.strip().rstrip("+#!?")
        if not word or len(word) > 10 or not word.isascii():
            return 0
        legal = self.legal_moves()
        castle = word.upper().replace("0", "O")
        if castle in ("O-O", "O-O-O", "OO", "OOO"):
            short = castle.count("O") == 2
            for move in legal:
                if move >> 14 == 3 and ((move >> 6) & 63 > (move & 63)) == short:
                    return move
            return 0
        if word[0] == "B" and (found := self.parse_san(word, legal)):
            return found  # B1c3 is a bishop's move, although b1c3 may be one too
        found = self.parse_coordinates(word, legal)
        return found if found else self.parse_san(word, legal)

    def parse_coordinates(self, word, legal):
        """The one of `legal` that a word like e2e4, e7-e8=Q or e1h1 names; 0 for none."""
        bare = word.replace("=", "").replace("-", "").lower()
        if len(bare) not in (4, 5) or bare[0] not in "abcdefgh" or bare[2] not in "abcdefgh":
            return 0
        if bare[1] not in "12345678" or bare[3] not in "12345678" or (len(bare) == 5 and bare[4] not in "nbrq"):
            return 0
        origin: cython.int = ord(bare[0]) - 97 + 8 * (ord(bare[1]) - 49)
        target: cython.int = ord(bare[2]) - 97 + 8 * (ord(bare[3]) - 49)
        promotion: cython.int = "nbrq".find(bare[4]) if len(bare) == 5 else -1
        castle = 0
        for move in legal:
            code: cython.int = move
            if move_from(code) != origin:
                continue
            if move_kind(code) == CASTLING:
                if promotion < 0 and (
                    move_to(code) == target or landing_square(cython.address(self.position), code) == target
                ):
                    castle = move
            elif move_to(code) == target:
                if (promotion_type(code) - KNIGHT if move_kind(code) == PROMOTION else -1) == promotion:
                    return move  # a plain king step goes before castling to the same square
        return castle

    def parse_san(self, word, legal):
        """The one of `legal` that a SAN word without check marks names; 0 for none or more than one."""
        promotion: cython.int = -1
        if "=" in word:
            word, _, letter = word.partition("=")
            promotion = "NBRQ".find(letter.upper()) if len(letter) == 1 else -1
            if promotion < 0:
                return 0
        elif len(word) > 2 and word.endswith(("N", "B", "R", "Q")):
            promotion = "NBRQ".find(word[-1:])
            word = word[:-1]
        kind: cython.int = PAWN
        if word[:1] in ("N", "B", "R", "Q", "K", "P") and word:
            kind = PIECE_LETTERS.find(word[0])
            word = word[1:]
        word = word.replace("x", "").replace("-", "").replace(":", "")
        goal = word[-2:]
        if len(goal) < 2 or goal[0] not in "abcdefgh" or goal[1] not in "12345678":
            return 0
        target: cython.int = ord(goal[0]) - 97 + 8 * (ord(goal[1]) - 49)
        hint = word[:-2]
        if len(hint) > 2 or any(letter not in "abcdefgh12345678" for letter in hint):
            return 0
        found = 0
        for move in legal:
            code: cython.int = move
            if (
                move_kind(code) == CASTLING
                or move_to(code) != target
                or kind_on(cython.address(self.position), move_from(code)) != kind
            ):
                continue
            if (promotion_type(code) - KNIGHT if move_kind(code) == PROMOTION else -1) != promotion:
                continue
            name = square_name(move_from(code))
            if any(letter not in name for letter in hint):
                continue
            if found:
                return 0
            found = move
        return found

    def repetitions(self):
        """How often the position stood on the board before, in this game."""
        count: cython.int = 0
        back: cython.int = 2
        while back <= self.position.rule50 and back <= self.made:
            if self.past[self.made - back].key == self.position.key:
                count += 1
            back += 2
        return count

    def outcome(self):
        """(result, reason) when the rules have ended the game or allow a draw to be claimed; else None."""
        pos = cython.address(self.position)
        if not has_legal_move(pos):
            if not pos.checkers:
                return "1/2-1/2", "Stalemate"
            return ("0-1", "Black mates") if pos.side == WHITE else ("1-0", "White mates")
        if insufficient_material(pos):
            return "1/2-1/2", "Insufficient material"
        if self.repetitions() >= 2:
            return "1/2-1/2", "Draw by repetition"
        if pos.rule50 >= 100:
            return "1/2-1/2", "50-move rule"
        return None

    def perft(self, depth):
        """Number of legal move sequences of `depth` plies (the last ply is counted, not made)."""
        plies: cython.int = depth
        with cython.nogil:
            total = count_leaves(cython.address(self.position), plies)
        return total

    def divide(self, depth):
        """(move, perft of depth - 1 behind it) for every legal move."""
        after = cython.declare(Position)
        plies: cython.int = depth
        rows = []
        for move in self.legal_moves():
            code: cython.int = move
            make(cython.address(self.position), cython.address(after), code)
            with cython.nogil:
                count = count_leaves(cython.address(after), plies - 1)
            rows.append((self.coordinates(code), count))
        return rows

    def see(self, move, form="swap"):
        """Exchange value of a move in centipawns; form is swap, early-exit or linear. ValueError for another form."""
        if form not in FORMS:
            raise ValueError(f"no exchange form {form!r}: it is one of {', '.join(sorted(FORMS))}")
        code: cython.int = move
        chosen: cython.int = FORMS[form]
        return exchange_value(cython.address(self.position), code, chosen)

    def see_ge(self, move, threshold):
        """Whether the exact exchange value is at least `threshold` (form D, without computing the value)."""
        code: cython.int = move
        least: cython.int = threshold
        return exchange_reaches(cython.address(self.position), code, least)

    def gains(self, move):
        """The list of gains of the exchange that a move starts (engine/board/see.py)."""
        code: cython.int = move
        gain = cython.declare(cython.int[32])
        n = exchange_gains(cython.address(self.position), code, gain)
        i: cython.int
        return [gain[i] for i in range(n)]

    def computed_key(self):
        """The key from scratch; equal to `key` unless make has a fault."""
        return compute_key(cython.address(self.position))

    def fill_keys(self, keys, most):
        """Write the keys of the last `most` earlier positions, oldest first, and return how many there were."""
        n: cython.int = self.made if self.made < most else most
        i: cython.int
        for i in range(n):
            keys[i] = self.past[self.made - n + i].key
        return n
