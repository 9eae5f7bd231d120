"""The commands that learn: what they say on the way is worth less than the work."""

from __future__ import annotations

import os
import sys

import pytest
from click.testing import CliRunner

from harness.commands.learn import _epochs, data, tune
from harness.terminal.progress import progress
from harness.training.collect import Progress
from harness.training.train import Epoch


@pytest.mark.parametrize("pull", ["inf", "nan", "-1"])
def test_a_pull_is_a_number(pull: str) -> None:
    done = CliRunner().invoke(tune.command, ["none", "--pull", pull])
    assert done.exit_code == 2 and "Invalid value for '--pull'" in done.output


@pytest.mark.parametrize("disk_full", [True, False])
def test_the_work_does_not_end_with_its_reader(monkeypatch: pytest.MonkeyPatch, disk_full: bool) -> None:
    if disk_full:
        stream = open("/dev/full", "w")  # noqa: SIM115
    else:
        reader, writer = os.pipe()
        os.close(reader)
        stream = os.fdopen(writer, "w")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(data, "EVERY", 0.0)
    with progress() as shown:
        shown.line("a line that stays")
    _epochs.display(0, 2, 10, 128)([Epoch(1, 0.1, 0.1, 0.1, 1.0)], 0, 1.0)
    data._display(10)(Progress(1, 5))
    stream.close()
