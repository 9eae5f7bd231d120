"""Checks that the compiled kernel is not older than its source, because such a kernel fails in strange ways."""

from __future__ import annotations

import os
from _imp import extension_suffixes

_SUFFIX = extension_suffixes()[0]
_HERE = os.path.dirname(os.path.abspath(__file__))


def complaint(folder: str = _HERE) -> str | None:
    """One line that names a module to be compiled (again) and how; None where all are, and where a package is installed.

    Only a source tree is looked at: an installer writes source and compiled module in any order.
    """
    if not os.path.exists(os.path.join(os.path.dirname(folder), "setup.py")):
        return None
    above = os.path.dirname(folder)
    for room in (folder, *(entry.path for entry in os.scandir(folder) if entry.is_dir() and entry.name[0] != "_")):
        names = os.listdir(room)
        for header in sorted(name for name in names if name.endswith(".pxd")):
            module = header[:-4]
            source, compiled = f"{module}.py", f"{module}{_SUFFIX}"
            if source not in names:
                continue  # a header alone
            if compiled not in names:
                return f"{os.path.relpath(os.path.join(room, source), above)} is not compiled: run make build"
            built, *sources = (os.stat(os.path.join(room, name)).st_mtime for name in (compiled, source, header))
            if built < max(sources):
                where = os.path.relpath(os.path.join(room, source), above)
                return f"{where} is newer than its compiled module: run make build"
    return None
