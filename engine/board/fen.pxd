"""FEN in and out, and the refusal of impossible positions."""

from engine.types cimport *
from engine.board.attacks cimport *
from engine.board.position cimport *

cdef void parse_fen(str text, bint chess960, Position* pos, Castling* castling, int* fullmove) except *
cdef str write_fen(const Position* pos, int fullmove)
cdef void add_right(Position* pos, Castling* castling, int side, int rook) noexcept nogil
cdef void validate(Position* pos) except *
cdef void read_placement(str text, Position* pos) except *
cdef void read_rights(str text, bint chess960, Position* pos, Castling* castling) except *
cdef void check_kings(Position* pos) except *
cdef void read_en_passant(str text, Position* pos) except *
cdef int read_counter(str text, str name) except? -1
cdef void check_checkers(Position* pos) except *
