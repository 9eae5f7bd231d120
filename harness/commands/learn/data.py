"""`gauntlet data`: positions to train a network on, played for it or read from finished runs; shuffled and checked."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.commands._values import Within
from harness.commands.learn._epochs import line_of_progress
from harness.errors import BadInput
from harness.files import file_to_make, named, refuse_overwriting, refuse_twice
from harness.terminal.numbers import duration, noun
from harness.terminal.words import is_screen, redraw, say

if TYPE_CHECKING:
    from harness.training.blend import Blend
    from harness.training.collect import Progress
    from harness.training.plan import DataPlan

# The options that belong to each way of getting positions.
BELONGING = {
    "play": ("out", "positions", "nodes", "seed", "concurrency", "cluster"),
    "from": ("out", "journals"),
    "shuffle": ("out", "shuffle", "seed"),
    "blend": ("out", "blend", "share", "men", "terms", "networks", "concurrency"),
    "teacher": ("out", "blend", "share", "men", "teacher"),
    "check": ("check",),
}
EVERY = 10.0  # seconds between two lines of progress, on a terminal one
HOUR = 3600


@click.command(name="data", short_help="Make positions to train a network on.")
@click.argument("files", metavar="[SPEC | FILES...]", nargs=-1)
@click.option("--out", metavar="FILE", help="File for the positions; one that was begun is continued.")
@click.option("--positions", type=click.IntRange(1, 10**9), help="Number of positions, instead of [data] positions.")
@click.option("--nodes", type=click.IntRange(1, 10**9), help="Nodes per search, instead of [data] nodes.")
@click.option(
    "--seed", type=click.IntRange(0, 10**9), help="Seed, instead of [data] seed; with --shuffle that of the order."
)
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Games at a time; default: one per processor core.")
@click.option("--cluster", metavar="ADDRESS|local:N", help="Play on the workers of a Dask cluster.")
@click.option("--from", "journals", is_flag=True, help="FILES are results folders: take the positions of their games.")
@click.option("--shuffle", is_flag=True, help="FILES are files of positions: write them to --out in random order.")
@click.option("--blend", is_flag=True, help="FILES are files of positions: mix their scores with static ones.")
@click.option(
    "--share",
    type=Within(0, 1),
    default=0.5,
    show_default=True,
    help="With --blend: weight of the static score; the rest is the position's own score.",
)
@click.option(
    "--terms",
    type=Within(0, 1),
    default=0.4,
    show_default=True,
    help="With --blend: weight of the hand-written terms in the static score.",
)
@click.option(
    "--network",
    "networks",
    multiple=True,
    metavar="NET",
    help="With --blend: network for the rest of the static score, may be repeated; default: the shipped one.",
)
@click.option(
    "--teacher", metavar="TEACHER", help="With --blend: take the static score from this network of gauntlet teach."
)
@click.option(
    "--men",
    type=click.IntRange(0, 32),
    default=0,
    show_default=True,
    help="With --blend: positions with fewer men keep their own score.",
)
@click.option(
    "--check", is_flag=True, help="FILES are files of positions: check every position and describe the files."
)
def command(
    files: tuple[str, ...],
    out: str | None,
    positions: int | None,
    nodes: int | None,
    seed: int | None,
    concurrency: int | None,
    cluster: str | None,
    journals: bool,
    shuffle: bool,
    blend: bool,
    share: float,
    terms: float,
    networks: tuple[str, ...],
    teacher: str | None,
    men: int,
    check: bool,
) -> None:
    """Have Sortie play itself and keep the quiet positions of its games, to train a network on.

    SPEC is a TOML file with a table [data] (positions, nodes, random_plies, seed, strays, book, balance) and, for
    options, [base]. The same SPEC and build give the same file, whatever the number of processes; after any stop the same
    command continues it. docs/network.md describes every step to a network.
    """
    if journals + shuffle + blend + check > 1:
        raise BadInput("gauntlet data: --from, --shuffle, --blend and --check exclude each other")
    way = "from" if journals else "shuffle" if shuffle else "blend" if blend else "check" if check else "play"
    way = "teacher" if blend and teacher else way
    _refuse_foreign_options(way)
    if way != "play" and not files:
        raise BadInput("gauntlet data: name the folders or files to read")
    if check:
        for file in files:
            _check(file)
        return
    if out is None:
        raise BadInput("gauntlet data: --out FILE is missing: where the positions go")
    from harness.spec.reader import cores

    path = file_to_make(out)
    networks, teacher = tuple(str(named(net)) for net in networks), str(named(teacher)) if teacher else ""
    _spare(path, way, (*files, *networks, *([teacher] if teacher else [])))
    if blend:
        from harness.training.blend import Blend

        _blend(
            [Path(file) for file in files], path, Blend(share, terms, networks, teacher, men), concurrency or cores()
        )
        return
    if shuffle:
        _shuffle([Path(file) for file in files], path, 1 if seed is None else seed)
        return
    if journals:
        refuse_twice(files)
        _take([Path(name) for name in files], path)
        return
    from harness.training.plan import load

    if len(files) > 1:
        raise BadInput(f"gauntlet data: one SPEC at most, not {len(files)}")
    plan = load(files[0] if files else None)
    plan = dataclasses.replace(
        plan,
        positions=plan.positions if positions is None else positions,
        nodes=plan.nodes if nodes is None else nodes,
        seed=plan.seed if seed is None else seed,
    )
    _play(plan, path, concurrency, cluster)


def _spare(out: Path, way: str, read: Sequence[str]) -> None:
    """Raises BadInput if the file to be made, or its record, is one that is read."""
    from harness.training.collect import record_path

    names = [Path(name) for name in read]
    if way == "from":
        from harness.journal.journal import OWN

        names = [folder / name for folder in names for name in OWN]
    for written in (out, record_path(out)):
        refuse_overwriting(written, names)


def _refuse_foreign_options(way: str) -> None:
    """Raises BadInput for an option on the command line that belongs to another way of getting positions."""
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
        if isinstance(option, click.Option) and given and option.name not in BELONGING[way]:
            told = "without --blend" if way == "play" else f"with --{way}"
            raise BadInput(f"gauntlet data: {option.opts[0]} means nothing {told}")


def _take(folders: list[Path], out: Path) -> None:
    from harness.training.collect import from_journals, record_origin, refuse_played
    from harness.training.positions import write

    refuse_played(out)
    written = write(out, from_journals(folders))
    record_origin(out, {"from": [folder.resolve().name for folder in folders], "positions": written})
    click.echo(f"{written} {noun(written, 'position')} in {out}")


def _shuffle(files: list[Path], out: Path, seed: int) -> None:
    from harness.training.card import data_records
    from harness.training.collect import record_origin, refuse_played
    from harness.training.positions import shuffle

    refuse_played(out)
    origin = {"shuffled": {"seed": seed}, "of": data_records(files)}
    written = shuffle(files, out, seed)
    record_origin(out, origin)
    click.echo(f"{written} {noun(written, 'position')}, shuffled, in {out}")


def _play(plan: DataPlan, out: Path, concurrency: int | None, cluster: str | None) -> None:
    from harness.spec.reader import cores
    from harness.training import selfplay
    from harness.training.collect import collect

    signature = selfplay.bench(plan.command)
    here = selfplay.local(plan, concurrency or cores()) if cluster is None else None
    context = here or selfplay.on_cluster(plan, cluster or "", signature, concurrency)
    with context as source, line_of_progress():
        done = collect(out, plan, signature, source, _display(plan.positions))
    if is_screen(sys.stderr):
        say("", sys.stderr)
    hours = done.seconds / HOUR
    rate = (
        f": {done.games / hours:,.0f} games and {done.positions / hours:,.0f} positions a processor hour"
        if hours
        else ""
    )
    click.echo(
        f"{done.positions} {noun(done.positions, 'position')} of {done.games} {noun(done.games, 'game')} in {out}{rate}"
    )


def _pace() -> Callable[[], bool]:
    """Says when it is time for another line of progress: every EVERY seconds, on a terminal twice a second."""
    last = time.monotonic()

    def due() -> bool:
        nonlocal last
        now = time.monotonic()
        if now < last + (0.5 if is_screen(sys.stderr) else EVERY):
            return False
        last = now
        return True

    return due


def _display(wanted: int) -> Callable[[Progress], None]:
    """Says how far it is and how fast, from now on."""
    began, due = time.monotonic(), _pace()
    start: int | None = None

    def show(progress: Progress) -> None:
        nonlocal start
        start = progress.positions if start is None else start
        if not due():
            return
        rate = (progress.positions - start) / (time.monotonic() - began)
        left = duration(max(0, wanted - progress.positions) / rate if rate else None)
        share = min(100.0, 100 * progress.positions / wanted)
        redraw(
            f"games {progress.games:,}  positions {progress.positions:,} of {wanted:,} ({share:.1f} %)  "
            f"{rate * HOUR:,.0f} an hour  left {left}"
        )

    return show


def _blend(files: list[Path], out: Path, how: Blend, slots: int) -> None:
    from harness.training.blend import blend

    due = _pace()

    def show(done: int) -> None:
        if due():
            redraw(f"positions {done:,}")

    with line_of_progress():
        written = blend(files, out, how, slots, show)
    if is_screen(sys.stderr):
        say("", sys.stderr)
    source = "teacher" if how.teacher else "static evaluation"
    click.echo(f"{written} {noun(written, 'position')}, {how.share:g} of each score from the {source}, in {out}")


def _check(file: str) -> None:
    from harness.training.positions import check

    found = check(file)
    games = "all of one game" if found.games == 1 else f"in {found.games:,} stretches of one game each"
    click.echo(
        f"{file}: {found.positions:,} {noun(found.positions, 'position')}, {games}; "
        f"White won {found.won:.1%}, drew {found.drawn:.1%}, lost {found.lost:.1%}"
    )
    click.echo(f"  scores {found.score_mean:+.1f} ± {found.score_deviation:.1f} centipawns (side to move)")
    shares = "  ".join(f"{4 * place + 1}-{4 * place + 4}: {share:.1%}" for place, share in enumerate(found.pieces))
    click.echo(f"  pieces  {shares}")
    click.echo(f"  positions that stood there before: {found.repeated:.1%}")
    if found.strays:
        click.echo(f"  strays, positions beside the games: {found.strays:,}")
