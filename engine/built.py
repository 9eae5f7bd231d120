"""Checks that the compiled kernel is not older than its source, because an old kernel fails in strange ways."""

from __future__ import annotations

import os
from _imp import extension_suffixes

_SUFFIX = extension_suffixes()[0]
_HERE = os.path.dirname(os.path.abspath(__file__))


def complaint(folder: str = _HERE) -> str | None:
    """One line that names a module to compile (again) and how; None if all are compiled, or if the package is installed.

    Only a source tree is checked: an installer writes source and compiled modules in any order.
    """
    above = os.path.dirname(folder)
    if not os.path.exists(f"{above}/setup.py"):
        return None
    for room in (folder, *(entry.path for entry in os.scandir(folder) if entry.is_dir() and entry.name[0] != "_")):
        entries = {entry.name: entry for entry in os.scandir(room)}
        for header in sorted(name for name in entries if name.endswith(".pxd")):
            module = header[:-4]
            source, compiled = entries.get(f"{module}.py"), entries.get(f"{module}{_SUFFIX}")
            if source is None:
                continue  # a header alone
            if compiled is None:
                return f"{os.path.relpath(source.path, above)} is not compiled: run make build"
            built = compiled.stat().st_mtime
            if built < source.stat().st_mtime or built < entries[header].stat().st_mtime:
                return f"{os.path.relpath(source.path, above)} is newer than its compiled module: run make build"
    return None
