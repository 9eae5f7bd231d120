"""Transposition table: buckets of five 12-byte slots in a cache line each; their number is a power of two.

The slot with the least depth is replaced, each search of age counting as eight plies less. RenewAge gives an entry that is met
again the age of this search, which protects it from shallow results: a sixth of a ply more depth at 150,000 nodes a move in
games. It is off where a side is winning or the fifty-move count has begun: scores fade as that count grows, so an old entry looks
better than it is, and the engine would shuffle its pieces to reach it. Mate scores are stored as distance from the entry's
position, not from the root.
"""

import cython


def allocate(table, mebibytes):
    """Make the table as large as `mebibytes` MiB allow; without the memory return False and keep the old table."""
    count = cython.cast(U64, 1)
    budget = cython.cast(U64, mebibytes) * 1024 * 1024 // cython.sizeof(Bucket)
    while count * 2 <= budget:
        count *= 2
    fresh = cython.cast(cython.pointer(Bucket), allocate_zeroed(count * cython.sizeof(Bucket)))
    if fresh == cython.NULL:
        return False
    if table.buckets != cython.NULL:
        free_zeroed(table.buckets)
    table.buckets = fresh
    table.mask = count - 1
    table.mebibytes = mebibytes
    table.age = 0
    table.used = False
    return True


def release(table):
    """Free the table."""
    free_zeroed(table.buckets)
    table.buckets = cython.NULL


def wipe(table):
    """Forget everything; a table that no search has used is left alone.

    A very large table is exchanged for a fresh one, whose pages the system zeroes when they are first used: otherwise a new
    game would have to wait.
    """
    if not table.used:
        return
    if table.mebibytes <= TOUCHED_MIB or not allocate(table, table.mebibytes):
        memset(table.buckets, 0, (table.mask + 1) * cython.sizeof(Bucket))
    table.age = 0
    table.used = False


def data_check(slot):
    """The two data words of a slot xored together. They are copied out: C lets a compiler overlook a cast of the slot."""
    words = cython.declare(U32[3])
    memcpy(words, slot, cython.sizeof(Slot))
    return words[1] ^ words[2]


def probe(table, key, ply, entry):
    """Fill `entry` with what is known of the position; mate scores become distances from the root."""
    bucket = cython.address(table.buckets[key & table.mask])
    wanted: U32 = key >> 32
    i: cython.int
    for i in range(WAYS):
        # A copy: another thread may overwrite the slot while it is read, or renewed.
        copy = bucket.slots[i]
        slot = cython.address(copy)
        if slot.check ^ data_check(slot) == wanted and slot.age_bound & 3:
            if table.renew_age and slot.age_bound >> 3 != table.age and -DECIDED < slot.score < DECIDED:
                slot.age_bound = table.age << 3 | slot.age_bound & 7
                slot.check = wanted ^ data_check(slot)
                bucket.slots[i] = copy
            entry.found = True
            entry.move = slot.move
            entry.eval = slot.eval
            entry.depth = slot.depth
            entry.bound = slot.age_bound & 3
            entry.pv = (slot.age_bound >> 2) & 1
            score: cython.int = slot.score
            if score > MATE_BOUND:
                score -= ply
            elif score < -MATE_BOUND:
                score += ply
            entry.score = score
            return
    know_nothing(entry)


def store(table, key, ply, move, score, eval, depth, bound, pv):
    """Store a result; if it has no move the entry keeps the one it had.

    A bound does not replace a much deeper entry of this search; with RenewMove that entry takes the new move.
    """
    bucket = cython.address(table.buckets[key & table.mask])
    wanted: U32 = key >> 32
    worst = cython.address(bucket.slots[0])
    worst_value: cython.int = 100000
    i: cython.int
    for i in range(WAYS):
        slot = cython.address(bucket.slots[i])
        if slot.check ^ data_check(slot) == wanted and slot.age_bound & 3:
            copy = slot[0]
            if move == NO_MOVE:
                move = slot.move
            if bound != BOUND_EXACT and slot.depth > depth + 3 and slot.age_bound >> 3 == table.age:
                if table.renew and copy.check ^ data_check(cython.address(copy)) == wanted:
                    copy.move = move
                    copy.check = wanted ^ data_check(cython.address(copy))
                    slot[0] = copy
                return
            worst = slot
            break
        value: cython.int = slot.depth - 8 * ((table.age - (slot.age_bound >> 3)) & 31)
        if not slot.age_bound & 3:
            value = -1000
        if value < worst_value:
            worst_value = value
            worst = slot
    if score > MATE_BOUND:
        score += ply
    elif score < -MATE_BOUND:
        score -= ply
    worst.move = move
    worst.score = score
    worst.eval = eval
    worst.depth = depth if depth > 0 else 0
    worst.age_bound = table.age << 3 | (4 if pv else 0) | bound
    worst.check = wanted ^ data_check(worst)


def permille_full(table):
    """How much of the table this search has filled, in thousandths, from a sample."""
    used: cython.int = 0
    sample: cython.int = 1000 if table.mask >= 1000 else cython.cast(cython.int, table.mask) + 1
    i: cython.int
    j: cython.int
    for i in range(sample):
        for j in range(WAYS):
            bound: cython.int = table.buckets[i].slots[j].age_bound
            if bound & 3 and bound >> 3 == table.age:
                used += 1
    return used * 1000 // (sample * WAYS)
