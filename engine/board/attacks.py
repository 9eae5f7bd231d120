"""Attack tables: magic look-ups for sliders (Kannan 2007), step tables for the rest, between and line tables.

A set of squares is 64 bits, a1 the lowest, h8 the highest. The magic factors are constants, found once by random search:
searching for them at every start would take 32 ms, more than the rest of the start.
"""

import cython

# North, east, south, west; north-east, north-west, south-east, south-west.
RANK_STEP = (1, 0, -1, 0, 1, 1, -1, -1)
FILE_STEP = (0, 1, 0, -1, 1, -1, 1, -1)
FACTORS_ROOK = (
    0x0480002810804000,
    0x0240004020001008,
    0x0080200080100008,
    0x1280040800809000,
    0x0200020010042008,
    0x6200020001841008,
    0x0200240081020048,
    0x8A00008100403402,
    0x0248800080400029,
    0x0080402010004000,
    0x0508802002801000,
    0x4241000810010020,
    0x0110800400810802,
    0x1031002E04005900,
    0x000400010C023098,
    0x0801000082004100,
    0x1000928000400020,
    0x009000C020004004,
    0x0500808020001001,
    0x0000818048001000,
    0x0880050010080100,
    0x0400808002000400,
    0x9090040010020108,
    0x001002000840810C,
    0x0000400480048220,
    0x0200400040201002,
    0x0000402200108200,
    0x101D050900100020,
    0x1200050100080010,
    0x1002020080040080,
    0x0118EE0400100118,
    0x222804020000A041,
    0x2480004000402000,
    0x0580400080802008,
    0x0000200080801004,
    0x0001002409001000,
    0x2001800801801400,
    0x1800800200800400,
    0x1004102204000188,
    0x021006831200004C,
    0x8020408001010020,
    0x0040080030012000,
    0x0060004021010010,
    0x5000200812020040,
    0x0001004800050030,
    0x0000040002008080,
    0x0010085026140005,
    0x0010048404460003,
    0x400D034021800100,
    0x0000201080400C80,
    0x0000142001024500,
    0x1040092202401200,
    0x001A080004008080,
    0x8094010040020040,
    0x1008701108020400,
    0x4A0000440100A200,
    0x1441048000102041,
    0x4000881040010021,
    0x0080401104082001,
    0x8010080500201001,
    0x2881001004080023,
    0x0021000400080203,
    0x8000020100881004,
    0x0431010400204082,
)
FACTORS_BISHOP = (
    0x1002020204041080,
    0x0095102A22002000,
    0x0048048902180010,
    0x0008205040800022,
    0x8221114002000000,
    0x0102020220400048,
    0x0001040104400100,
    0x2000210100904000,
    0x0001080890388600,
    0x0040090808004040,
    0x4006C82084028020,
    0x04018A0A12001B01,
    0x2294411140000090,
    0x4000010420048008,
    0x00840418C4100801,
    0x0840202882082006,
    0x4013240810300480,
    0x341810202E842044,
    0x0004120204220200,
    0x00C4000240118200,
    0xA004021184A01002,
    0x0140200100884000,
    0x0000440C0A180400,
    0x8012092222010400,
    0x2102417809100402,
    0x0201084804501400,
    0x5098024118020940,
    0x910108001C020420,
    0x0104840128802002,
    0x8008084002004200,
    0xA100841052023200,
    0x0000511000440200,
    0x40A8084280081240,
    0x8110940408A10800,
    0x080031C8140C0800,
    0x0000400808808200,
    0x0904010200700808,
    0x000C004280041000,
    0x0A18480086004A00,
    0x1A00940082D04220,
    0x800C4A2010800400,
    0x090200A444002000,
    0x4000120110006500,
    0x8808C10401048820,
    0x0D10712013000201,
    0x0002104202010820,
    0x0044040400400410,
    0x4001080091060A80,
    0x010408C208600000,
    0x811080411011004C,
    0x3400002201503001,
    0x0104409042020242,
    0x0040140813040829,
    0x0302202002009011,
    0x002520220C010010,
    0x200202040C008A00,
    0x8280104804100804,
    0x4000010A510C2014,
    0x000002004200D000,
    0x8001401000AA0800,
    0x0080000404209200,
    0x4102A0A022023A00,
    0x0430400408308100,
    0x1230200812A08011,
)


def fill_rays():
    """Fill the rays: for each of eight directions all squares from a square to the rim."""
    direction: cython.int
    square: cython.int
    for direction in range(8):
        dr: cython.int = RANK_STEP[direction]
        df: cython.int = FILE_STEP[direction]
        for square in range(64):
            rank = (square >> 3) + dr
            file = (square & 7) + df
            rays[direction][square] = 0
            while 0 <= rank < 8 and 0 <= file < 8:
                rays[direction][square] |= bit(rank * 8 + file)
                rank += dr
                file += df


def slide(square, occupied, diagonal):
    """Squares a slider on `square` attacks, by rays cut off at the first occupied square."""
    first = 4 if diagonal else 0
    attacks = cython.cast(U64, 0)
    direction: cython.int
    for direction in range(first, first + 4):
        ray = rays[direction][square]
        blockers = ray & occupied
        if blockers:
            # The first two directions of each group run up the board, the others down.
            ray ^= rays[direction][lsb(blockers) if direction & 3 < 2 else msb(blockers)]
        attacks |= ray
    return attacks


def fill_magic(magic, square, factor, diagonal, storage):
    """Fill one square's magic entry, with its attacks from `storage` on. Returns how many slots they took, at most 4096."""
    # A blocker on the rim changes nothing: the ray ends there anyway.
    ranks = cython.cast(U64, 0xFF000000000000FF) & ~(cython.cast(U64, 0xFF) << (square & 56))
    files = cython.cast(U64, 0x8181818181818181) & ~(FILE_A << (square & 7))
    mask = slide(square, 0, diagonal) & ~(ranks | files)
    magic.mask = mask
    magic.factor = factor
    magic.shift = 64 - popcount(mask)
    magic.attacks = storage
    occupied = cython.cast(U64, 0)
    while True:
        storage[(occupied * factor) >> magic.shift] = slide(square, occupied, diagonal)
        occupied = (occupied - mask) & mask
        if not occupied:
            break
    return 1 << popcount(mask)


def fill_steps():
    """Fill the king, knight and pawn tables."""
    square: cython.int
    other: cython.int
    for square in range(64):
        knight_table[square] = king_table[square] = pawn_table[0][square] = pawn_table[1][square] = 0
        for other in range(64):
            dr = (other >> 3) - (square >> 3)
            df = (other & 7) - (square & 7)
            distance = dr * dr + df * df
            if distance == 5:
                knight_table[square] |= bit(other)
            if distance == 1 or distance == 2:
                king_table[square] |= bit(other)
            if df * df == 1 and dr == 1:
                pawn_table[0][square] |= bit(other)
            if df * df == 1 and dr == -1:
                pawn_table[1][square] |= bit(other)


def fill_lines():
    """Fill the between and line tables."""
    a: cython.int
    b: cython.int
    for a in range(64):
        for b in range(64):
            between_table[a][b] = line_table[a][b] = 0
            if a == b:
                continue
            if rook_attacks(a, 0) & bit(b):
                line_table[a][b] = (rook_attacks(a, 0) & rook_attacks(b, 0)) | bit(a) | bit(b)
                between_table[a][b] = rook_attacks(a, bit(b)) & rook_attacks(b, bit(a))
            elif bishop_attacks(a, 0) & bit(b):
                line_table[a][b] = (bishop_attacks(a, 0) & bishop_attacks(b, 0)) | bit(a) | bit(b)
                between_table[a][b] = bishop_attacks(a, bit(b)) & bishop_attacks(b, bit(a))


def initialise():
    """Build every table; runs once, at import."""
    fill_rays()
    used: cython.int = 0
    square: cython.int
    for square in range(64):
        used += fill_magic(
            cython.address(rook_magic[square]), square, FACTORS_ROOK[square], False, slider_storage + used
        )
    for square in range(64):
        used += fill_magic(
            cython.address(bishop_magic[square]), square, FACTORS_BISHOP[square], True, slider_storage + used
        )
    fill_steps()
    fill_lines()


initialise()
