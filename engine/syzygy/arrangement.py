"""Arrangement: each symmetry of the board is used once, then men that are alike are numbered as one group.

The symmetries act upon the leading group: the pawns of one side, else three unlike men, else the kings. The numbering is
Ronald de Man's; this follows the order of his files.
"""

import cython
from cython import address


def fill_tables():
    """Build the tables; runs once, at import."""
    k: cython.int
    n: cython.int
    for n in range(64):
        choices[0][n] = 1
        for k in range(1, 8):
            choices[k][n] = 0 if n == 0 else choices[k - 1][n - 1] + choices[k][n - 1]
    fill_pawns()
    fill_kings()


def fill_pawns():
    """Fill in the order of the pawns' squares, and where the arrangements of leading pawns begin."""
    pawns: cython.int
    file: cython.int
    rank: cython.int
    place: cython.int = 47
    for file in range(4):
        for rank in range(1, 7):
            pawn_place[rank * 8 + file] = place
            pawn_place[rank * 8 + 7 - file] = place - 1
            place -= 2
    for pawns in range(1, 6):
        for file in range(4):
            number: U64 = 0
            for rank in range(1, 7):
                square = rank * 8 + file
                lead_number[pawns][square] = number
                number += choices[pawns - 1][pawn_place[square]]
            lead_count[pawns][file] = number


def fill_kings():
    """Fill in the triangle, the squares below the diagonal, and the pairs of kings that do not touch, on the diagonal last."""
    square: cython.int
    first: cython.int
    other: cython.int
    turn: cython.int
    place: cython.int = 0
    below: cython.int = 0
    for turn in range(2):
        for square in range(64):
            if (square >> 3) < 4 and (square & 7) < 4 and above_diagonal(square) == (0 if turn else above_diagonal(square)):
                if turn or above_diagonal(square) < 0:
                    triangle_place[square] = place
                    place += 1
    for square in range(64):
        if above_diagonal(square) < 0:
            below_place[square] = below
            below += 1
    pairs: cython.int = 0
    for turn in range(2):
        for place in range(10):
            for first in range(64):
                if (first >> 3) > 3 or (first & 7) > 3 or above_diagonal(first) > 0 or triangle_place[first] != place:
                    continue
                for other in range(64):
                    both: cython.bint = above_diagonal(first) == 0 and above_diagonal(other) == 0
                    if touch(first, other) or (above_diagonal(first) == 0 and above_diagonal(other) > 0) or both != turn:
                        continue
                    king_pair[place][other] = pairs
                    pairs += 1


def touch(a, b):
    """Whether two squares are the same or neighbours."""
    ranks: cython.int = (a >> 3) - (b >> 3)
    files: cython.int = (a & 7) - (b & 7)
    return -1 <= ranks <= 1 and -1 <= files <= 1


def count_groups(e, s, lead_at, pawns_at, file):
    """Split the order of a sequence into groups and give each its factor in the file's order, the fastest first."""
    place: cython.int
    lead: cython.int = e.lead_pawns if e.pawns else 3 if e.unique else 2
    s.groups = 0
    s.size[0] = lead
    place = lead
    while place < e.men:
        s.groups += 1
        s.size[s.groups] = 1
        while place + 1 < e.men and s.order[place + 1] == s.order[place]:
            s.size[s.groups] += 1
            place += 1
        place += 1
    s.groups += 1
    others: cython.bint = e.pawns and e.other_pawns > 0
    following: cython.int = 2 if others else 1
    free: cython.int = 64 - s.size[0] - (s.size[1] if others else 0)
    product: U64 = 1
    step: cython.int = 0
    while following < s.groups or step == lead_at or step == pawns_at:
        if step == lead_at:
            s.factor[0] = product
            product *= lead_count[lead][file] if e.pawns else TRIPLES if e.unique else KING_PAIRS
        elif step == pawns_at:
            s.factor[1] = product
            product *= choices[s.size[1]][48 - s.size[0]]
        else:
            s.factor[following] = product
            product *= choices[s.size[following]][free]
            free -= s.size[following]
            following += 1
        step += 1
    s.count = product


def place_men(pos, s, turned, squares, place):
    """Append the squares of the men from `place` of the order on; return how many there then are, -1 if a man is missing.

    `turned`: the file's White is Black on the board, which is seen from the other side.
    """
    total: cython.int = popcount(pos.colour[WHITE] | pos.colour[BLACK])
    flip: cython.int = 56 if turned else 0
    while place < total:
        man: cython.int = s.order[place]
        left: U64 = pos.colour[(man >> 3) ^ turned] & pos.kind[(man & 7) - 1]
        if not left:
            return -1
        while left and place < total:
            squares[place] = lsb(left) ^ flip
            place += 1
            left &= left - 1
    return place


def sort(squares, n):
    """Sort in ascending order; there are four at most."""
    i: cython.int
    for i in range(1, n):
        square = squares[i]
        j = i
        while j > 0 and squares[j - 1] > square:
            squares[j] = squares[j - 1]
            j -= 1
        squares[j] = square


def number_of(e, pos, turned, side, where):
    """The index of a position; `where` receives the sequence that it is an index of. Its men must be those of the ending.

    `side`: 0 if the file's White is to move, 1 for its Black; a file that stores one side is only asked for that one.
    """
    squares = cython.declare(cython.int[8])
    i: cython.int
    k: cython.int
    flip: cython.int = 56 if turned else 0
    stored: cython.int = side if e.sides == 2 else 0
    s = address(e.sequences[stored][0])
    file: cython.int = 0
    if e.pawns:
        lead: cython.int = s.order[0]
        left: U64 = pos.colour[(lead >> 3) ^ turned] & pos.kind[PAWN]
        best: cython.int = -1
        while left:
            square: cython.int = lsb(left) ^ flip
            if best < 0 or pawn_place[square] > pawn_place[best]:
                best = square
            left &= left - 1
        file = best & 7
        file = 7 - file if file > 3 else file
        s = address(e.sequences[stored][file])
    where[0] = s
    place_men(pos, s, turned, squares, 0)
    if e.pawns:
        for i in range(e.lead_pawns):
            if squares[i] == best:
                squares[i] = squares[0]
                squares[0] = best
                break
    if squares[0] & 7 > 3:
        for i in range(e.men):
            squares[i] ^= 7
    number: U64 = lead_pawns_number(e, squares) if e.pawns else lead_men_number(e, squares, s.size[0])
    number *= s.factor[0]
    begin: cython.int = s.size[0]
    group: cython.int
    rows: cython.int = 8 if e.pawns and e.other_pawns else 0  # pawns never stand on the first rank
    for group in range(1, s.groups):
        part: U64 = 0
        sort(address(squares[begin]), s.size[group])
        for i in range(s.size[group]):
            passed: cython.int = 0
            for k in range(begin):
                passed += squares[k] < squares[begin + i]
            part += choices[i + 1][squares[begin + i] - passed - rows]
        rows = 0
        number += part * s.factor[group]
        begin += s.size[group]
    return number


def lead_pawns_number(e, squares):
    """The number of the leading pawns among their arrangements; the first of them stands on the files a to d."""
    i: cython.int
    j: cython.int
    for i in range(2, e.lead_pawns):  # after the first they are sorted by their places
        square: cython.int = squares[i]
        j = i
        while j > 1 and pawn_place[squares[j - 1]] > pawn_place[square]:
            squares[j] = squares[j - 1]
            j -= 1
        squares[j] = square
    number: U64 = lead_number[e.lead_pawns][squares[0]]
    for i in range(1, e.lead_pawns):
        number += choices[i][pawn_place[squares[i]]]
    return number


def lead_men_number(e, squares, lead):
    """The number of the leading men without pawns; the board is first turned so that the first of them is in a1-d1-d4."""
    i: cython.int
    k: cython.int
    if squares[0] >> 3 > 3:
        for i in range(e.men):
            squares[i] ^= 56
    for i in range(lead):
        if above_diagonal(squares[i]) == 0:
            continue
        if above_diagonal(squares[i]) > 0:
            for k in range(i, e.men):
                squares[k] = (squares[k] >> 3 | squares[k] << 3) & 63
        break
    if e.unique:
        return triple_number(squares)
    return king_pair[triangle_place[squares[0]]][squares[1]]


def triple_number(squares):
    """The number of three unlike men, by how many of them are on the diagonal before the first that is not."""
    a: cython.int = squares[0]
    b: cython.int = squares[1]
    c: cython.int = squares[2]
    before_b: cython.int = b > a
    before_c: cython.int = (c > a) + (c > b)
    if above_diagonal(a):
        return (triangle_place[a] * 63 + b - before_b) * 62 + c - before_c
    if above_diagonal(b):
        return (6 * 63 + (a >> 3) * 28 + below_place[b]) * 62 + c - before_c
    number: cython.int = 6 * 63 * 62 + 4 * 28 * 62
    if above_diagonal(c):
        return number + ((a >> 3) * 7 + (b >> 3) - before_b) * 28 + below_place[c]
    number += 4 * 7 * 28
    return number + ((a >> 3) * 7 + (b >> 3) - before_b) * 6 + (c >> 3) - before_c


fill_tables()
