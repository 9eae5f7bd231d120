"""The version of the harness, as installed or as written in the source tree."""

from __future__ import annotations


def version() -> str:
    """Returns the version of the distribution, "unknown" if it is not installed."""
    from importlib import metadata  # slower to import than most of what prints a version

    try:
        return metadata.version("sortie-chess")
    except metadata.PackageNotFoundError:
        return "unknown"
