"""`gauntlet ratings`: one rating for each player from all games of one or more runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.commands.results._rename import with_rename
from harness.errors import BadInput, nearest
from harness.terminal.numbers import plain

if TYPE_CHECKING:
    from harness.analysis.summary import PlayerSummary
    from harness.stats.ratings import Field, Meeting

MODELS = ("ordo", "bayeselo", "logistic")


@click.command(name="ratings", short_help="Rate all players of one or more runs together.")
@click.argument("paths", metavar="DIR|FILE.pgn...", nargs=-1, required=True)
@with_rename
@click.option(
    "--model",
    default="logistic",
    show_default=True,
    help="Rating model: ordo, bayeselo, or logistic (plain 400-point Elo).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object as the last line.")
def command(paths: tuple[str, ...], rename: tuple[str, ...], model: str, as_json: bool) -> None:
    """Rate all players together; players of the same name in several runs count as one.

    PGN files may come from any program: two games of one opening with colours swapped count as a pair.

    Ordo's and BayesElo's models fit White's advantage too. CFS is the confidence that a player is better than the next.
    """
    from harness.analysis.summary import ranked
    from harness.journal.foreign import rename_rule, results
    from harness.stats import ratings

    if model not in MODELS:
        raise BadInput(f'--model must be ordo, bayeselo or logistic, not "{model}"{nearest(model, MODELS)}')
    players: dict[str, PlayerSummary] = {}
    with results(paths, [rename_rule(text) for text in rename]) as folders:
        meetings = _meetings(folders, players, by_colour=model != "logistic")
    if model == "bayeselo":
        from harness.stats.bayeselo import bayes_elo

        field = bayes_elo(len(players), meetings)
    else:
        unit = ratings.ORDO if model == "ordo" else ratings.LOGISTIC
        field = ratings.score_model(len(players), meetings, unit, white_advantage=model == "ordo")
    for player, elo, error in zip(players.values(), field.ratings, field.errors, strict=True):
        player.elo, player.elo_error = elo, error
    rows = ranked(players.values())
    order = [list(players).index(player.name) for player in rows]
    if as_json:
        players_json = [
            {"name": p.name, "elo": p.elo, "elo_error": p.elo_error, "games": p.games, "points": p.points} for p in rows
        ]
        cfs = [[field.cfs[i][j] for j in order] for i in order]
        values = {"model": model, "players": players_json, "cfs": cfs, "advantage": field.advantage}
        click.echo(json.dumps({**values, "draw_rate": field.draw_rate, "draw_elo": field.draw_elo}, allow_nan=False))
        return
    _print(rows, order, field)


def _meetings(folders: Sequence[Path], players: dict[str, PlayerSummary], by_colour: bool) -> list[Meeting]:
    """The games of all runs as the models want them; fills `players`, by name, with their counts.

    Where colours count, a pairing is two meetings, and the variance of its pairs is shared between them.
    """
    from harness.analysis import summary as summaries
    from harness.journal.journal import Reader
    from harness.stats.ratings import Meeting

    found = []
    for folder in folders:
        with Reader(folder) as reader:
            experiment = summaries.of_journal(reader)
            if experiment.kind in ("factorial", "spsa"):
                raise BadInput(
                    f"{folder}: the engines of kind {experiment.kind} change from match to match and are no field to be "
                    f"rated; gauntlet show {folder} has what it says"
                )
            rows = list(reader.rows())
            run = summaries.count(experiment, rows)
        for one in run.players:
            mine = players.setdefault(one.name, summaries.PlayerSummary(one.name))
            for field in ("games", "wins", "draws", "losses", "points"):
                setattr(mine, field, getattr(mine, field) + getattr(one, field))
        index = {name: place for place, name in enumerate(players)}
        whole = summaries.meetings(index, run.pairings)
        if not by_colour:
            found += whole
            continue
        counts: dict[tuple[int, int], list[int]] = {}
        names = [index[player.name] for player in experiment.players]
        for row in rows:
            if row.points is not None:
                counts.setdefault((names[row.white], names[row.black]), [0, 0, 0])[int(2 - 2 * row.points)] += 1
        for meeting in whole:
            couple = (meeting.white, meeting.black), (meeting.black, meeting.white)
            parts = [Meeting(*key, *counts[key]) for key in couple if key in counts]
            spread = sum(part.spread() for part in parts)
            for part in parts:
                share = part.spread() / spread if spread else part.games / meeting.games
                found.append(replace(part, variance=meeting.spread() * share))
    return found


def _print(rows: list[PlayerSummary], order: list[int], field: Field) -> None:
    from harness.tables.grid import Grid, console
    from harness.tables.numbers import probability, rating

    names = ("player", "Elo (95 %)", "games", "points", "CFS over next")
    table = Grid({name: name != "player" for name in names})
    for place, player in enumerate(rows):
        sure = field.cfs[order[place]][order[place + 1]] if place + 1 < len(rows) else None
        counts = (player.wins, player.draws, player.losses)
        cells = [player.name, rating(player.elo, player.elo_error, counts), str(player.games), plain(player.points)]
        table.add([*cells, "-" if sure is None else probability(sure)])
    out = console()
    table.print(out)
    facts = []
    if field.advantage:
        facts.append(f"white's advantage {round(field.advantage, 1) + 0.0:.1f}")  # never -0.0
    if field.draw_rate is not None:
        facts.append(f"draws between equals {100 * field.draw_rate:.1f} %")
    if field.draw_elo is not None:
        facts.append(f"drawelo {field.draw_elo:.1f}")
    if facts:
        out.print(", ".join(facts))
