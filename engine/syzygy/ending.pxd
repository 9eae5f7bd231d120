"""Ending: one file, mapped into memory, and its value at an index."""

from engine.types cimport *
from engine.syzygy.format cimport *
from engine.syzygy.arrangement cimport count_groups

cdef extern from *:
    """
    #ifdef _WIN32
      #include <windows.h>
      #include <io.h>
      static const uint8_t *sortie_map(int fd, uint64_t size) {
          void *view = NULL;
          HANDLE made = CreateFileMappingW((HANDLE)_get_osfhandle(fd), NULL, PAGE_READONLY, 0, 0, NULL);
          (void)size;
          if (made) { view = MapViewOfFile(made, FILE_MAP_READ, 0, 0, 0); CloseHandle(made); }
          return (const uint8_t *)view; }
      static void sortie_unmap(const uint8_t *p, uint64_t size) { (void)size; if (p) UnmapViewOfFile((void *)p); }
    #else
      #include <sys/mman.h>
      static const uint8_t *sortie_map(int fd, uint64_t size) {
          void *p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
          if (p == MAP_FAILED) return NULL;
          (void)madvise(p, (size_t)size, MADV_RANDOM);
          return (const uint8_t *)p; }
      static void sortie_unmap(const uint8_t *p, uint64_t size) { if (p) munmap((void *)p, (size_t)size); }
    #endif
    """
    const U8* map_file "sortie_map"(int fd, U64 size) noexcept nogil
    void unmap_file "sortie_unmap"(const U8* start, U64 size) noexcept nogil

cdef bint open_ending(Ending* e, const U8* counts, bint dtz) noexcept nogil
cdef void close_ending(Ending* e) noexcept nogil
cdef int value_at(const Sequence* s, U64 index) noexcept nogil
cdef const U8* read_men(Ending* e, const U8* p, const U8* counts, int file) noexcept nogil
cdef const U8* read_head(const Ending* e, Sequence* s, const U8* p) noexcept nogil
cdef const U8* read_lists(const Ending* e, Sequence* s, const U8* p) noexcept nogil
cdef bint measure(Sequence* s) noexcept nogil
cdef int length_of(Sequence* s, U8* seen, int symbol) noexcept nogil
