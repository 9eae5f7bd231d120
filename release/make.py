"""Builds what people install: a source distribution with a wheel, or a folder that runs without Python.

    python release/make.py wheel        build/packages/sortie_chess-*.tar.gz and *.whl
    python release/make.py standalone   dist/, the program at its top; build/sortie-VERSION-SYSTEM.tar.gz, on Windows .zip

Both are built from a clean copy by tools in an environment of their own, so that neither the state of the checkout nor
other installed packages can affect them.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "release"
TOOLS = ROOT / "build" / "tools"
PACKAGES = ROOT / "build" / "packages"
WORK = ROOT / "build" / "standalone"
FOLDER = ROOT / "dist"
LIBRARY = "lib"
NOT_NEEDED = "Cython cython setuptools ssl _ssl _hashlib readline bz2 _bz2 lzma _lzma".split()
WINDOWS = os.name == "nt"


def run(*words: str | Path, cwd: Path = ROOT) -> str:
    """Runs a command with its output hidden; if it fails, shows the output and ends the program."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed: {' '.join(str(word) for word in words)}")
    return done.stdout


def tool(name: str) -> Path:
    """A program in the environment of the build tools."""
    return TOOLS / ("Scripts" if WINDOWS else "bin") / name


def tools() -> None:
    """Makes the environment of the build tools, once."""
    ready = TOOLS / ".ready"
    if ready.exists() and ready.stat().st_mtime > Path(__file__).stat().st_mtime:
        return
    venv.create(TOOLS, with_pip=True, clear=True)
    wanted = ["build>=1.2", "pyinstaller>=6.6,<7", "setuptools>=77", "cython>=3.3,<3.4", "click>=8.1,<9"]
    run(tool("python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)
    ready.touch()


def wheel() -> Path:
    """Builds the source distribution and, from nothing else, the wheel; returns the wheel."""
    tools()
    shutil.rmtree(PACKAGES, ignore_errors=True)
    run(tool("python"), "-m", "build", "--no-isolation", "--outdir", PACKAGES)
    return next(PACKAGES.glob("*.whl"))


def system() -> str:
    """The platform: linux-x86_64, macos-arm64, windows-amd64."""
    name = {"Darwin": "macos"}.get(platform.system(), platform.system().lower())
    return f"{name}-{platform.machine().lower()}"


def made_on() -> str:
    """The system in words, with the C library that the program needs."""
    library, version = platform.libc_ver()
    asked = f" with {library} {version}; it asks for that or a later one, and zlib" if library else ""
    return f"{platform.system()} {platform.machine()}{asked}"


def standalone() -> Path:
    """Builds the folder; returns its archive."""
    run(
        tool("python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--force-reinstall",
        "--no-deps",
        wheel(),
    )
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    options = f"--noconfirm --onedir --console --name=sortie --contents-directory={LIBRARY}".split()
    # PyInstaller cannot see the imports of compiled modules, so the whole engine is named; it finds its networks beside them.
    options += ["--collect-submodules=engine", "--collect-data=engine"]
    options += [f"--exclude-module={name}" for name in NOT_NEEDED]
    options += [f"--distpath={WORK / 'out'}", f"--workpath={WORK / 'work'}", f"--specpath={WORK}"]
    if not WINDOWS:
        options.append("--strip")
    run(tool("pyinstaller"), *options, HERE / "entry.py", cwd=WORK)
    made = WORK / "out" / "sortie"
    for rubbish in [*made.rglob("*.pxd"), *made.rglob("*.pyi")]:
        rubbish.unlink()
    program = "sortie.exe" if WINDOWS else "sortie"
    version = run(made / program, "--version").split()[1].rstrip(",")
    shutil.copy(ROOT / "LICENSE", made / ("LICENSE.txt" if WINDOWS else "LICENSE"))
    shutil.copy(HERE / "sortie.ini", made)
    shutil.copytree(HERE / "gui", made / "gui")
    (made / "openings").mkdir()
    shutil.copy(ROOT / "openings" / "sortie.bin", made / "openings")
    text = (HERE / "README.txt").read_text(encoding="utf-8")
    for mark, value in (("@VERSION@", version), ("@SYSTEM@", made_on()), ("@PROGRAM@", program)):
        text = text.replace(mark, value)
    text = text.replace("@BAR@", "=" * len(text.splitlines()[0]))
    (made / "README.txt").write_text(text, encoding="utf-8", newline="\r\n" if WINDOWS else "\n")
    FOLDER.mkdir(exist_ok=True)
    for entry in made.iterdir():  # other files in dist/ are not ours to remove
        old = FOLDER / entry.name
        shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
        shutil.copytree(entry, old, symlinks=True) if entry.is_dir() else shutil.copy2(entry, old)
    named = made.rename(WORK / "out" / f"sortie-{version}-{system()}")
    return Path(
        shutil.make_archive(str(ROOT / "build" / named.name), "zip" if WINDOWS else "gztar", named.parent, named.name)
    )


def main(words: list[str]) -> None:
    if words == ["wheel"]:
        wheel()
        print(*sorted(str(path.relative_to(ROOT)) for path in PACKAGES.iterdir()), sep="\n")
    elif words == ["standalone"]:
        archive = standalone()
        print(FOLDER.relative_to(ROOT), archive.relative_to(ROOT), sep="\n")
    else:
        sys.exit("usage: python release/make.py wheel|standalone")


if __name__ == "__main__":
    main(sys.argv[1:])
