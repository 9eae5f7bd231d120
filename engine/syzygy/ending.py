"""Ending: reads a file's header once, never beyond the bounds of the file, and decodes single values.

Values are compressed by pairing (Larsson and Moffat 1999): a symbol is one value or two symbols. Symbols are written in
canonical Huffman codes, in blocks that can be read independently. The format is Ronald de Man's; format.pxd describes
it.
"""

import cython
from cython import address, cast


def open_ending(e, counts, dtz):
    """Take a mapped file apart; e.start and e.size are set, `counts` says how many of each man (kind + 1 | colour << 3) it has.

    False if it is not a table of these men, or not a whole one; close_ending then frees what was allocated.
    """
    magic: U64 = 0xA50C66D7 if dtz else 0x5D23E871
    man: cython.int
    file: cython.int
    side: cython.int
    if e.size < 64 or e.size % 64 != CHECKSUM or u32_at(e.start) != magic:
        return False
    end = e.start + e.size - CHECKSUM
    e.dtz = dtz
    e.men = 0
    e.symmetric = True
    e.unique = False
    for man in range(1, 7):
        white: cython.int = counts[man]
        black: cython.int = counts[man | 8]
        e.men += white + black
        e.symmetric &= white == black
        e.unique |= man != KING + 1 and (white == 1 or black == 1)
    white_pawns: cython.int = counts[PAWN + 1]
    black_pawns: cython.int = counts[PAWN + 1 | 8]
    e.pawns = white_pawns + black_pawns > 0
    # The side with fewer pawns leads, if it has any; White if both have as many.
    white_leads: cython.bint = black_pawns == 0 or 0 < white_pawns <= black_pawns
    e.lead_pawns = white_pawns if white_leads else black_pawns
    e.other_pawns = black_pawns if white_leads else white_pawns
    e.files = 4 if e.pawns else 1
    e.sides = 1 if dtz or e.symmetric else 2
    flags: cython.int = e.start[4]
    if e.men > MOST_MEN or (flags & HAS_PAWNS != 0) != e.pawns or (flags & BOTH_SIDES != 0) == e.symmetric:
        return False

    p = e.start + 5
    for file in range(e.files):
        p = read_men(e, p, counts, file)
        if p == cython.NULL:
            return False
    p += (p - e.start) & 1
    for file in range(e.files):
        for side in range(e.sides):
            p = read_head(e, address(e.sequences[side][file]), p)
            if p == cython.NULL:
                return False
    if dtz:
        for file in range(e.files):
            p = read_lists(e, address(e.sequences[0][file]), p)
            if p == cython.NULL:
                return False
        p += (p - e.start) & 1
    at: U64 = p - e.start
    for file in range(e.files):
        for side in range(e.sides):
            s = address(e.sequences[side][file])
            s.sparse = e.start + at
            at += s.sparse_count * SPARSE_ENTRY
    for file in range(e.files):
        for side in range(e.sides):
            s = address(e.sequences[side][file])
            s.lengths = e.start + at
            at += s.listed * 2
    for file in range(e.files):
        for side in range(e.sides):
            s = address(e.sequences[side][file])
            if not s.flags & CONSTANT:
                at = (at + 63) & ~cast(U64, 63)
                s.data = e.start + at
                at += s.blocks << s.block_bits
    return at <= cast(U64, end - e.start)


def close_ending(e):
    """Free what open_ending allocated, and unmap the file."""
    file: cython.int
    side: cython.int
    for side in range(2):
        for file in range(4):
            free_zeroed(e.sequences[side][file].more)
            e.sequences[side][file].more = cython.NULL
    unmap_file(e.start, e.size)
    e.start = cython.NULL


def read_men(e, p, counts, file):
    """Read the order of the men for one file of the leading pawn and each side; return its end, NULL if it is invalid."""
    side: cython.int
    place: cython.int
    man: cython.int
    both: cython.bint = e.pawns and e.other_pawns > 0
    heads = p
    p += 1 + both
    if p + e.men > e.start + e.size:
        return cython.NULL
    for side in range(e.sides):
        s = address(e.sequences[side][file])
        shift: cython.int = 4 * side
        seen = cython.declare(cython.int[16])
        memset(seen, 0, 16 * cython.sizeof(cython.int))
        for place in range(e.men):
            s.order[place] = (p[place] >> shift) & 15
            seen[s.order[place]] += 1
            if place and s.order[place] != s.order[place - 1] and seen[s.order[place]] > 1:
                return cython.NULL  # men that are alike must follow each other
        for man in range(16):
            if seen[man] != counts[man]:
                return cython.NULL
        lead: cython.int = e.lead_pawns if e.pawns else 3 if e.unique else 2
        if lead < e.men and s.order[lead] == s.order[lead - 1]:
            return cython.NULL
        if e.pawns and (s.order[0] & 7 != PAWN + 1 or seen[s.order[0]] != e.lead_pawns):
            return cython.NULL
        lead_at: cython.int = (heads[0] >> shift) & 15
        pawns_at: cython.int = (heads[1] >> shift) & 15 if both else NOWHERE
        if both and (s.order[lead] & 7 != PAWN + 1 or pawns_at == lead_at):
            return cython.NULL
        if lead_at >= e.men or (both and pawns_at >= e.men):
            return cython.NULL
        count_groups(e, s, lead_at, pawns_at, file)
        if lead_at >= s.groups or (both and pawns_at >= s.groups):
            return cython.NULL
    return p + e.men


def read_head(e, s, p):
    """Read the head of one sequence; return its end, NULL if it is invalid."""
    end = e.start + e.size - CHECKSUM
    i: cython.int
    if p + 2 > end:
        return cython.NULL
    s.flags = p[0]
    if e.dtz and e.symmetric and e.pawns and s.flags & BLACK_TO_MOVE:
        return cython.NULL  # with the same men on both sides White is always to move
    if s.flags & CONSTANT:
        s.constant = p[1]
        return p + 2
    if p + 12 > end:
        return cython.NULL
    s.block_bits = p[1]
    s.span_bits = p[2]
    s.blocks = u32_at(p + 4)
    s.listed = s.blocks + p[3]
    longest: cython.int = p[8]
    s.shortest = p[9]
    lengths: cython.int = longest - s.shortest + 1
    if not (0 < s.shortest <= longest <= 32) or s.block_bits > 30 or s.span_bits > 30 or s.blocks == 0:
        return cython.NULL
    if s.blocks << s.block_bits > e.size:  # the sum of such sizes may pass 64 bits, and be small again
        return cython.NULL
    s.sparse_count = (s.count + (cast(U64, 1) << s.span_bits) - 1) >> s.span_bits
    s.firsts = p + 10
    p += 10 + 2 * lengths
    if p + 2 > end:
        return cython.NULL
    s.symbols = u16_at(p)
    s.tree = p + 2
    p += 2 + 3 * s.symbols + (s.symbols & 1)
    if p > end or s.symbols == 0 or s.symbols > NO_HALF:
        return cython.NULL
    # Canonical Huffman codes: those of one length are consecutive, and those of the next shorter length come above them.
    s.codes[lengths - 1] = 0
    for i in range(lengths - 2, -1, -1):
        s.codes[i] = (s.codes[i + 1] + u16_at(s.firsts + 2 * i) - u16_at(s.firsts + 2 * i + 2)) >> 1
    for i in range(lengths):
        s.codes[i] <<= 64 - i - s.shortest
    if not measure(s):
        return cython.NULL
    return p


def measure(s):
    """Find how many values each symbol stands for; False if one contains itself or a non-symbol, or if memory is short."""
    symbol: cython.int
    seen = cast(cython.pointer(U8), allocate_zeroed(s.symbols))
    s.more = cast(cython.pointer(U8), allocate_zeroed(s.symbols))
    right: cython.bint = seen != cython.NULL and s.more != cython.NULL
    for symbol in range(s.symbols):
        if right and length_of(s, seen, symbol) < 0:
            right = False
    free_zeroed(seen)
    return right


def length_of(s, seen, symbol):
    """The number of values of a symbol less one, -1 if the symbol is invalid. `seen`: 0 not yet, 1 in progress, 2 known."""
    if symbol >= s.symbols or seen[symbol] == 1:
        return -1
    if not seen[symbol]:
        seen[symbol] = 1
        total: cython.int = 0
        if second_half(s.tree, symbol) != NO_HALF:
            left: cython.int = length_of(s, seen, first_half(s.tree, symbol))
            right: cython.int = length_of(s, seen, second_half(s.tree, symbol)) if left >= 0 else -1
            total = left + right + 1
            if right < 0 or total > 255:
                return -1
        s.more[symbol] = total
        seen[symbol] = 2
    return s.more[symbol]


def read_lists(e, s, p):
    """Read the lists of values that a DTZ sequence may have; return their end, NULL if they are not all there."""
    i: cython.int
    end = e.start + e.size - CHECKSUM
    if not s.flags & MAPPED:
        return p
    wide: cython.int = 2 if s.flags & WIDE else 1
    if wide == 2:
        p += (p - e.start) & 1
    for i in range(4):
        if p + wide > end:
            return cython.NULL
        s.listed_values[i] = u16_at(p) if wide == 2 else p[0]
        s.list[i] = p + wide
        p += wide * (s.listed_values[i] + 1)
    return p if p <= end else cython.NULL


def value_at(s, index):
    """The value at an index of a sequence, as stored in the file; -1 if the file is damaged there."""
    if s.flags & CONSTANT:
        return s.constant
    # The sparse index leads to the block that holds the middle of a span, and to the place in it.
    span: U64 = cast(U64, 1) << s.span_bits
    entry = s.sparse + SPARSE_ENTRY * (index >> s.span_bits)
    block: I64 = u32_at(entry)
    place: I64 = cast(I64, u16_at(entry + 4)) + cast(I64, index & (span - 1)) - cast(I64, span >> 1)
    listed: I64 = s.listed
    while place < 0:
        block -= 1
        if block < 0 or block >= listed:
            return -1
        place += u16_at(s.lengths + 2 * block) + 1
    while True:
        if block < 0 or block >= cast(I64, s.blocks):
            return -1
        values: cython.int = u16_at(s.lengths + 2 * block)
        if place <= values:
            break
        place -= values + 1
        block += 1

    p = s.data + (cast(U64, block) << s.block_bits)
    end = s.data + (s.blocks << s.block_bits)  # CHECKSUM bytes follow it, so reading a little beyond is safe
    window: U64 = big32_at(p) << 32 | big32_at(p + 4)
    bits: cython.int = 64
    symbol: cython.int
    p += 8
    while True:
        length: cython.int = 0
        while window < s.codes[length]:
            length += 1
        bits_used: cython.int = length + s.shortest
        number: U64 = ((window - s.codes[length]) >> (64 - bits_used)) + u16_at(s.firsts + 2 * length)
        if number >= cast(U64, s.symbols):
            return -1
        symbol = number
        if place <= s.more[symbol]:
            break
        place -= s.more[symbol] + 1
        window <<= bits_used
        bits -= bits_used
        if bits <= 32:
            if p > end:
                return -1
            bits += 32
            window |= big32_at(p) << (64 - bits)
            p += 4
    while s.more[symbol]:
        left: cython.int = first_half(s.tree, symbol)
        if place <= s.more[left]:
            symbol = left
        else:
            place -= s.more[left] + 1
            symbol = second_half(s.tree, symbol)
    return first_half(s.tree, symbol)
