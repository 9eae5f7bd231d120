"""What a search counted, as Python objects."""

from engine.search.worker cimport Counters, U64

cdef dict counted(const Counters* total)
