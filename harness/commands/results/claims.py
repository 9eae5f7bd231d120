"""`gauntlet claims`: the old claims, what the runs have found, and how to repeat it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from harness.errors import BadInput


@click.command("claims", short_help="Show the old claims and what became of them.")
@click.argument("claim", required=False, metavar="[CLAIM]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option(
    "--play",
    "plays",
    is_flag=True,
    help="Play the games of CLAIM again; without CLAIM those of all claims, continuing where they stopped.",
)
@click.option(
    "--games", type=int, metavar="N", help="With --play: games per pairing, instead of the experiment's number."
)
@click.option(
    "--side",
    type=click.Choice(("own", "today")),
    help="With --play: in the engine the claim was made in (own, the default), or in today's Sortie.",
)
@click.option("--concurrency", type=int, metavar="N", help="With --play: games at a time.")
@click.option(
    "--out",
    metavar="DIR",
    help="With --play: results folder. A second experiment gets DIR-2; without CLAIM each gets a folder in DIR.",
)
@click.option(
    "--record",
    "recorded",
    metavar="PLACE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Enter a results folder, or what `gauntlet nodes --json` printed, into the register; may be repeated.",
)
@click.option(
    "--add",
    "added",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Add the games of a results folder to an entry of the register: same experiment and build, another seed.",
)
@click.option("--replace", is_flag=True, help="With --record: enter runs with fewer games than the register has, too.")
@click.option(
    "--write",
    "folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the pages of docs/findings anew to FOLDER, and README's part two folders above it.",
)
def command(
    claim: str | None,
    as_json: bool,
    plays: bool,
    games: int | None,
    side: str | None,
    concurrency: int | None,
    out: str | None,
    recorded: tuple[Path, ...],
    added: tuple[Path, ...],
    replace: bool,
    folder: Path | None,
) -> int:
    """List the 21 old claims with their verdicts.

    With CLAIM (C1 to C21) tell the story of one; with --play play its games again.
    """
    from harness.claims import catalogue, listing, register

    if not plays and any(one is not None for one in (games, side, concurrency, out)):
        raise BadInput("gauntlet claims: --games, --side, --concurrency and --out go with --play")
    if plays and as_json:
        raise BadInput(
            "gauntlet claims: --json tells what is published; gauntlet show DIR --json tells what --play has played"
        )
    if replace and not recorded:
        raise BadInput("gauntlet claims: --replace goes with --record")
    if recorded or added or folder is not None:
        if claim is not None or plays or as_json:
            raise BadInput("gauntlet claims: --record, --add and --write take no CLAIM, no --json and no --play")
        return _keep(recorded, added, replace, folder)
    if plays:
        return _play(claim, side or "own", {"games": games, "concurrency": concurrency}, out)
    known, found = catalogue.read(), register.read()
    chosen = known.claims if claim is None else (known.claim(claim),)
    if as_json:
        import json

        click.echo(json.dumps({"claims": [listing.as_json(one, found) for one in chosen]}, allow_nan=False))
    elif claim is None:
        listing.print_all(chosen, found)
    else:
        listing.print_story(chosen[0], found)
    return 0


def _keep(places: tuple[Path, ...], further: tuple[Path, ...], replace: bool, folder: Path | None) -> int:
    """Enters runs into the register, makes the pages."""
    from harness.claims import record, register
    from harness.claims.pages import findings

    found = register.read()
    told = []
    for place in places:
        told += [f"{place}: {key}" for key in dict.fromkeys(record.enter(found, place, replace))]
    for place in further:
        for key in record.add(found, place):
            match = found.matches[key]
            again = match.runs[-1].repeated
            left = f"; {again:,} from openings played before are left out" if again else ""
            told.append(f"{place}: {key}, now {match.games:,} games{left}")
    if places or further:
        found.write()
        found = register.read()  # in the order of the file, which pages follow
    if folder is not None:
        readme = folder.resolve().parent.parent / "README.md"
        written = findings.write(folder, readme if readme.exists() else None, found)
        told += [f"written: {path}" for path in written]
    for line in told:  # last, so that a reader who leaves early takes nothing with him
        click.echo(line)
    return 0


def _play(name: str | None, side: str, given: dict[str, int | None], out: str | None) -> int:
    """Plays the experiments behind a claim, or behind all, each with the variants that speak to a claim alone."""
    from harness.claims import catalogue, replay

    overrides: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if name is None:
        return replay.play_all(catalogue.read().claims, side, overrides, out or "results/claims")
    return replay.play(catalogue.read().claim(name), side, overrides, out)
