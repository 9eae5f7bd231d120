"""Checks that the compiled kernel is not older than the source beside it, for such a kernel fails in strange ways."""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.abspath(__file__))


def complaint(folder: str = _HERE) -> str | None:
    """One line that names a module to be compiled (again) and how; None where all are, and where a package is installed.

    Only a source tree is looked at: an installer writes source and compiled module in any order. 0.3 ms.
    """
    if not os.path.exists(os.path.join(os.path.dirname(folder), "setup.py")):
        return None
    for room in (folder, *(entry.path for entry in os.scandir(folder) if entry.is_dir() and entry.name[0] != "_")):
        sources: dict[str, float] = {}
        headers: set[str] = set()
        compiled: dict[str, float] = {}
        with os.scandir(room) as entries:
            for entry in entries:
                name, _, rest = entry.name.partition(".")
                if rest in ("py", "pxd"):
                    sources[name] = max(sources.get(name, 0.0), entry.stat().st_mtime)
                    if rest == "pxd":
                        headers.add(name)
                elif rest.endswith(("so", "pyd")):
                    compiled[name] = max(compiled.get(name, 0.0), entry.stat().st_mtime)
        for name in sorted(headers):
            source = os.path.join(room, f"{name}.py")
            if not os.path.exists(source):
                continue  # a header alone
            where = os.path.relpath(source, os.path.dirname(folder))
            if name not in compiled:
                return f"{where} is not compiled: run make build"
            if compiled[name] < sources[name]:
                return f"{where} is newer than its compiled module: run make build"
    return None
