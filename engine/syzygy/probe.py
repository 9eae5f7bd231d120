"""Probing: win, draw or loss, and the distance to the next capture or pawn move that keeps it (DTZ).

A table's value for a position covers its quiet moves only: the files were made smaller by leaving out what a capture
decides, so captures are tried first. Distances are in plies, positive for a win of the side to move, a hundred more where the
fifty-move rule makes it a draw. The files give some of them in moves, hence up to a ply short.
"""

import cython
from cython import address, cast


def legal_moves_of(pos, here, moves):
    """Write all legal moves, noisy ones first, and to `here` a copy of the position to make them from; return how many."""
    here[0] = pos[0]
    set_pinned(here)
    end = generate(here, generate(here, moves, NOISY, True), QUIET, True)
    return end - moves


def is_zeroing(pos, move):
    """Whether a move resets the fifty-move count."""
    return captured_kind(pos, move) != NO_PIECE or kind_on(pos, move_from(move)) == PAWN


def answer(oracle, pos):
    """The answer to the search: win, draw or loss for the side to move, UNKNOWN if a table is missing or damaged."""
    by_zeroing: cython.bint = False
    return result_of(cast(cython.pointer(cython.const[Shelf]), oracle), pos, False, address(by_zeroing))


def result_of(shelf, pos, zeroing, by_zeroing):
    """Win, draw or loss; UNKNOWN if a table is missing or damaged.

    Captures, and with `zeroing` pawn moves, are tried; `by_zeroing` receives whether one of them is as good as any move.
    """
    here = cython.declare(Position)
    after = cython.declare(Position)
    moves = cython.declare(Move[MAX_MOVES])
    ignored: cython.bint = False
    i: cython.int
    best: cython.int = LOSS
    tried: cython.int = 0
    by_zeroing[0] = False
    here = pos[0]
    set_pinned(address(here))
    end = generate(address(here), moves, NOISY, True)
    if zeroing:
        end = generate(address(here), end, QUIET, True)
    for i in range(end - moves):
        if captured_kind(pos, moves[i]) == NO_PIECE and not (zeroing and kind_on(pos, move_from(moves[i])) == PAWN):
            continue
        tried += 1
        make(address(here), address(after), moves[i])
        value: cython.int = result_of(shelf, address(after), False, address(ignored))
        if value == UNKNOWN:
            return UNKNOWN
        if -value > best:
            best = -value
        if best == WIN:
            by_zeroing[0] = True
            return WIN
    # Tables ignore en passant: if it is the only move they give a mate or stalemate that is none.
    if tried and (zeroing or pos.en_passant != NO_SQUARE) and only_moves(pos, tried):
        by_zeroing[0] = True
        return best
    stored: cython.int = stored_result(shelf, pos)
    if stored == UNKNOWN:
        return UNKNOWN
    if tried and best >= stored:
        by_zeroing[0] = best > DRAWN
        return best
    return stored


def only_moves(pos, tried):
    """Whether no other legal moves are left than those tried."""
    here = cython.declare(Position)
    moves = cython.declare(Move[MAX_MOVES])
    return legal_moves_of(pos, address(here), moves) == tried


def stored_result(shelf, pos):
    """The value in the file, which is valid unless a capture is better."""
    if pos.material == 0:
        return DRAWN
    place = place_of(shelf, pos.material)
    if place.material == 0 or place.wdl == cython.NULL:
        return UNKNOWN
    turned: cython.bint = pos.side == BLACK if place.wdl.symmetric else place.turned
    where = cython.declare(cython.pointer(cython.const[Sequence]))
    index = number_of(place.wdl, pos, turned, pos.side ^ turned, address(where))
    value: cython.int = value_at(where, index)
    return value - 2 if 0 <= value <= 4 else UNKNOWN


def distance_of(shelf, pos):
    """The distance in plies, 0 for a draw; NO_DISTANCE if a table is missing or damaged."""
    by_zeroing: cython.bint = False
    known: cython.int = result_of(shelf, pos, True, address(by_zeroing))
    if known == UNKNOWN:
        return NO_DISTANCE
    if known == DRAWN:
        return 0
    if by_zeroing:
        return at_once(known)
    place = place_of(shelf, pos.material)
    if place.material == 0 or place.dtz == cython.NULL:
        return NO_DISTANCE
    distance: cython.int = stored_distance(place, pos, known)
    if distance == 0:
        return distance_by_moves(shelf, pos, known)
    if distance < 0:
        return NO_DISTANCE
    if known == CURSED_WIN or known == BLESSED_LOSS:
        distance += 100
    return distance if known > 0 else -distance


def stored_distance(place, pos, known):
    """The distance in the file, 1 or more; 0 if the file has the other side to move, -1 if it is damaged."""
    e = place.dtz
    turned: cython.bint = pos.side == BLACK if e.symmetric else place.turned
    side: cython.int = pos.side ^ turned
    where = cython.declare(cython.pointer(cython.const[Sequence]))
    index = number_of(e, pos, turned, side, address(where))
    if where.flags & BLACK_TO_MOVE != side and not (e.symmetric and not e.pawns):
        return 0
    value: cython.int = value_at(where, index)
    if value < 0:
        return -1
    if where.flags & MAPPED:
        kind: cython.int = 1 if known == LOSS else 3 if known == BLESSED_LOSS else 2 if known == CURSED_WIN else 0
        if value >= where.listed_values[kind]:
            return -1
        value = u16_at(where.list[kind] + 2 * value) if where.flags & WIDE else where.list[kind][value]
    in_plies: cython.bint = (known == WIN and where.flags & WIN_IN_PLIES) or (known == LOSS and where.flags & LOSS_IN_PLIES)
    return value + 1 if in_plies else 2 * value + 1


def distance_by_moves(shelf, pos, known):
    """The distance of a position that the file has only with the other side to move: a ply more than after its best move."""
    here = cython.declare(Position)
    after = cython.declare(Position)
    moves = cython.declare(Move[MAX_MOVES])
    ignored: cython.bint = False
    i: cython.int
    best: cython.int = NO_DISTANCE
    found: cython.int
    count: cython.int = legal_moves_of(pos, address(here), moves)
    for i in range(count):
        make(address(here), address(after), moves[i])
        if is_zeroing(pos, moves[i]):
            value: cython.int = result_of(shelf, address(after), False, address(ignored))
            if value == UNKNOWN:
                return NO_DISTANCE
            found = at_once(-value)
        else:
            found = distance_of(shelf, address(after))
            if found == NO_DISTANCE:
                return NO_DISTANCE
            if found == -1 and after.checkers and not has_legal_move(address(after)):
                found = 1  # mate
            else:
                found = -found
                found += (found > 0) - (found < 0)
        if found < best and (found > 0) == (known > 0) and found != 0:
            best = found
    return -1 if best == NO_DISTANCE else best
