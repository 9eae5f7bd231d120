"""`gauntlet teach`: a large network that learns from searched positions, to score others for a small one to learn from."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.commands._values import Within
from harness.errors import BadInput
from harness.terminal.words import say

if TYPE_CHECKING:
    from harness.training.teach import Lessons


@click.command(name="teach", short_help="Train a large network whose scores a small one can learn from.")
@click.argument("files", metavar="DATA...", nargs=-1, required=True)
@click.option("--out", metavar="TEACHER", required=True, help="File for the network; TEACHER.json describes it.")
@click.option(
    "--width", type=click.IntRange(32, 1024), default=128, show_default=True, help="Channels, a multiple of 32."
)
@click.option(
    "--blocks", type=click.IntRange(1, 100), default=10, show_default=True, help="Blocks of two convolutions."
)
@click.option(
    "--attention", type=click.IntRange(0, 100), default=2, show_default=True, help="Attention layers between them."
)
@click.option("--epochs", type=click.IntRange(1, 1000), default=6, show_default=True, help="Passes through the data.")
@click.option("--batch", type=click.IntRange(2, 10**6), default=4096, show_default=True, help="Positions per step.")
@click.option(
    "--rate", type=Within(0, 1, min_open=True), default=0.0012, show_default=True, help="Highest learning rate."
)
@click.option("--decay", type=Within(0, 100), default=0.05, show_default=True, help="Weight decay.")
@click.option(
    "--mixture",
    type=Within(0, 1),
    default=0.6,
    show_default=True,
    help="Weight of a position's own score in the target.",
)
@click.option(
    "--hindsight", type=Within(0, 1), default=0.9, show_default=True, help="What makes up the rest; see gauntlet train."
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed for the weights and the order."
)
def command(
    files: tuple[str, ...],
    out: str,
    width: int,
    blocks: int,
    attention: int,
    epochs: int,
    batch: int,
    rate: float,
    decay: float,
    mixture: float,
    hindsight: float,
    seed: int,
) -> None:
    """Train a large network on the positions in DATA: too slow to play, but more accurate than the searches that scored them.

    `gauntlet data --blend --teacher TEACHER` gives positions its scores, and `gauntlet train --mixture 1` trains Sortie's
    network on these. `gauntlet teach` needs PyTorch and, for millions of positions, a GPU. After a stop the same
    command continues from the last epoch. docs/network.md describes every step.
    """
    if width % 32:
        raise BadInput(f"--width: expected a multiple of 32, not {width}")
    if attention >= blocks:
        raise BadInput(f"--attention: expected less than --blocks, {blocks}, between which they stand, not {attention}")
    from harness.commands.learn._epochs import display, line_of_progress
    from harness.commands.learn._written import spare_data
    from harness.files import file_to_make, store
    from harness.training import card as cards
    from harness.training import teacher as teacher_file
    from harness.training.collect import now
    from harness.training.teach import Lessons, Settings
    from harness.version import version

    path = file_to_make(out)
    sources = [Path(file) for file in files]
    checkpoint, card_path = path.with_name(path.name + ".checkpoint"), path.with_name(path.name + ".json")
    spare_data(sources, (path, checkpoint, card_path))
    if path.exists():
        try:
            teacher_file.read(path)
        except BadInput:
            raise BadInput(f"{out}: is there and no teacher, expected another --out") from None
    data = cards.data_records(sources)
    shape = teacher_file.Shape(width, blocks, attention)
    lessons = Lessons(sources, checkpoint, Settings(shape, epochs, batch, rate, decay, mixture, hindsight, seed))
    say(
        f"{lessons.positions:,} positions to learn from, {len(lessons.held):,} held out; "
        f"a score counts by 1 / (1 + exp(-score / {lessons.scale:.0f})); on {lessons.device.type}",
        sys.stderr,
    )
    if lessons.epochs:
        say(f"going on after epoch {len(lessons.epochs)} of {epochs}", sys.stderr)
    with line_of_progress():
        lessons.run(display(len(lessons.epochs), epochs, lessons.steps, batch))
    last = lessons.epochs[-1]
    told = {
        "architecture": asdict(shape),
        "data": data,
        "training": {
            "command": shlex.join(["gauntlet", "teach", *files, *_words(lessons), "--out", out]),
            "version": version(),
            "made": now(),
            "positions": lessons.positions,
            "sigmoid_scale": round(lessons.scale, 2),
        },
        "loss": {"train": last.loss, "held_out": last.held_out, "held_out_positions": len(lessons.held)},
        "epochs": [asdict(epoch) for epoch in lessons.epochs],
    }
    teacher_file.save(lessons.teacher, path)
    store(card_path, cards.text(told).encode())
    checkpoint.unlink(missing_ok=True)
    click.echo(f"{out}: loss {last.loss:.5f}, held out {last.held_out:.5f}")


def _words(lessons: Lessons) -> list[str]:
    """The options that repeat the lessons."""
    told = asdict(lessons.settings)
    flat = {**told.pop("shape"), **told}
    return [word for name, value in flat.items() for word in (f"--{name}", str(value))]
