"""What the search may ask about endings, through a function pointer, so that without tables their modules are not loaded."""

from engine.types cimport *
from engine.board.position cimport Position, occupied

cdef enum:
    # Results for the side to move; under the fifty-move rule a cursed win and a blessed loss are draws.
    LOSS = -2
    BLESSED_LOSS = -1
    DRAWN = 0
    CURSED_WIN = 1
    WIN = 2
    UNKNOWN = 3

    TABLE_WIN = 20000          # centipawns of a win by the tables: above any evaluation, below any mate
    TABLE_BOUND = TABLE_WIN - MAX_PLY - 1
    CERTAIN = 6                # plies: an answer is stored as so much deeper than the node that asked

ctypedef struct Oracle
ctypedef int (*Answer)(const Oracle* oracle, const Position* pos) noexcept nogil

ctypedef struct Oracle:
    Answer answer
    int men                    # greatest number of men to ask about, kings included
    int depth                  # least remaining depth, plies, at a node with so many men
    bint fifty                 # the fifty-move rule counts

cdef inline int oracle_score(
    const Oracle* oracle, const Position* pos, int ply, int plies, int alpha, int beta, int draw_score
) noexcept nogil:
    """The score of a position by the tables, NO_SCORE if they are not asked or cannot tell.

    They know no castling rights and count from a capture or pawn move. If the window lies beyond their wins and losses, the search
    is looking for a mate, of which they know nothing.
    """
    if pos.rule50 or pos.rights:
        return NO_SCORE
    cdef int men = popcount(occupied(pos))
    if men > oracle.men or (men == oracle.men and plies < oracle.depth):
        return NO_SCORE
    cdef int score = TABLE_WIN - ply
    if alpha >= score or beta <= -score:
        return NO_SCORE
    cdef int answer = oracle.answer(oracle, pos)
    if answer == UNKNOWN:
        return NO_SCORE
    if answer == WIN or (answer == CURSED_WIN and not oracle.fifty):
        return score
    if answer == LOSS or (answer == BLESSED_LOSS and not oracle.fifty):
        return -score
    return draw_score
