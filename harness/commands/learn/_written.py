"""What a command for networks must not write over: its data, or a file that is no network."""

from __future__ import annotations

from pathlib import Path

from harness.errors import BadInput
from harness.files import refuse_overwriting


def spare_data(data: list[Path], written: tuple[Path, ...]) -> None:
    """Raises BadInput if a command would write over its data or their records."""
    from harness.training.collect import record_path

    for path in written:
        refuse_overwriting(path, [name for file in data for name in (file, record_path(file))])


def refuse_foreign(net: Path) -> None:
    """Raises BadInput if a network would be written over what is none."""
    from harness.training.network import MAGIC

    if net.is_file():  # what is no file, as a pipe, may be written into
        with net.open("rb") as file:
            if file.read(len(MAGIC)) not in (MAGIC, b""):
                raise BadInput(f"{net}: is there and no network, expected another --out")
