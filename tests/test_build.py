"""What a developer meets: mistakes in the kernel shown where they are, a kernel of older source refused, CI that runs the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from engine.built import complaint

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree with the project's setup.py and one small module, built."""
    shutil.copyfile(ROOT / "setup.py", tmp_path / "setup.py")
    room = tmp_path / "engine" / "board"
    room.mkdir(parents=True)
    for folder in (room.parent, room):
        (folder / "__init__.py").touch()
    (room / "twice.py").write_text("def twice(number):\n    return 2 * number\n")
    (room / "twice.pxd").write_text("cdef int twice(int number) noexcept nogil\n")
    return tmp_path


def build(tree: Path, profile: str = "0") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "setup.py", "--quiet", "build_ext", "--inplace"]
    environment = {**os.environ, "SORTIE_PROFILE": profile}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)


def compiled(tree: Path) -> Path:
    [found] = [path for path in (tree / "engine/board").iterdir() if path.suffix in (".so", ".pyd")]
    return found


@pytest.mark.parametrize(
    ("mistake", "place"),
    [
        ("    return 2 * number +\n", "engine/board/twice.py:2:23"),
        ("    return 2 * nubmer\n", "engine/board/twice.py:2:15"),
    ],
)
def test_a_mistake_in_the_kernel_is_shown_where_it_is(tree: Path, mistake: str, place: str) -> None:
    (tree / "engine/board/twice.py").write_text(f"def twice(number):\n{mistake}")
    done = build(tree)
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert place in said
    assert "Traceback" not in said
    assert said.splitlines()[-1] == "not compiled: engine/board/twice.py"


def test_a_kernel_of_older_source_is_refused(tree: Path) -> None:
    folder = str(tree / "engine")
    assert complaint(folder) == f"engine{os.sep}board{os.sep}twice.py is not compiled: run make build"
    assert build(tree).returncode == 0
    assert complaint(folder) is None
    for name in ("twice.py", "twice.pxd"):
        later = os.stat(tree / "engine/board" / name).st_mtime + 1000
        os.utime(tree / "engine/board" / name, (later, later))
        assert (
            complaint(folder)
            == f"engine{os.sep}board{os.sep}twice.py is newer than its compiled module: run make build"
        )
        os.utime(tree / "engine/board" / name, (0, 0))
        assert complaint(folder) is None


def test_a_change_of_the_flags_compiles_again(tree: Path) -> None:
    assert build(tree).returncode == 0
    before = compiled(tree).stat()
    assert build(tree).returncode == 0
    assert compiled(tree).stat().st_mtime_ns == before.st_mtime_ns
    os.utime(tree / "setup.py", (before.st_mtime + 10, before.st_mtime + 10))
    assert build(tree).returncode == 0
    assert compiled(tree).stat().st_mtime_ns != before.st_mtime_ns


def test_other_settings_compile_all_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Back from a build for this machine alone (make native), no module of it may stay."""
    assert build(tree).returncode == 0
    portable = compiled(tree).read_bytes()
    with monkeypatch.context() as native:
        native.setenv("SORTIE_CFLAGS", "-O0")
        assert build(tree).returncode == 0
        assert compiled(tree).read_bytes() != portable
        (tree / "engine/board/twice.py").write_text("def twice(number):\n    return nubmer\n")
        assert build(tree).returncode == 1
    (tree / "engine/board/twice.py").write_text("def twice(number):\n    return 2 * number\n")
    assert build(tree).returncode == 0
    assert compiled(tree).read_bytes() == portable


def gcc() -> bool:
    """Whether setup.py compiles with GCC here, which alone makes a profile."""
    command = (sysconfig.get_config_var("CC") or "none").split()[0]
    if shutil.which(command) is None:
        return False
    return "Free Software Foundation" in subprocess.run([command, "--version"], capture_output=True, text=True).stdout


@pytest.fixture
def rehearsed(tree: Path) -> Path:
    """The tree with a rehearsal, which runs the module and says so."""
    if not gcc():
        pytest.skip("the compiler is not GCC")
    (tree / "engine/tools").mkdir()
    (tree / "engine/tools/__init__.py").touch()
    said = "import engine.board.twice\nprint('heard', engine.board.twice.__file__)\n"
    (tree / "engine/tools/rehearsal.py").write_text(said)
    return tree


def test_the_kernel_is_compiled_with_the_profile_of_a_rehearsal(rehearsed: Path) -> None:
    done = build(rehearsed, profile="1")
    assert done.returncode == 0, done.stderr
    room = rehearsed / "build/profile"
    assert f"heard {room}" in done.stdout
    assert [path.name.rpartition("#")[2] for path in room.glob("*.gcda")] == ["twice.gcda"]
    counting, final = (path.read_bytes() for path in (next(room.glob("engine/board/*.so")), compiled(rehearsed)))
    assert b"__gcov" in counting and b"__gcov" not in final
    before = compiled(rehearsed).stat().st_mtime_ns
    assert "heard" not in build(rehearsed, profile="1").stdout
    assert compiled(rehearsed).stat().st_mtime_ns == before
    later = before / 1e9 + 10
    os.utime(rehearsed / "engine/board/twice.py", (later, later))
    assert "heard" not in build(rehearsed, profile="1").stdout
    assert compiled(rehearsed).stat().st_mtime_ns != before
    os.utime(rehearsed / "setup.py", (later + 10, later + 10))
    assert "heard" in build(rehearsed, profile="1").stdout


def test_a_tree_that_was_moved_gets_a_profile_of_its_own(rehearsed: Path) -> None:
    assert "heard" in build(rehearsed, profile="1").stdout
    moved = rehearsed.rename(rehearsed.with_name(rehearsed.name + "-moved"))
    assert f"heard {moved / 'build/profile'}" in build(moved, profile="1").stdout
    assert "heard" not in build(moved, profile="1").stdout


def test_a_rehearsal_that_fails_is_said_in_a_line(rehearsed: Path) -> None:
    (rehearsed / "engine/tools/rehearsal.py").write_text("raise SystemExit(3)\n")
    done = build(rehearsed, profile="1")
    assert done.returncode == 1
    assert (
        done.stderr.splitlines()[-1] == "the engine that counts for the profile failed; SORTIE_PROFILE=0 builds without"
    )
    (rehearsed / "engine/tools/rehearsal.py").write_text("print('heard')\n")
    assert "heard" in build(rehearsed, profile="1").stdout


def test_a_cache_before_clang_is_not_taken_for_gcc(rehearsed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, clang = rehearsed / "cache", rehearsed / "clang"
    cache.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "by the Free Software Foundation" || exec "$@"\n')
    clang.write_text('#!/bin/sh\nfor word; do [ "$word" = --version ] && exec echo clang; done\nexec gcc "$@"\n')
    for script in (cache, clang):
        script.chmod(0o755)
    monkeypatch.setenv("CC", f"{cache} {clang}")
    done = build(rehearsed, profile="1")
    assert done.returncode == 0 and "heard" not in done.stdout, done.stderr


def test_an_installed_package_is_taken_as_it_is(tree: Path) -> None:
    (tree / "setup.py").unlink()
    assert complaint(str(tree / "engine")) is None


def test_sortie_and_the_tests_refuse_it_in_a_line(tmp_path: Path) -> None:
    for folder in ("engine", "tests/support"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "fake_engines"))
    for name in ("setup.py", "pyproject.toml", "tests/conftest.py", "tests/test_build.py"):
        shutil.copy2(ROOT / name, tmp_path / name)
    os.utime(tmp_path / "engine/board/see.py")
    expected = f"engine{os.sep}board{os.sep}see.py is newer than its compiled module: run make build"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for words in (["-m", "engine"], ["-m", "engine", "perft", "3"]):
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, input="quit\n", capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (2, f"sortie: {expected}\n")
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert expected in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_what_is_installed_holds_every_file_that_the_programs_read(tmp_path: Path) -> None:
    packages = ("engine", "harness", "openings")
    leave = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    for folder in packages:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=leave)
    for name in ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, tmp_path / name)
    subprocess.run(
        [sys.executable, "-W", "ignore", "setup.py", "--quiet", "build_py", "--build-lib", "installed"],
        cwd=tmp_path,
        env={**os.environ, "SORTIE_NO_KERNEL": "1"},
        check=True,
        capture_output=True,
    )
    for folder in packages:
        there = {path.relative_to(tmp_path) for path in (tmp_path / folder).rglob("*") if path.is_file()}
        installed = {
            path.relative_to(tmp_path / "installed")
            for path in (tmp_path / "installed" / folder).rglob("*")
            if path.is_file()
        }
        assert there == installed


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK) and script.read_text().startswith("#!")
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0
    assert script.read_text().splitlines()[-1] == "make test"
    assert "\nmake test " in (ROOT / "README.md").read_text()
