"""The format of a Syzygy file, WDL (.rtbw) or DTZ (.rtbz), and the structs that a mapped one is read into.

All numbers are little-endian:
    4   magic number: WDL or DTZ
    1   flags: 1 both sides to move are stored, 2 there are pawns
    for each file (a to d) of the leading pawn, once without pawns:
        1 or 2 bytes: the place in the index of the leading group, and of the other side's pawns; half a byte a side
        a byte a man: which man has this place in the order; half a byte a side
    padding to an even offset
    for each of these and each side stored, a sequence's head (`Sequence`): a byte of flags; if CONSTANT its one value, else
        1   log2 of the bytes of a block
        1   log2 of the positions between two entries of the sparse index
        1   entries of the length table beyond the blocks
        4   blocks
        1 + 1   longest and shortest code in bits
        2 each  the first symbol of each length
        2   symbols, then 3 bytes each: two halves of 12 bits, or a value and 0xFFF; padding to an even offset
    DTZ only: for each that is MAPPED, four lists of values (win, loss, cursed win, blessed loss), a length before each
    for each: the sparse index (4 bytes block, 2 bytes place in it), then for each: positions less one of each block (2 bytes),
    then for each, from a multiple of 64 on: the blocks, Huffman codes from the highest bit down
    16  checksum; the size is a multiple of 64, plus these 16
"""

from engine.types cimport *

cdef enum:
    MOST_MEN = 7

    BOTH_SIDES = 1             # flags of a file
    HAS_PAWNS = 2

    BLACK_TO_MOVE = 1          # flags of a sequence: DTZ files store one side only
    MAPPED = 2                 # ... values are indexes into the file's lists
    WIN_IN_PLIES = 4           # ... not in moves
    LOSS_IN_PLIES = 8
    WIDE = 16                  # ... the lists hold numbers of 2 bytes
    CONSTANT = 128             # one value for all positions

    CHECKSUM = 16              # bytes
    SPARSE_ENTRY = 6
    NO_HALF = 0xFFF            # in place of the second half of a symbol that is a value
    NOWHERE = 15               # the place of a group that does not exist

ctypedef struct Sequence:
    # The values of all arrangements with one side to move and, if there are pawns, with the leading one on one file.
    U8 order[8]                # the men in the order of the index: kind + 1 | colour << 3
    int groups                 # of men numbered together: the leading ones, then those that are alike
    int size[8]
    U64 factor[8]              # what a step of each group adds to the index
    U64 count                  # of arrangements
    int flags
    int constant
    int block_bits
    int span_bits
    U64 blocks
    U64 listed                 # entries of the length table
    int shortest               # code length in bits
    int symbols
    const U8* firsts
    const U8* tree
    const U8* sparse
    U64 sparse_count
    const U8* lengths
    const U8* data
    U64 codes[33]              # the least code of each length, from the highest bit down
    U8* more                   # of each symbol: the number of values it stands for, less one
    const U8* list[4]
    int listed_values[4]

ctypedef struct Ending:
    const U8* start
    U64 size
    int men
    bint pawns
    bint symmetric             # both sides have the same men: only White to move is stored
    bint unique                # some man other than the kings is the only one of its kind and colour
    int lead_pawns             # of the side whose pawns lead the index
    int other_pawns
    bint dtz
    int sides                  # stored
    int files
    Sequence sequences[2][4]

cdef inline int u16_at(const U8* p) noexcept nogil:
    return p[0] | p[1] << 8

cdef inline U64 u32_at(const U8* p) noexcept nogil:
    return p[0] | p[1] << 8 | p[2] << 16 | <U64>p[3] << 24

cdef inline U64 big32_at(const U8* p) noexcept nogil:
    return <U64>p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]

cdef inline int first_half(const U8* tree, int symbol) noexcept nogil:
    return tree[3 * symbol] | (tree[3 * symbol + 1] & 15) << 8

cdef inline int second_half(const U8* tree, int symbol) noexcept nogil:
    return tree[3 * symbol + 1] >> 4 | tree[3 * symbol + 2] << 4
