"""`gauntlet verify`: proves that a run can be replayed move for move."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("verify", short_help="Replay the games of a run and compare them move for move.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--games", type=click.IntRange(min=1), metavar="N", help="Replay only the first N.")
@click.option(
    "--concurrency", type=click.IntRange(min=1), metavar="N", help="Games at a time (default: as in the run)."
)
def command(folder: Path, games: int | None, concurrency: int | None) -> int:
    """Replay the games in DIR that were played at fixed nodes or depth. Exit status 1 if one of them differs."""
    import sys

    from harness.run.verify import verify
    from harness.terminal.numbers import noun
    from harness.terminal.progress import progress

    with progress(sys.stdout) as shown:
        report = verify(folder, shown, concurrency, games)
    left_out = f", {report.left_out} left out (played by the clock, or ended by a fault)" if report.left_out else ""
    click.echo(f"{report.same} {noun(report.same, 'game')} replayed move for move, {report.different} differ{left_out}")
    return report.interrupted or (1 if report.different else 0)
