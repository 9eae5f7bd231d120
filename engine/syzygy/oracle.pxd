"""What the search may ask about endings. A pointer leads to who answers: without tables no module of them is loaded."""

from engine.types cimport *
from engine.board.position cimport Position, occupied

cdef enum:
    # What a position is worth to the side to move; by the fifty-move rule a cursed win and a blessed loss are draws.
    LOSS = -2
    BLESSED_LOSS = -1
    DRAWN = 0
    CURSED_WIN = 1
    WIN = 2
    UNKNOWN = 3

    TABLE_WIN = 20000          # centipawns of a win that a table promises: above any evaluation, below any mate
    TABLE_BOUND = TABLE_WIN - MAX_PLY - 1
    CERTAIN = 6                # plies by which an answer is kept as deeper than the node that asked

ctypedef struct Oracle
ctypedef int (*Answer)(const Oracle* oracle, const Position* pos) noexcept nogil

ctypedef struct Oracle:
    Answer answer
    int men                    # the most men of a position that is asked about, kings included
    int depth                  # plies that a node with so many men must have left
    bint fifty                 # the fifty-move rule counts

cdef inline int oracle_score(
    const Oracle* oracle, const Position* pos, int ply, int plies, int alpha, int beta, int draw_score
) noexcept nogil:
    """The score of a position in the tables, NO_SCORE when they are not asked or cannot tell.

    They know no right to castle and count from a capture or a pawn's move. Where the window lies beyond their wins and losses a
    mate is sought, of which they know nothing.
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
