"""Enters finished runs into the register: results folders, node screens, counts of instructions."""

from __future__ import annotations

import hashlib
import json
import subprocess
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from harness.analysis import summary as summaries
from harness.analysis.screen_file import read_screen
from harness.analysis.summary import PairingSummary, PlayerSummary, Summary
from harness.claims.register import WITHIN, Count, Match, Register, Screen
from harness.errors import BadInput
from harness.journal.distinct import line_of
from harness.journal.journal import FILE as JOURNAL
from harness.journal.journal import Reader
from harness.journal.record import UNREADABLE
from harness.spec import reader as experiments
from harness.spec.designs import unswept
from harness.spec.settings import Experiment
from harness.tables.summaries import limit_words

BENCH_SECONDS = 600


def enter(register: Register, place: Path) -> list[str]:
    """Enters what lies at `place`, replacing what the register had under the same keys; returns the keys.

    A place is a results folder, the output of `gauntlet nodes SPEC --json`, or that of benchmarks/instructions.py. Raises BadInput.
    """
    if (place / JOURNAL).exists():
        return _run(register, place)
    if not place.is_file():
        raise BadInput(f"{place}: neither a results folder nor a file that gauntlet nodes --json has written")
    try:
        data = json.loads(place.read_text(encoding="utf-8").strip().splitlines()[-1])
        if "instructions" in data:
            return _counts(register, data)
        return _screen(register, data, place.stem, None, 1)
    except (ValueError, KeyError, TypeError, IndexError):
        raise BadInput(f"{place}: is neither a node screen nor a count of instructions") from None


def add(register: Register, folder: Path) -> list[str]:
    """Adds the games of a further run, of another seed, to those in the register; returns the keys. Raises BadInput."""
    if not (folder / JOURNAL).exists():
        raise BadInput(f"{folder}: is no results folder; games alone can be added to games")
    further = Register()
    _run(further, folder)
    for key, match in further.matches.items():
        known = register.matches.get(key)
        if known is not None:
            match = known.joined(match, experiments.load(match.experiment, check=False).games_each)
        register.matches[key] = match
    return list(further.matches)


def bench_of(experiment: Experiment) -> int | None:
    """The bench signature of the engine that played, asked for now; None if the engine is gone."""
    base = experiment.sortie_base
    return None if base is None else _bench(tuple(base.command))


@cache
def _bench(command: tuple[str, ...]) -> int | None:
    try:
        done = subprocess.run(
            [*command, "bench", "--json"], capture_output=True, text=True, timeout=BENCH_SECONDS, check=True
        )
        return int(json.loads(done.stdout.strip().splitlines()[-1])["nodes"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, IndexError):
        return None


def _shipped(experiment: Experiment, where: Path) -> str:
    """The name of the shipped experiment that was played; a run of part of its variants bears them behind a dot."""
    name = experiment.name.partition(".")[0]
    if name not in experiments.shipped_experiments():
        raise BadInput(f'{where}: plays "{experiment.name}"; the register holds shipped experiments alone')
    return name


def _run(register: Register, folder: Path) -> list[str]:
    experiment, summary, screen = summaries.read(folder)
    name = _shipped(experiment, folder)
    with Reader(folder) as reader:
        meta, games = dict(reader.meta), hash_of_games(reader)
        began = min((run.began for run in reader.runs()), default=time.time())
    bench = bench_of(experiment)
    over = summary.state == "done"
    keys = []
    for pairing in summary.pairings:
        if pairing.played == 0:
            continue
        key = f"{name}/{pairing.a}"
        register.matches[key] = Match(
            experiment=name,
            variant=pairing.a,
            base=pairing.b,
            kind=experiment.kind,
            limit=_limit(experiment, pairing),
            games=pairing.played,
            wins=pairing.wins,
            draws=pairing.draws,
            losses=pairing.losses,
            pairs=tuple(pairing.pentanomial),
            ended=over or pairing.verdict is not None,
            within=experiment.decide.within if experiment.decide is not None else WITHIN,
            depth=_depth(summary, pairing.a),
            base_depth=_depth(summary, pairing.b),
            seed=experiment.seed,
            bench=bench,
            version=meta.get("version", ""),
            played=time.strftime("%Y-%m-%d", time.gmtime(began)),
            command=f"gauntlet run {name}"
            + (f" --only {unswept(pairing.a, experiment.sweep)}" if experiment.kind != "factorial" else ""),
            hash=games,
        )
        keys.append(key)
    if screen is None:
        screen = read_screen(folder)
    if screen is not None:
        keys += _screen(register, screen, name, bench, experiment.seed)
    return keys


def _limit(experiment: Experiment, pairing: PairingSummary) -> str:
    """The limit of a pairing, in words."""
    for limit in experiment.sweep:
        if unswept(pairing.a, (limit,)) != pairing.a:
            return limit_words(limit)
    player = next((one for one in experiment.players if one.name == pairing.a), None)
    return limit_words(player.limit if player is not None else experiment.limit)


def _depth(summary: Summary, name: str) -> float | None:
    found: PlayerSummary | None = next((player for player in summary.players if player.name == name), None)
    return round(found.depth, 3) if found is not None and found.depth is not None else None


def hash_of_games(reader: Reader) -> str:
    """SHA-256 over the players, openings and moves of all games in their order: the same run to fixed nodes has the same."""
    digest = hashlib.sha256()
    query = (
        "SELECT games.id, games.white, games.black, games.result, games.fen, games.line FROM games ORDER BY games.id"
    )
    for number, *values in reader.query(query):
        try:
            made = line_of(reader.packed_moves(number))
        except UNREADABLE:
            raise reader.damaged(number) from None
        digest.update(" ".join(map(str, [number, *values, made, ""])).encode())
    return digest.hexdigest()


def _screen(register: Register, found: Mapping[str, Any], name: str, bench: int | None, seed: int) -> list[str]:
    """The rows of a node screen."""
    if name not in experiments.shipped_experiments():
        raise BadInput(f'a node screen of "{name}": the file must bear the name of the shipped experiment')
    base = found["base_figures"]
    if bench is None:
        bench = next((one.bench for one in register.matches.values() if one.experiment == name), None)
    keys = []
    for row in found["variants"]:
        key = f"{name}/{row['name']}"
        register.screens[key] = Screen(
            experiment=name,
            variant=row["name"],
            base=found["base"],
            depth=found["depth"],
            positions=found["positions"],
            ratio=round(row["ratio"], 4),
            low=round(row["low"], 4),
            high=round(row["high"], 4),
            ebf2=_rounded(row["ebf2"]),
            base_ebf2=_rounded(base["ebf2"]),
            first_move=_rounded(row["first_move_cutoffs"]),
            researches=_rounded(row["researches"]),
            hash_cutoffs=_rounded(row["hash_cutoffs"]),
            seed=seed,
            bench=bench,
            command=f"gauntlet nodes {name}",
            base_researches=_rounded(base.get("researches")),
        )
        keys.append(key)
    return keys


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _counts(register: Register, data: Mapping[str, Any]) -> list[str]:
    keys = []
    for row in data["instructions"]:
        key = f"{row['experiment']}/{row['variant']}"
        register.counts[key] = Count(**row)
        keys.append(key)
    return keys
