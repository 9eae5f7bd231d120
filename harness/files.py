"""Files as users name them, and files written atomically."""

from __future__ import annotations

import os
import secrets
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path

from harness.errors import BadInput


def named(text: str) -> Path:
    """The path that a user wrote. "~" and "~name" are home folders; for a name without one the text stays as it is."""
    return Path(os.path.expanduser(text))


def for_shell(path: Path | str) -> str:
    """The path quoted as a word of a command line, for copying."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def file_to_make(out: str) -> Path:
    """The path of a file that a command will make; raises BadInput if it cannot be made there."""
    path = named(out)
    if path.is_dir() or not path.resolve().parent.is_dir():
        raise BadInput(f"{out}: expected a file in a folder that exists")
    return path


def same(one: Path | str, other: Path | str) -> bool:
    """Whether two names mean the same file, which need not exist."""
    return os.path.realpath(named(str(one))) == os.path.realpath(named(str(other)))


def refuse_overwriting(written: Path | str, read: Iterable[Path | str]) -> None:
    """Raises BadInput if the file to write is one of those to read, under any name."""
    if any(same(written, other) for other in read):
        raise BadInput(f"{written}: is one of the files that are read, expected another")


def refuse_twice(paths: Iterable[Path | str]) -> None:
    """Raises BadInput for a folder or file of games that is named twice: its games would count twice."""
    known = set[str]()
    for path in paths:
        place = os.path.realpath(path)
        if place in known:
            raise BadInput(f"{path}: is named twice, and its games would count twice")
        known.add(place)


def claim(fresh: Path, path: Path, taken: str) -> None:
    """Gives a complete file its name; raises BadInput(taken) if there is one, even if another process has just made it."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        raise BadInput(taken) from None
    except OSError:  # a file system without links
        os.replace(fresh, path)


def store(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Writes a file atomically, whole or in parts; raises BadInput if it cannot be written.

    Who may read it is up to the umask, or as it was. A pipe, a device or a link (/dev/stdout) is written to, never replaced.
    """
    parts = [data] if isinstance(data, bytes) else data
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            with path.open("wb") as file:
                file.writelines(parts)
            return
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
        try:
            with fresh.open("xb") as file:
                file.writelines(parts)
            if path.exists():
                os.chmod(fresh, stat.S_IMODE(path.stat().st_mode))
            os.replace(fresh, path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
