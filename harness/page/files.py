"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from harness.errors import BadInput


def store(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all. Raises BadInput where it cannot be written."""
    try:
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
