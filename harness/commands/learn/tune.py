"""`gauntlet tune`: fit Sortie's evaluation to the results of its own games."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from harness.commands._values import Within
from harness.terminal.numbers import noun


@click.command(name="tune", short_help="Fit the evaluation's weights to the results of games.")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@click.option(
    "--out",
    default="weights.py",
    show_default=True,
    help="File for the weights; Sortie's own are engine/evaluation/weights.py.",
)
@click.option(
    "--per-game", type=click.IntRange(1), default=24, show_default=True, help="Most positions to take from one game."
)
@click.option("--rounds", type=click.IntRange(1), default=200, show_default=True, help="Most steps of the fit.")
@click.option(
    "--pull", type=Within(0), default=1e-8, show_default=True, help="Strength of the pull towards the old weights."
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed for the sample and for what is held out."
)
def command(folders: tuple[str, ...], out: str, per_game: int, rounds: int, pull: float, seed: int) -> None:
    """Take quiet positions from the finished games in each DIR, and fit all weights to the results of the games."""
    from harness.analysis import tuning as tune
    from harness.engines import sortie
    from harness.files import file_to_make, refuse_overwriting, refuse_twice, store
    from harness.journal.journal import OWN
    from harness.terminal.progress import progress

    path = file_to_make(out)
    refuse_overwriting(path, [Path(folder) / name for folder in folders for name in OWN])
    refuse_twice(folders)
    with progress() as shown:
        found = list(tune.samples([Path(folder) for folder in folders], per_game, seed, shown))
        games = len({sample.game for sample in found})
        shown.line(f"{len(found)} {noun(len(found), 'position')} of {games} {noun(games, 'game')}")
        data = tune.trace(sortie.beside(), found, shown)
        shown.line(f"{len(data.points)} of them are quiet")
        result = tune.fit(data, rounds, pull, seed, shown)
    names = " ".join(Path(folder).name for folder in folders)
    made = (
        f"Made by `gauntlet tune {names} --per-game {per_game} --rounds {rounds} --pull {pull:g} --seed {seed}` "
        f"from {games} of Sortie's games against itself: {result.positions} quiet positions, "
        f"{result.held_out} of other games held out. Loss {result.loss_before:.5f} -> {result.loss_after:.5f}, "
        f"held out {result.held_before:.5f} -> {result.held_after:.5f}."
    )
    note = (
        "Weights of the evaluation, (middlegame, endgame) in centipawns; squares run from a8 to h1 as a board is read.\n\n"
        f"{textwrap.fill(made, 120, break_on_hyphens=False)}\n"
    )
    store(path, tune.weights_file(data, result, note).encode())
    click.echo(
        f"{result.positions} positions, scale {result.scale:.3f}: loss {result.loss_before:.5f} -> {result.loss_after:.5f}, "
        f"held out {result.held_before:.5f} -> {result.held_after:.5f}; written to {out}"
    )
