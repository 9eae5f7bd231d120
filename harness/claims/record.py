"""Enters finished runs into the register: results folders, node screens, counts of instructions."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from harness.analysis import summary as summaries
from harness.analysis.summary import PairingSummary, PlayerSummary, Summary
from harness.claims.register import WITHIN, Count, Match, Register, Screen
from harness.claims.repeats import without_repeats
from harness.engines import sortie
from harness.errors import BadInput
from harness.journal.distinct import line_of
from harness.journal.journal import FILE as JOURNAL
from harness.journal.journal import Reader
from harness.journal.record import UNREADABLE
from harness.spec import reader as experiments
from harness.spec.designs import unswept
from harness.spec.settings import Experiment
from harness.tables.verdict import limit_words

Row = TypeVar("Row", Screen, Count)


def enter(register: Register, place: Path, replace: bool = False) -> list[str]:
    """Enters what lies at `place`, replacing what the register had under the same keys; returns the keys.

    A place is a results folder, the output of `gauntlet nodes SPEC --json`, or that of benchmarks/instructions.py. More games
    give way to fewer only where `replace` says so. Raises BadInput.
    """
    if (place / JOURNAL).exists():
        found = Register()
        keys = _run(found, place)
        for key, match in found.matches.items():
            known = register.matches.get(key)
            if known is not None and match.games < known.games and not replace:
                raise BadInput(
                    f"{place}: {key} has {match.games:,} games, the register {known.games:,}; --add adds games of another "
                    "seed, --replace takes the fewer"
                )
        _take(register, found)
        return keys
    if not place.is_file():
        raise BadInput(f"{place}: neither a results folder nor a file that gauntlet nodes --json has written")
    try:
        data = json.loads(place.read_text(encoding="utf-8").strip().splitlines()[-1])
        found = Register()
        keys = _counts(found, data) if "instructions" in data else _screen(found, data, place.stem, None, 1)
        _take(register, found)
        return keys
    except (ValueError, KeyError, TypeError, IndexError):
        raise BadInput(f"{place}: is neither a node screen nor a count of instructions") from None


def _take(register: Register, found: Register) -> None:
    register.screens = _renewed(register.screens, found.screens)
    register.counts = _renewed(register.counts, found.counts)
    register.matches |= found.matches


def _renewed(known: Mapping[str, Row], found: Mapping[str, Row]) -> dict[str, Row]:
    """The rows with those found, without those of variants that an experiment which was measured anew has no more."""
    anew = {one.experiment for one in found.values()}
    shipped = {f"{name}/{player.name}" for name in anew for player in experiments.load(name, check=False).named}
    return {key: one for key, one in known.items() if one.experiment not in anew or key in shipped} | dict(found)


def add(register: Register, folder: Path) -> list[str]:
    """Adds the games of a further run, of another seed, to those in the register; returns the keys. Raises BadInput.

    Games that the register has already, move for move, are not counted again.
    """
    if not (folder / JOURNAL).exists():
        raise BadInput(f"{folder}: is no results folder; games alone can be added to games")
    further = Register()
    _run(further, folder)
    with Reader(folder) as reader:
        played, rows = summaries.of_journal(reader), list(reader.rows())
    for key, match in further.matches.items():
        known = register.matches.get(key)
        if known is not None:
            known.refuse_all_but_seed(match)
            match = without_repeats(match, known.runs, played, rows)
            plan = experiments.load(match.experiment, check=False)
            match = known.joined(match, plan.games, plan.decide.least if plan.decide is not None else None)
        register.matches[key] = match
    return list(further.matches)


def bench_of(experiment: Experiment, meta: Mapping[str, str]) -> int | None:
    """The bench signature of the engine that played, by its run; of a run that does not say it, by the engine as it is now."""
    if meta.get("bench", "").isdecimal():
        return int(meta["bench"])
    base = experiment.sortie_base
    return None if base is None else sortie.bench(base.command)


def _as_shipped(experiment: Experiment, where: Path) -> Experiment:
    """The shipped experiment that was played; a run of part of its variants bears them behind a dot.

    Raises BadInput unless the run is what the shipped file says, but for how many games it has, at a time, by which seed.
    """
    name = experiment.name.partition(".")[0]
    if name not in experiments.shipped_experiments():
        raise BadInput(f'{where}: plays "{experiment.name}"; the register holds shipped experiments alone')
    shipped = experiments.load(name)
    if changed := _changed(experiment, shipped):
        raise BadInput(f"{where}: {changed} {'is' if changed[-1] != 's' else 'are'} not as in the shipped {name}")
    return shipped


def _changed(played: Experiment, shipped: Experiment) -> str:
    """What tells a run from the shipped experiment of its name; empty where nothing does."""
    for key in ("kind", "sweep", "limit", "max_moves", "paired", "chess960", "adjudication"):
        if getattr(played, key) != getattr(shipped, key):
            return f"its {key.replace('_', ' ')}"
    ours, theirs = played.openings, shipped.openings
    if (ours.sha256, ours.order, ours.plies, ours.start) != (theirs.sha256, theirs.order, theirs.plies, theirs.start):
        return "its openings"
    if (played.decide and played.decide.within) != (shipped.decide and shipped.decide.within):
        return "its [decide]"
    if played.named[played.base].name != shipped.named[shipped.base].name:
        return "its base"
    if played.kind == "factorial" and len(played.named) != len(shipped.named):
        return "its variants"
    known = {player.name: player for player in shipped.named}
    for player in played.named:
        twin = known.get(player.name)
        if twin is None or (player.limit, dict(player.options)) != (twin.limit, dict(twin.options)):
            return player.name
    return ""


def _run(register: Register, folder: Path) -> list[str]:
    experiment, summary, screen = summaries.read(folder)
    shipped = _as_shipped(experiment, folder)
    name = shipped.name
    with Reader(folder) as reader:
        meta = dict(reader.meta)
        began = min((run.began for run in reader.runs()), default=time.time())
        whole = experiment.kind == "factorial"
        hashes = [hash_of_games(reader, None if whole else number) for number in range(len(summary.pairings))]
    bench = bench_of(experiment, meta)
    keys = []
    for pairing, games in zip(summary.pairings, hashes, strict=True):
        if pairing.played == 0:
            continue
        key = f"{name}/{pairing.a}"
        chosen = "" if whole else f" --only {unswept(pairing.a, experiment.sweep)}"
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
            ended=pairing.verdict is not None or pairing.played >= shipped.games,
            within=experiment.decide.within if experiment.decide is not None else WITHIN,
            depth=_depth(summary, pairing.a),
            base_depth=_depth(summary, pairing.b),
            seed=experiment.seed,
            bench=bench,
            version=meta.get("version", ""),
            played=time.strftime("%Y-%m-%d", time.gmtime(began)),
            command=f"gauntlet run {name}{chosen} --games {pairing.played} --seed {experiment.seed}",
            hash=games,
            openings=f"{experiment.openings.file.name} {experiment.openings.sha256[:16]}",
        )
        keys.append(key)
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


def hash_of_games(reader: Reader, pairing: int | None = None) -> str:
    """SHA-256 over the players, openings and moves of the games of a pairing (None: of all) in the order of their pairs.

    The same games at fixed nodes have the same, whatever else was played beside them.
    """
    digest = hashlib.sha256()
    names = dict(reader.query("SELECT id, name FROM players"))
    query = (
        "SELECT id, pairing, pair, leg, white, black, result, fen, line FROM games "
        "WHERE ? IS NULL OR pairing = ? ORDER BY pairing, pair, leg"
    )
    for number, among, pair, leg, white, black, *values in reader.query(query, (pairing, pairing)):
        try:
            made = line_of(reader.packed_moves(number))
        except UNREADABLE:
            raise reader.damaged(number) from None
        facts = (among if pairing is None else 0, pair, leg, names[white], names[black], *values, made, "")
        digest.update(" ".join(map(str, facts)).encode())
    return digest.hexdigest()


def _screen(register: Register, found: Mapping[str, Any], name: str, bench: int | None, seed: int) -> list[str]:
    """The rows of a node screen."""
    if name not in experiments.shipped_experiments():
        raise BadInput(f'a node screen of "{name}": the file must bear the name of the shipped experiment')
    base = found["base_figures"]
    bench = found.get("bench", bench)
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
