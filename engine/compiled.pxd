"""The macros by which a compiler tells its name, its version and the instruction set."""

cdef extern from *:
    """
    #if defined(__clang__)
      #define SORTIE_COMPILER "clang"
      enum { SORTIE_MAJOR = __clang_major__, SORTIE_MINOR = __clang_minor__, SORTIE_PATCH = __clang_patchlevel__ };
    #elif defined(__GNUC__)
      #define SORTIE_COMPILER "GCC"
      enum { SORTIE_MAJOR = __GNUC__, SORTIE_MINOR = __GNUC_MINOR__, SORTIE_PATCH = __GNUC_PATCHLEVEL__ };
    #elif defined(_MSC_VER)
      #define SORTIE_COMPILER "MSVC"
      enum { SORTIE_MAJOR = _MSC_VER / 100, SORTIE_MINOR = _MSC_VER % 100, SORTIE_PATCH = _MSC_FULL_VER % 100000 };
    #else
      #define SORTIE_COMPILER "a C compiler"
      enum { SORTIE_MAJOR, SORTIE_MINOR = 0, SORTIE_PATCH = 0 };
    #endif
    #ifdef SORTIE_PROFILED
      enum { SORTIE_PROFILE = 1 };
    #else
      enum { SORTIE_PROFILE = 0 };
    #endif
    #if defined(__AVX512BW__) && defined(__AVX512VL__)
      #define SORTIE_PROCESSOR "x86-64-v4"
    #elif defined(__AVX2__)
      #define SORTIE_PROCESSOR "x86-64-v3"
    #elif defined(__SSE4_2__) && defined(__POPCNT__)
      #define SORTIE_PROCESSOR "x86-64-v2"
    #elif defined(__x86_64__) || defined(_M_X64)
      #define SORTIE_PROCESSOR "x86-64"
    #elif defined(__aarch64__) || defined(_M_ARM64)
      #define SORTIE_PROCESSOR "arm64"
    #else
      #define SORTIE_PROCESSOR "another processor"
    #endif
    """
    const char* compiler "SORTIE_COMPILER"
    const char* processor "SORTIE_PROCESSOR"
    enum:
        MAJOR "SORTIE_MAJOR"
        MINOR "SORTIE_MINOR"
        PATCH "SORTIE_PATCH"
        PROFILED "SORTIE_PROFILE"
