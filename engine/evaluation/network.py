"""Network: the evaluation learnt from Sortie's own games. docs/network.md describes the file and how it is made."""

import os
import stat

import cython
from cython import address, cast

MAGIC = b"Sortie network 1"
SHIPPED = "sortie.net"
HEAD_USED = 48  # bytes; zeros follow
LEAST_UNIT, MOST_UNIT = 20, 2000  # centipawns of an output of 1


def shipped():
    """The path of the network that comes with Sortie, empty when there is none."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), SHIPPED)
    return path if os.path.isfile(path) else ""


def weights_of(hidden, second):
    """How many weights of two bytes a network has, by the neurons of its two layers."""
    return INPUTS * hidden + hidden + 2 * OUTPUTS * hidden + 2 * hidden * second + OUTPUTS * second


def rounded(value, bits):
    """The whole number nearest to value / 2 ** bits."""
    return (value + (1 << bits >> 1)) >> bits


def as_bytes(words, count, bits):
    """Turn words into bytes where they lie, each rounded by so many bits; NULL if one is beyond -127 to 127."""
    bytes = cast(cython.pointer(I8), words)
    i: cython.int
    for i in range(count):
        value: cython.int = rounded(words[i], bits)
        if value > 127 or value < -127:
            return cython.NULL
        bytes[i] = cast(I8, value)
    return bytes


class Network:
    """The weights of a file, the shipped one for an empty path. ValueError, one plain line, if it cannot be used."""

    def __cinit__(self):
        self.memory = cython.NULL

    def __init__(self, path=""):
        name = path or shipped()
        if not name:
            raise ValueError("no network comes with this Sortie: name one by the option NetworkFile")
        try:
            # A pipe or a device might keep the engine waiting for ever; for a directory the system's own error is clear.
            if not stat.S_ISREG(os.stat(name).st_mode) and not os.path.isdir(name):
                raise ValueError(f"{name}: is no regular file")
            with open(name, "rb", buffering=0) as file:
                self.read(name, file)
        except OSError as error:
            raise ValueError(f"{name}: {error.strerror or error}") from None
        self.path = name

    def read(self, name, file):
        """Read the weights of an open file straight into place: a game waits for this."""
        import zlib  # imported here because the handshake does not need it

        head = cython.declare(Head)
        first: bytes = file.read(cython.sizeof(Head))
        if len(first) < cython.sizeof(Head) or first[:16] != MAGIC:
            raise ValueError(f"{name}: is no network of Sortie")
        memcpy(address(head), cast(cython.p_char, first), cython.sizeof(Head))
        shape = (head.inputs, head.outputs) == (INPUTS, OUTPUTS)
        scale = (head.qa, head.qb) == (QA, QB) and LEAST_UNIT <= head.unit <= MOST_UNIT
        wide = not head.hidden % CHUNK and 0 < head.hidden <= MOST_HIDDEN
        if not shape or not wide or head.second % ROWS or head.second > MOST_SECOND:
            raise ValueError(
                f"{name}: holds a network of another shape: {head.inputs} inputs, {head.hidden} and {head.second} neurons, "
                f"{head.outputs} outputs; expected {INPUTS}, a multiple of {CHUNK} up to {MOST_HIDDEN}, one of {ROWS} up to "
                f"{MOST_SECOND}, and {OUTPUTS}"
            )
        if not scale or any(first[HEAD_USED:]):
            raise ValueError(f"{name}: is damaged: its header says what no training writes")
        size: cython.size_t = 2 * weights_of(head.hidden, head.second)
        biases: cython.size_t = 4 * (head.second + OUTPUTS)
        self.memory = cast(cython.pointer(I16), allocate_zeroed(size))
        if self.memory == cython.NULL:
            raise MemoryError("no memory for the network")
        weights = PyMemoryView_FromMemory(cast(cython.p_char, self.memory), size, PyBUF_WRITE)
        whole: cython.bint = file.readinto(weights) == size
        last: bytes = file.read(biases + 1)
        if not whole or len(last) != biases or zlib.crc32(last, zlib.crc32(weights)) != head.crc:
            raise ValueError(f"{name}: is damaged")
        memcpy(address(self.weights.second_bias[0]), cast(cython.p_char, last), 4 * head.second)
        memcpy(address(self.weights.output_bias[0]), cast(cython.p_char, last) + 4 * head.second, 4 * OUTPUTS)
        self.weights.hidden = head.hidden
        self.weights.neurons = head.second
        self.weights.unit = head.unit
        self.weights.inputs = self.memory
        self.weights.bias = self.memory + INPUTS * self.weights.hidden
        outputs: cython.int = 2 * OUTPUTS * self.weights.hidden
        seconds: cython.int = 2 * self.weights.neurons * self.weights.hidden
        rows = self.weights.bias + self.weights.hidden
        self.weights.output = as_bytes(rows, outputs, 0)
        self.weights.second = as_bytes(rows + outputs, seconds, FINER_BITS)
        self.weights.head = rows + outputs + seconds
        k: cython.int
        for k in range(self.weights.neurons):
            self.weights.second_bias[k] = rounded(self.weights.second_bias[k], FINER_BIAS_BITS)
        if self.weights.output == cython.NULL or self.weights.second == cython.NULL:
            raise ValueError(f"{name}: is damaged: it holds weights that no training writes")

    def __dealloc__(self):
        free_zeroed(self.memory)

    @property
    def hidden(self):
        """Neurons of the hidden layer."""
        return self.weights.hidden

    def raw(self, pos):
        """The score of a position from scratch."""
        sums = cython.declare(Accumulator)
        cache = cython.declare(Refresh)
        view: cython.int
        clear_refresh(address(self.weights), address(cache))
        for view in range(2):
            refresh(address(self.weights), pos, address(sums), address(cache), view)
        return network_score(address(self.weights), pos, address(sums))

    def score(self, game):
        """The network's score of a Game's position, centipawns for the side to move, endgame knowledge left out."""
        return self.raw(address(cast(Game, game).position))

    def evaluation(self, game):
        """The search's evaluation of a Game's position by this network, in centipawns for the side to move."""
        pos = address(cast(Game, game).position)
        score: cython.int = 0
        if known_endgame(pos, address(score)):
            return score
        return if_winnable(pos, self.raw(pos))

    def worth(self, game):
        """What each piece but the kings is worth to its owner: {square: centipawns}, the score with it less the score without."""
        pos = address(cast(Game, game).position)
        without = cython.declare(Position)
        found = {}
        square: cython.int
        whole = self.raw(pos)
        for square in range(64):
            if pos.board[square] == NO_PIECE or pos.board[square] & 7 == KING:
                continue
            without = pos[0]
            take(address(without), square)
            change = whole - self.raw(address(without))
            found[square_name(square)] = -change if pos.board[square] >> 3 ^ pos.side else change
        return found
