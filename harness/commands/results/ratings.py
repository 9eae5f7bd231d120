"""`gauntlet ratings`: one rating for each player from all games of one or more runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from harness.errors import BadInput, nearest

if TYPE_CHECKING:
    from harness.stats.ratings import Field

MODELS = ("ordo", "bayeselo", "logistic")


@click.command(name="ratings")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@click.option(
    "--model", default="logistic", show_default=True, help="ordo, bayeselo, or logistic (plain 400-point Elo)."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def command(folders: tuple[str, ...], model: str, as_json: bool) -> None:
    """Rate the whole field at once; players of the same name in several runs are taken for one.

    Ordo's and BayesElo's models fit white's advantage too. CFS: how sure it is that a player is better than the next.
    """
    from harness.analysis.summary import of_journal
    from harness.journal.journal import Reader
    from harness.stats import ratings

    if model not in MODELS:
        raise BadInput(f'--model must be ordo, bayeselo or logistic, not "{model}"{nearest(model, MODELS)}')
    names: dict[str, int] = {}
    counts: dict[tuple[int, int], list[int]] = {}
    for folder in folders:
        with Reader(folder) as reader:
            players = [names.setdefault(player.name, len(names)) for player in of_journal(reader).players]
            for row in reader.rows():
                if row.points is not None:
                    key = players[row.white], players[row.black]
                    counts.setdefault(key, [0, 0, 0])[int(2 - 2 * row.points)] += 1
    meetings = [ratings.Meeting(white, black, *wdl) for (white, black), wdl in counts.items()]
    if model == "bayeselo":
        field = ratings.bayes_elo(len(names), meetings)
    else:
        unit = ratings.ORDO if model == "ordo" else ratings.LOGISTIC
        field = ratings.score_model(len(names), meetings, unit, white_advantage=model == "ordo")
    rows = []
    for name, index in names.items():
        mine = [m for m in meetings if index in (m.white, m.black)]
        points = sum(m.points if m.white == index else m.games - m.points for m in mine)
        games = int(sum(m.games for m in mine))
        rows.append((index, name, field.ratings[index], field.errors[index], games, points))
    rows.sort(key=lambda row: (row[2] is None, -(row[2] or 0.0), row[1]))
    order = [row[0] for row in rows]
    if as_json:
        players_json = [
            {"name": name, "elo": elo, "elo_error": error, "games": games, "points": points}
            for _, name, elo, error, games, points in rows
        ]
        cfs = [[field.cfs[i][j] for j in order] for i in order]
        values = {"model": model, "players": players_json, "cfs": cfs, "advantage": field.advantage}
        click.echo(json.dumps({**values, "draw_rate": field.draw_rate, "draw_elo": field.draw_elo}, allow_nan=False))
        return
    _print(rows, field)


def _print(rows: list[tuple[int, str, float | None, float | None, int, float]], field: Field) -> None:
    from harness.tables.grid import Grid, console
    from harness.tables.summaries import bar

    names = ("player", "Elo (95 %)", "games", "points", "CFS over next")
    table = Grid({name: name != "player" for name in names})
    for place, (index, name, elo, error, games, points) in enumerate(rows):
        below = rows[place + 1][0] if place + 1 < len(rows) else None
        sure = field.cfs[index][below] if below is not None else None
        cells = [name, bar(elo, error), str(games), f"{points:g}", "-" if sure is None else f"{100 * sure:.1f} %"]
        table.add(cells)
    out = console()
    table.print(out)
    facts = []
    if field.advantage:
        facts.append(f"white's advantage {field.advantage:.1f}")
    if field.draw_rate is not None:
        facts.append(f"draws between equals {100 * field.draw_rate:.1f} %")
    if field.draw_elo is not None:
        facts.append(f"drawelo {field.draw_elo:.1f}")
    if facts:
        out.print(", ".join(facts))
