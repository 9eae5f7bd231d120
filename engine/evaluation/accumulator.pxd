"""The sums of the hidden layer in a position, for each side's view of the board, and how moves change them."""

from engine.types cimport *
from engine.board.position cimport *
from engine.evaluation.vectors cimport CHUNK, QA, QB, Loops, has_avx2

cdef enum:
    INPUTS = 768
    OUTPUTS = 8
    MOST_HIDDEN = 512

ctypedef struct Weights:
    # A network. Whole numbers: inputs and bias times QA, output times QB, output_bias times QA * QB.
    I16* inputs                # [768][hidden]
    I16* bias                  # [hidden]
    I16* output                # [8][2 * hidden]
    int output_bias[8]
    int hidden
    int unit                   # centipawns of an output of 1

ctypedef struct Accumulator:
    # Sums of one position by view (WHITE, BLACK), worked out only when they are needed.
    bint ready[2]
    I16 values[2][512]

ctypedef struct Refresh:
    # By view and by the half its king stands on: the sums of the last refresh, and the pieces they were worked out from.
    I16 values[2][2][512]
    U64 colour[2][2][2]
    U64 kind[2][2][6]

cdef Loops loops

cdef inline int king_half(const Position* pos, int view) noexcept nogil:
    """The half that the king of `view` stands on: 0 files a to d, 1 files e to h, where the board is mirrored."""
    return (pos.king[view] & 7) >> 2

cdef inline int input_of(int piece, int square, int view, int mirrored) noexcept nogil:
    """The input of a piece: own pieces first, then by kind and square, the board turned so that the view's side plays up it."""
    return (((piece >> 3) ^ view) * 6 + (piece & 7)) << 6 | (square ^ (56 if view else 0) ^ (7 if mirrored else 0))

cdef void clear_refresh(const Weights* net, Refresh* cache) noexcept nogil
cdef void refresh(const Weights* net, const Position* pos, Accumulator* sums, Refresh* cache, int view) noexcept nogil
cdef void advance(const Weights* net, const Position* pos, const Accumulator* before, Move move, Accumulator* sums, int view) noexcept nogil
cdef int network_score(const Weights* net, const Position* pos, const Accumulator* sums) noexcept nogil
