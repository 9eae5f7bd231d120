"""Engines from git: a commit fetched and built once, kept under the hash of what it was made from.

The cache is $GAUNTLET_CACHE, else gauntlet in the user's cache folder: `git` holds a mirror of each repository, `engines` a
tree for each build. A tree without its mark was never finished and is made anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.engines.children import adopting_orphans, end_orphans, kill_group, start_child
from harness.errors import BadInput
from harness.files import named
from harness.terminal.words import say

MARK = ".gauntlet-built"
LOG = "build.log"  # beside the tree
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Source:
    """Where an engine comes from: a repository (address or path), a commit, what builds it (a line for the shell)."""

    git: str
    commit: str
    build: str = ""

    @property
    def key(self) -> str:
        """The name under which its build is kept."""
        return hashlib.sha256("\0".join((self.git, self.commit, self.build)).encode()).hexdigest()[:20]


def cache() -> Path:
    """The folder of mirrors and builds."""
    if told := os.environ.get("GAUNTLET_CACHE"):
        return named(told).absolute()
    if told := os.environ.get("XDG_CACHE_HOME"):
        return Path(told).absolute() / "gauntlet"
    try:
        return Path.home().absolute() / ".cache" / "gauntlet"
    except RuntimeError:  # a user without an entry, in a container
        raise BadInput("no home folder is known to build engines in: name a folder in GAUNTLET_CACHE") from None


def find(git: str, ref: str, build: str) -> Source:
    """Resolves a ref (branch, tag or commit) to a commit; raises BadInput. A full commit hash is not looked up."""
    if _COMMIT.fullmatch(ref) and _tree(Source(git, ref, build)).joinpath(MARK).exists():
        return Source(git, ref, build)  # no need to ask the repository, which may be out of reach
    with _locked(_mirror(git)):
        _fetch(git)
        found = _git(
            "--git-dir", str(_mirror(git)), "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"
        )
    if found.returncode:
        raise BadInput(f'{git} has no branch, tag or commit "{ref}"')
    return Source(git, found.stdout.strip(), build)


def built(source: Source) -> Path:
    """Returns the tree of a commit, built; raises BadInput with the last line of a build that fails."""
    tree = _tree(source)
    tree.parent.mkdir(parents=True, exist_ok=True)
    with _locked(tree):
        if (tree / MARK).exists():
            return tree
        shutil.rmtree(tree, ignore_errors=True)
        done = _git("clone", "--quiet", "--no-checkout", "--", str(_mirror(source.git)), str(tree))
        done = done if done.returncode else _git("-C", str(tree), "checkout", "--quiet", "--detach", source.commit)
        if done.returncode:
            raise BadInput(f"{source.git}: commit {source.commit[:12]} cannot be checked out: {_first(done.stderr)}")
        if source.build:
            _run(source, tree)
        (tree / MARK).touch()
    return tree


def _run(source: Source, tree: Path) -> None:
    say(f"building {source.git} at {source.commit[:12]}: {source.build}", sys.stderr)
    log = tree.with_name(f"{tree.name}-{LOG}")
    build = None
    with open(log, "wb") as file, adopting_orphans():
        try:
            build = start_child(source.build, shell=True, cwd=tree, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
            status = _status(build)
        finally:  # what a stop of ours has left of it; one that comes early finds a child without a name
            if build is not None:
                kill_group(build.pid)
            end_orphans()
    if status:
        said = _last(log.read_text(encoding="utf-8", errors="replace"))
        raise BadInput(f"build of {source.git} at {source.commit[:12]} fails with status {status}: {said} ({log})")


def _status(build: subprocess.Popen[bytes]) -> int:
    """Waits for a build, in steps: one long wait would not notice a signal that came just before it began."""
    while True:
        with suppress(subprocess.TimeoutExpired):
            return build.wait(timeout=60)


def _tree(source: Source) -> Path:
    return cache() / "engines" / source.key


def _mirror(git: str) -> Path:
    return cache() / "git" / f"{hashlib.sha256(git.encode()).hexdigest()[:20]}.git"


def _fetch(git: str) -> None:
    mirror = _mirror(git)
    if mirror.exists():
        done = _git("--git-dir", str(mirror), "fetch", "--quiet", "--prune", "origin")
        if (
            done.returncode == 0
            and _git("--git-dir", str(mirror), "fetch", "--quiet", "origin", "HEAD").returncode == 0
        ):
            # git lets a mirror's own HEAD stay where it was on the day that it was made.
            done = _git("--git-dir", str(mirror), "update-ref", "--no-deref", "HEAD", "FETCH_HEAD")
    else:
        fresh = mirror.with_name(f"{mirror.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        done = _git("clone", "--quiet", "--mirror", "--", git, str(fresh))
        if done.returncode == 0:
            fresh.rename(mirror)
    if done.returncode:
        raise BadInput(f"git {git}: {_first(done.stderr)}")


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        environment.pop(name, None)
    try:
        return subprocess.run(["git", *words], capture_output=True, text=True, errors="replace", env=environment)
    except FileNotFoundError:
        raise BadInput("git is not installed: an engine with git = ... needs it") from None


def _first(text: str) -> str:
    """The first paragraph in one line: that in which git gives the reason, its advice comes after."""
    return "; ".join(text.strip().partition("\n\n")[0].splitlines()) or "it says nothing"


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "it says nothing"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keeps other processes from making the same thing at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_name(f"{path.name}.lock"), "w") as file:
        try:
            import fcntl
        except ImportError:  # Windows has no such lock: two runs may build one commit at the same time
            yield
            return
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
