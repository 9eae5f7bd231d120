"""Builds the compiled modules: every module with a .pxd beside it is Python source compiled by Cython.

These are the engine's kernel and, in the harness, the arithmetic of training. The modules of TWINS are compiled for every
processor and again for more capable ones, as NAME_avx2 and so on; which build runs is chosen at start.
SORTIE_CFLAGS overrides the compiler flags. SORTIE_DEBUG=1 builds with bounds checks, assertions and key recomputation
(`make debug` adds the sanitizers through SORTIE_CFLAGS). SORTIE_NO_KERNEL=1 leaves the kernel out: `make build` installs the
Python part first and compiles in a separate step, so that errors are not reported through pip.

GCC compiles the modules of the search twice: first with counters, for the searches of engine/tools/rehearsal.py, then
with the profile from these, which takes 1 to 6 % off a node's time, by processor. SORTIE_PROFILE=0 skips that. A change of
the source is compiled with the existing profile; after `make clean`, with other settings or after a change of this file
everything is compiled anew.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler.Errors import CompileError
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

DEBUG = os.environ.get("SORTIE_DEBUG") == "1"
PROFILE = os.environ.get("SORTIE_PROFILE") != "0" and not DEBUG
SETTINGS = ("CC", "CFLAGS", "LDFLAGS", "SORTIE_CFLAGS", "SORTIE_LDFLAGS", "SORTIE_DEBUG", "SORTIE_PROFILE")
PROFILED = Path("build/profile").absolute()
COUNT = [f"-fprofile-dir={PROFILED}", "-fprofile-generate", "-fprofile-update=single"]
# Functions that have changed since the profile was made are compiled without it.
USE_COUNTS = [
    f"-fprofile-dir={PROFILED}",
    "-fprofile-use",
    "-fprofile-partial-training",
    "-Wno-missing-profile",
    "-Wno-coverage-mismatch",
]
X86_64 = platform.machine().lower() in ("x86_64", "amd64")
# A start loads some thirty of these libraries: two mappings each instead of five save a thirtieth of its time.
QUICK_TO_LOAD = "-Wl,-z,noseparate-code,-z,norelro" if sys.platform.startswith("linux") else ""
LINKER_FLAGS = os.environ.get("SORTIE_LDFLAGS", QUICK_TO_LOAD).split()
if X86_64 and sys.platform.startswith("linux") and "SORTIE_CFLAGS" not in os.environ:
    # On an older processor the loader then refuses the module, and engine/cli.py reports that in a plain line.
    LINKER_FLAGS.append("-Wl,-z,x86-64-v2")
TWINS = {"engine.evaluation.vectors": ("avx2", "avx512"), "harness.training.kernel": ("avx2",)}
# Flags of these builds, for GCC and clang and for Microsoft's compiler. avx512 includes VNNI, which multiplies and adds at once.
LEVELS = {
    "avx2": (("-march=x86-64-v3",), "/arch:AVX2"),
    "avx512": (("-march=x86-64-v4", "-mavx512vnni", "-mprefer-vector-width=512"), "/arch:AVX512"),
}


def processor(*flags: str) -> list[str]:
    """Flags of GCC and clang for x86-64; on macOS a build may be for two processors, one of them ARM."""
    if sys.platform == "darwin":
        return [word for flag in flags for word in ("-Xarch_x86_64", flag)]
    return list(flags) if X86_64 else []


def compiler_flags(msvc: bool, level: str) -> list[str]:
    """Flags for a module; x86-64-v2 is the minimum because without POPCNT a seventh of the time goes into counting bits."""
    if "SORTIE_CFLAGS" in os.environ:
        flags = os.environ["SORTIE_CFLAGS"].split()
    elif msvc:
        flags = ["/O2"]
    else:
        flags = ["-O3", "-fno-strict-aliasing", "-Wno-unused-function", "-Wno-unreachable-code"]
        flags += processor("-march=x86-64-v2")
    if level:
        known, microsofts = LEVELS[level]
        flags += [microsofts] if msvc else processor(*known)
    return flags


def is_searched_with(extension: Extension) -> bool:
    """Whether the engine spends its time in this module, so that a profile helps.

    The classes and settings, which Python calls, take half of the compiler's time and hardly any of a search's.
    """
    place = extension.name
    for level in LEVELS:
        place = place.removesuffix(f"_{level}")
    header = Path(place.replace(".", "/") + ".pxd").read_text(encoding="utf-8")
    return place.startswith("engine.") and " nogil" in header and "cdef class" not in header


class BuildKernel(build_ext):
    """Compiles with the flags that the compiler in use understands: on Windows it may be Microsoft's or MinGW's."""

    def build_extensions(self) -> None:
        # A module compiled with other settings would stay beside the new ones: a kernel of two kinds.
        stamp, settings = Path(self.build_temp) / "settings", repr([os.environ.get(name) for name in SETTINGS])
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != settings:
            self.force = True
            stamp.unlink(missing_ok=True)  # until all are compiled
        self.build_kernel()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(settings, encoding="utf-8")

    def build_kernel(self) -> None:
        if not PROFILE or not self.is_gcc():
            self.compile(self.extensions)
            return
        for extension in self.extensions:
            extension.define_macros = [*macros, ("SORTIE_PROFILED", "1")]
        searching = [extension for extension in self.extensions if is_searched_with(extension)]
        # GCC finds no counts for object files with other names: those of a moved tree, or of another Python.
        made, here = PROFILED / "made", os.path.abspath(self.build_temp)
        old = not made.exists() or made.stat().st_mtime < Path("setup.py").stat().st_mtime
        anew = self.force or old or made.read_text(encoding="utf-8") != here
        self.compile([extension for extension in self.extensions if extension not in searching])
        if anew:
            self.rehearse(searching)
            self.force = True
        self.compile(searching, USE_COUNTS)
        if anew:
            made.write_text(here, encoding="utf-8")

    def is_gcc(self) -> bool:
        """Whether it is really GCC, not clang under its name or behind ccache, which names the foundation too."""
        if self.compiler.compiler_type != "unix":
            return False
        done = subprocess.run([*self.compiler.compiler_so, "--version"], capture_output=True, text=True)
        return "Free Software Foundation" in done.stdout

    def compile(self, extensions: list[Extension], more: Sequence[str] = (), link: Sequence[str] = ()) -> None:
        """Compile some modules, with additional flags."""
        msvc = self.compiler.compiler_type == "msvc"
        for extension in extensions:
            level = next((level for level in LEVELS if extension.name.endswith(f"_{level}")), "")
            extension.extra_compile_args = [*compiler_flags(msvc, level), *more]
            extension.extra_link_args = [*LINKER_FLAGS, *link]
        everything, self.extensions = self.extensions, extensions
        super().build_extensions()
        self.extensions = everything

    def rehearse(self, searching: list[Extension]) -> None:
        """Build an engine with counters in PROFILED, and run it. The counts are named after the object files."""
        shutil.rmtree(PROFILED, ignore_errors=True)
        leave = shutil.ignore_patterns("__pycache__", "*.so", "*.c")
        shutil.copytree("engine", PROFILED / "engine", ignore=leave)
        for extension in self.extensions:
            if extension.name.startswith("engine.") and extension not in searching:
                shutil.copy2(self.get_ext_fullpath(extension.name), PROFILED / self.get_ext_filename(extension.name))
        place, force = self.build_lib, self.force
        self.build_lib, self.force = str(PROFILED), True
        self.compile(searching, COUNT, link=["-fprofile-generate"])
        self.build_lib, self.force = place, force
        done = subprocess.run([sys.executable, "-m", "engine.tools.rehearsal"], cwd=PROFILED)
        if done.returncode:
            sys.exit("the engine that counts for the profile failed; SORTIE_PROFILE=0 builds without")


def twin(extension: Extension, level: str) -> Extension:
    """The same C compiled for a level of LEVELS, under a name of its own, which Python needs too."""
    source = Path(extension.sources[0])
    leaf = source.stem
    other = source.with_name(f"{leaf}_{level}.c")
    named = source.read_text(encoding="utf-8").replace(f'"{extension.name}"', f'"{extension.name}_{level}"')
    text = f"#define PyInit_{leaf} PyInit_{leaf}_{level}\n{named}"
    if not other.exists() or other.read_text(encoding="utf-8") != text:
        other.write_text(text, encoding="utf-8")
    return Extension(
        f"{extension.name}_{level}",
        [other.as_posix()],
        depends=[source.as_posix(), "setup.py"],
        extra_link_args=extension.extra_link_args,
        define_macros=extension.define_macros,
    )


sources = sorted(
    path.with_suffix(".py")
    for package in ("engine", "harness")
    for path in Path(package).rglob("*.pxd")
    if path.with_suffix(".py").exists()
)
# A module compiled for an earlier tree would be imported instead of a plain module, or although its source is gone.
for built in [
    found for package in ("engine", "harness") for kind in ("*.so", "*.pyd") for found in Path(package).rglob(kind)
]:
    stem = built.name.partition(".")[0]
    for level in LEVELS:
        stem = stem.removesuffix(f"_{level}")
    if built.with_name(stem + ".py") not in sources:
        built.unlink()
macros = [("SORTIE_DEBUG", "1")] if DEBUG else [("CYTHON_WITHOUT_ASSERTIONS", "1")]
macros.append(("_GNU_SOURCE", "1"))
extensions = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        depends=["setup.py"],
        extra_link_args=LINKER_FLAGS,
        define_macros=macros,
    )
    for source in sources
]


def kernel() -> list[Extension]:
    """The extensions, with their C files written; ends with Cython's own message, with file, line and column, at an error."""
    sys.tracebacklimit = 0  # Cython would print a traceback of its own code under each error
    try:
        modules = cythonize(
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
    twins = [twin(module, level) for module in modules for level in TWINS.get(module.name, ())] if X86_64 else []
    # The largest first, so that no processor waits for a large one at the end.
    return sorted(modules + twins, key=lambda extension: Path(extension.sources[0]).stat().st_size, reverse=True)


setup(
    cmdclass={"build_ext": BuildKernel},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=[] if os.environ.get("SORTIE_NO_KERNEL") == "1" else kernel(),
)
