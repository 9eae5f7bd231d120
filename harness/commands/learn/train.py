"""`gauntlet train`: a network for Sortie's evaluation from files of positions."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.commands._values import Within
from harness.errors import BadInput
from harness.terminal.numbers import noun
from harness.terminal.words import say

if TYPE_CHECKING:
    from harness.training.train import Settings


@click.command(name="train", short_help="Train a network for Sortie's evaluation.")
@click.argument("files", metavar="DATA...", nargs=-1, required=True)
@click.option(
    "--out", metavar="NET", required=True, help="File for the network; NET.json describes it, NET.svg shows its loss."
)
@click.option(
    "--hidden",
    type=click.IntRange(1),
    help="Hidden neurons, a multiple of 32; those that --begin lacks are added. Default: 128, or as many as --begin has.",
)
@click.option(
    "--second",
    type=click.IntRange(1),
    help="Neurons of the second layer, a multiple of 8; those that --begin lacks are added. Default: 8, or as many as --begin has.",
)
@click.option("--second-only", is_flag=True, help="Train only the second layer; the hidden layer stays as in --begin.")
@click.option("--begin", metavar="NET", help="Network to train further; default: random weights.")
@click.option(
    "--epochs", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Passes through the data."
)
@click.option("--batch", type=click.IntRange(1, 10**6), default=16_384, show_default=True, help="Positions per step.")
@click.option(
    "--rate",
    type=Within(0, 1, min_open=True),
    default=0.001,
    show_default=True,
    help="Initial learning rate.",
)
@click.option("--decay", type=Within(0, 100), default=0.01, show_default=True, help="Weight decay.")
@click.option(
    "--mixture",
    type=Within(0, 1),
    default=0.7,
    show_default=True,
    help="Weight of a position's own score in the target.",
)
@click.option(
    "--hindsight",
    type=Within(0, 1),
    default=1.0,
    show_default=True,
    help="What makes up the rest: at 1 the game's result; below 1 later scores too, each weighing this times the one before.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed for the initial weights and the order."
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    help="Processor threads; default: one per core, or as many as before the stop. Another number rounds differently.",
)
@click.option("--fresh", is_flag=True, help="Start afresh even if there is a checkpoint.")
def command(
    files: tuple[str, ...],
    out: str,
    hidden: int | None,
    second: int | None,
    second_only: bool,
    begin: str | None,
    epochs: int,
    batch: int,
    rate: float,
    decay: float,
    mixture: float,
    hindsight: float,
    seed: int,
    threads: int | None,
    fresh: bool,
) -> None:
    """Train a network on the positions in DATA and write it to NET, for `sortie --option NetworkFile=NET`.

    One game in twenty is held out. NET.checkpoint.npz is written every minute; after a stop the same command resumes from
    it. docs/network.md describes every step.
    """
    from harness.commands.learn._epochs import display, line_of_progress
    from harness.commands.learn._written import refuse_foreign, spare_data
    from harness.files import file_to_make, named, store
    from harness.report import loss
    from harness.spec.reader import cores
    from harness.training import card as cards
    from harness.training import network
    from harness.training.rounding import POSITIONS, quantise_on
    from harness.training.train import Settings, Trainer, threads_of

    path = file_to_make(out)
    begin = str(named(begin)) if begin else None
    checkpoint = path.with_name(path.name + ".checkpoint.npz")
    sources = [Path(file) for file in files]
    card_path, picture = path.with_name(path.name + ".json"), path.with_name(path.name + ".svg")
    spare_data([*sources, *([Path(begin)] if begin else [])], (path, checkpoint, card_path, picture))
    refuse_foreign(path)
    data = cards.data_records(sources)
    if second_only and not begin:
        raise BadInput("--second-only: expected --begin NET as well, whose hidden layer is to stay")
    known = network.read(begin) if begin else None
    hidden = hidden or (known.hidden if known else Settings().hidden)
    second = second or (known.neurons if known else 0) or Settings().second
    threads = threads or (None if fresh else threads_of(checkpoint)) or cores()
    settings = Settings(
        hidden, second, epochs, batch, rate, decay, mixture, hindsight, seed, threads, begin or "", second_only
    )
    trainer = Trainer(sources, checkpoint, settings, fresh)
    say(
        f"{trainer.positions:,} {noun(trainer.positions, 'position')} to train on, {len(trainer.held):,} held out; "
        f"a score counts by 1 / (1 + exp(-score / {trainer.scale:.0f}))",
        sys.stderr,
    )
    if trainer.state.step:
        say(f"going on from step {trainer.state.step:,} of {trainer.batches * epochs:,}", sys.stderr)
    show = display(len(trainer.state.epochs), epochs, trainer.batches, batch)
    with line_of_progress():
        trainer.run(lambda state, done, speed: show(state.epochs, done, speed))
    made = quantise_on(trainer.state.arrays(), trainer.sample(POSITIONS), trainer.unit())
    words = shlex.join(["gauntlet", "train", *files, *_words(settings), "--out", out])
    told = cards.card(trainer, made, data, words)
    store(path, made.pack())
    store(card_path, cards.text(told).encode())
    store(picture, loss.file(trainer.state.epochs).encode())
    checkpoint.unlink(missing_ok=True)
    lost = told["loss"]
    click.echo(
        f"{out}: {hidden} and {second} neurons, {len(made.pack()):,} bytes; loss {lost['train']:.5f}, "
        f"held out {lost['held_out']:.5f}, as whole numbers {lost['held_out_as_whole_numbers']:.5f}"
    )


def _words(settings: Settings) -> list[str]:
    """The options that repeat a training."""
    from dataclasses import asdict

    found = []
    for name, value in asdict(settings).items():
        option = "--" + name.replace("_", "-")
        if value is True:
            found.append(option)
        elif value is not False and value != "":
            found += [option, str(value)]
    return found
