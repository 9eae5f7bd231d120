"""What compiled the kernel and for which processor, as the compiler itself says."""


def compiled_by() -> str:
    """Compiler with its version and the instruction set it was allowed: `GCC 12.2.0 with a profile for x86-64-v2`."""
    profile = " with a profile" if PROFILED else ""
    return f"{compiler.decode()} {MAJOR}.{MINOR}.{PATCH}{profile} for {processor.decode()}"
