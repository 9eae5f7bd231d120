"""What compiled the kernel and for which processor, as the compiler itself says."""


def compiled_by() -> str:
    """Compiler with its version and the instruction set it was allowed: `GCC 12.2.0 for x86-64-v2`."""
    return f"{compiler.decode()} {MAJOR}.{MINOR}.{PATCH} for {processor.decode()}"
