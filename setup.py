"""Build the kernel: every engine module that has a .pxd beside it is Python source compiled by Cython.

SORTIE_CFLAGS overrides the compiler flags. SORTIE_DEBUG=1 builds with bounds checks, assertions and key recomputation
(`make debug` adds the sanitizers through SORTIE_CFLAGS). SORTIE_NO_KERNEL=1 leaves the kernel out: `make build` installs the
Python part first and compiles in a step of its own, so that a mistake is not told by pip.
"""

import os
import platform
import sys
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler.Errors import CompileError
from setuptools import Extension, setup

DEBUG = os.environ.get("SORTIE_DEBUG") == "1"


def compiler_flags() -> list[str]:
    """Flags for the kernel; x86-64-v2 is the floor because without POPCNT a seventh of the time goes into counting bits."""
    if "SORTIE_CFLAGS" in os.environ:
        return os.environ["SORTIE_CFLAGS"].split()
    if os.name == "nt":
        return ["/O2"]
    flags = ["-O3", "-fno-strict-aliasing", "-Wno-unused-function", "-Wno-unreachable-code"]
    if platform.machine().lower() in ("x86_64", "amd64"):
        flags.append("-march=x86-64-v2")
    return flags


sources = sorted(path.with_suffix(".py") for path in Path("engine").rglob("*.pxd") if path.with_suffix(".py").exists())
# What an earlier tree compiled would be imported instead of the plain module, or of nothing, that stands there now.
for built in [*Path("engine").rglob("*.so"), *Path("engine").rglob("*.pyd")]:
    if built.with_name(built.name.partition(".")[0] + ".py") not in sources:
        built.unlink()
macros = [("SORTIE_DEBUG", "1")] if DEBUG else [("CYTHON_WITHOUT_ASSERTIONS", "1")]
if os.name != "nt":
    macros.append(("_GNU_SOURCE", "1"))
extensions = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        extra_compile_args=compiler_flags(),
        extra_link_args=os.environ.get("SORTIE_LDFLAGS", "").split(),
        define_macros=macros,
    )
    for source in sources
]


def kernel() -> list[Extension]:
    """The extensions with their C files written; ends with Cython's own words, file, line and column, at a mistake in one."""
    sys.tracebacklimit = 0  # Cython prints the traceback of its own code under each mistake
    try:
        return cythonize(
            extensions,
            build_dir="build/cython",
            nthreads=0 if os.name == "nt" else os.cpu_count() or 1,
            compiler_directives={
                "language_level": 3,
                "infer_types": True,
                "cdivision": True,
                "boundscheck": DEBUG,
                "wraparound": False,
                "initializedcheck": False,
            },
        )
    except CompileError as error:
        sys.exit(f"not compiled: {error}")
    finally:
        del sys.tracebacklimit


setup(
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=[] if os.environ.get("SORTIE_NO_KERNEL") == "1" else kernel(),
)
