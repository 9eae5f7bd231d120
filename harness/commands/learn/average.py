"""`gauntlet average`: one network out of several."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from harness.errors import BadInput
from harness.terminal.numbers import noun


@click.command(name="average", short_help="Average networks that were trained one from another.")
@click.argument("networks", metavar="NET...", nargs=-1, required=True)
@click.option("--out", metavar="NET", required=True, help="File for the mean; NET.json describes it.")
@click.option("--weights", metavar="N,N...", help="Weight of each network; default: all equal.")
@click.option(
    "--unit",
    type=click.IntRange(20, 2000),
    help="Centipawns of an output of 1; default: the mean of the networks' own.",
)
@click.option(
    "--data",
    metavar="DATA",
    multiple=True,
    help="Positions, may be repeated: round the mean so that its scores for them change least.",
)
def command(networks: tuple[str, ...], out: str, weights: str | None, unit: int | None, data: tuple[str, ...]) -> None:
    """Write the weighted mean of networks that were trained one from another (`gauntlet train --begin`).

    The mean is mostly more accurate than each of them. A mean of networks that began from different random weights is worthless.
    """
    from harness.commands.learn._written import refuse_foreign, spare_data
    from harness.files import file_to_make, named, store
    from harness.training import card as cards
    from harness.training.average import average
    from harness.training.positions import sample
    from harness.training.rounding import POSITIONS

    path = file_to_make(out)
    data = tuple(str(named(file)) for file in data)
    counted = _weights(weights, len(networks))
    card_path = path.with_name(path.name + ".json")
    spare_data([Path(file) for file in (*networks, *data)], (path, card_path))
    refuse_foreign(path)
    made = average(networks, counted, unit, sample(data, POSITIONS) if data else None)
    options = [("--weights", weights), ("--unit", unit), *(("--data", file) for file in data)]
    given = [word for name, value in options if value for word in (name, str(value))]
    words = shlex.join(["gauntlet", "average", *networks, *given, "--out", out])
    told = cards.average_card(made, networks, counted, words)
    store(path, made.pack())
    store(card_path, cards.text(told).encode())
    click.echo(
        f"{out}: the mean of {len(networks)} {noun(len(networks), 'network')}, "
        f"{made.hidden} and {made.neurons} neurons, {len(made.pack()):,} bytes"
    )


def _weights(text: str | None, count: int) -> list[float]:
    """One weight for each network. Raises BadInput for other numbers of them or for what is no weight."""
    if text is None:
        return [1.0] * count
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) != count or not all(0 < weight < 1e6 for weight in found):
        wanted = f"{count} {noun(count, 'number')} above 0 and below a million"
        raise BadInput(f"--weights: expected {wanted}{', separated by commas' if count > 1 else ''}, not {text!r}")
    return found
