"""The version of the harness, as installed or as written in the source tree."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """Returns the version of the distribution, "unknown" when it is not installed."""
    try:
        return metadata.version("sortie-chess")
    except metadata.PackageNotFoundError:
        return "unknown"
