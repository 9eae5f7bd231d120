"""The sums of the hidden layer in a position, for each side's view of the board, and how moves change them."""

from engine.types cimport *
from engine.board.position cimport *
from engine.evaluation.vectors cimport CHUNK, QA, QB, ROWS, SQUARE_BITS, Loops, has_avx2, has_avx512

cdef extern from *:
    """
    /* At multiples of 64 bytes, so that no vector lies across two cache lines. */
    #ifdef _MSC_VER
      #define SORTIE_ALIGNED __declspec(align(64))
    #else
      #define SORTIE_ALIGNED __attribute__((aligned(64)))
    #endif
    typedef struct SORTIE_ALIGNED { int16_t values[2][512]; int ready[2]; } sortie_accumulator;
    typedef struct SORTIE_ALIGNED { int16_t values[2][2][512]; uint64_t colour[2][2][2], kind[2][2][6]; } sortie_refresh;
    """
    ctypedef struct Accumulator "sortie_accumulator":
        # Sums of one position by view (WHITE, BLACK), worked out only when they are needed.
        I16 values[2][512]
        bint ready[2]
    ctypedef struct Refresh "sortie_refresh":
        # By view and by the half its king stands on: the sums of the last refresh, and the pieces they stand for.
        I16 values[2][2][512]
        U64 colour[2][2][2]
        U64 kind[2][2][6]

cdef enum:
    INPUTS = 768
    OUTPUTS = 8
    MOST_HIDDEN = 512
    MOST_SECOND = 64
    SECOND_BITS = 7            # a weight of the second layer of 1 is 1 << SECOND_BITS
    SUM_BITS = 2               # dropped from the second layer's sums
    SECOND_MOST = QA * QA >> SQUARE_BITS << SECOND_BITS >> SUM_BITS  # a neuron of the second layer of 1

ctypedef struct Weights:
    # A network. Whole numbers: inputs and bias times QA, output times QB, output_bias times QA * QB, second times
    # 1 << SECOND_BITS, second_bias times SECOND_MOST << SUM_BITS, head times QB << SQUARE_BITS - SECOND_BITS + SUM_BITS.
    I16* inputs                # [768][hidden]
    I16* bias                  # [hidden]
    I8* output                 # [8][2 * hidden]
    I8* second                 # [neurons][2 * hidden]
    I16* head                  # [8][neurons]
    int second_bias[MOST_SECOND]
    int output_bias[OUTPUTS]
    int hidden
    int neurons                # of the second layer
    int unit                   # centipawns of an output of 1

cdef Loops loops

cdef inline int king_half(const Position* pos, int view) noexcept nogil:
    """The half that the king of `view` stands on: 0 files a to d, 1 files e to h, where the board is mirrored."""
    return (pos.king[view] & 7) >> 2

cdef inline int input_of(int piece, int square, int view, int mirrored) noexcept nogil:
    """The input of a piece: own pieces first, then by kind and square, the board turned so that the view's pawns go up."""
    return (((piece >> 3) ^ view) * 6 + (piece & 7)) << 6 | (square ^ (56 if view else 0) ^ (7 if mirrored else 0))

cdef void clear_refresh(const Weights* net, Refresh* cache) noexcept nogil
cdef void refresh(const Weights* net, const Position* pos, Accumulator* sums, Refresh* cache, int view) noexcept nogil
cdef void advance(const Weights* net, const Position* pos, const Accumulator* before, Move move, Accumulator* sums, int view) noexcept nogil
cdef void second_layer(const Weights* net, const U8* squares, int* neurons) noexcept nogil
cdef int network_score(const Weights* net, const Position* pos, const Accumulator* sums) noexcept nogil
