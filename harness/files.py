"""Files as users name them, and files written whole or not at all."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path

from harness.errors import BadInput


def named(text: str) -> Path:
    """The path that a user wrote. "~" and "~name" are homes; what is nobody's home stays as it is, and is then not found."""
    return Path(os.path.expanduser(text))


def for_shell(path: Path | str) -> str:
    """The path as a word of a command line that is to be copied."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def file_to_make(out: str) -> Path:
    """The path of a file that a command is to make; raises BadInput unless it can lie there."""
    path = Path(out)
    if path.is_dir() or not path.resolve().parent.is_dir():
        raise BadInput(f"{out}: expected a file in a folder that exists")
    return path


def same(one: Path | str, other: Path | str) -> bool:
    """Whether two names are those of one file, which need not be there."""
    return os.path.realpath(named(str(one))) == os.path.realpath(named(str(other)))


def refuse_overwriting(written: Path | str, read: Iterable[Path | str]) -> None:
    """Raises BadInput if the file to be written is one of those that are read, under whatever name."""
    if any(same(written, other) for other in read):
        raise BadInput(f"{written}: is one of the files that are read, expected another")


def store(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all; raises BadInput where it cannot be written.

    What is no file of its own (a pipe, /dev/stdout, a link) is written into, never put away for a file.
    """
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            path.write_bytes(data)
            return
        handle, fresh = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(fresh, 0o644)
            os.replace(fresh, path)
        except BaseException:
            Path(fresh).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
