"""Reads an experiment: checks the TOML file and turns it into values. `players` reads the players, `writer` writes it back."""

from __future__ import annotations

import hashlib
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from harness.books.tablebase import fault_of
from harness.engines import sortie
from harness.errors import BadInput, nearest, suggestion
from harness.files import named
from harness.model import Limit, Player
from harness.spec import designs, endings, keys, tuning
from harness.spec.players import PlayerReader
from harness.spec.settings import (
    DYNAMIC_KINDS,
    Adjudication,
    Claim,
    Experiment,
    OpeningSettings,
    Screen,
    Tournament,
)
from harness.spec.toml_table import Table, decoded, show, tables

STATIC_KINDS = ("gauntlet", "roundrobin", "match")
KINDS = (*STATIC_KINDS, "factorial", *DYNAMIC_KINDS, "spsa")
MOST_GAMES, MOST_DEALT = 10**12, 100_000  # games of a pairing; kinds with rounds hold all games of a round in memory
ORDERS = ("random", "sequential")
SIDES = ("both", "loser", "winner")

TOURNAMENT_KEYS = {
    "rounds": "swiss",
    "tiebreaks": "knockout",
    "divisions": "league",
    "promote": "league",
    "seasons": "league",
}
MEASURES = ("nodes", "time", "hash", "branching", "window", "elo")

PACKAGE = Path(__file__).resolve().parents[1]
SHIPPED_EXPERIMENTS = PACKAGE / "experiments"
SHIPPED_OPENINGS = PACKAGE.parent / "openings"
DEFAULT_BOOK, DEFAULT_BOOK_960 = "sortie.tsv", "chess960.epd"


def shipped_experiments() -> list[str]:
    """The names that `gauntlet run NAME` knows."""
    return sorted(path.stem for path in SHIPPED_EXPERIMENTS.glob("*.toml"))


def find(spec: str) -> Path:
    """The file that SPEC names: a path, or the name of a shipped experiment. Raises BadInput."""
    path = Path(spec)
    if path.is_file():
        return path
    named = path.name == spec and path.suffix != ".toml"
    shipped = SHIPPED_EXPERIMENTS / f"{spec}.toml"
    if named and shipped.is_file():
        return shipped  # also where a folder has its name, such as that of its results
    if path.is_dir():
        raise BadInput(f"{spec}: is a folder, not an experiment file")
    if named:
        hint = nearest(spec, shipped_experiments())
        raise BadInput(f'no file and no shipped experiment "{spec}"{hint or "."} {_what_there_is()}')
    raise BadInput(f"{spec}: {'is no regular file' if path.exists() else 'no such file'}")


def _what_there_is() -> str:
    """The shipped experiments in a sentence, with only the number of those about the old claims."""
    names = shipped_experiments()
    plain = [name for name in names if "-" not in name]
    return f"Shipped are {', '.join(plain)} and {len(names) - len(plain)} about the old claims; gauntlet experiments lists them"


def description(name: str) -> str:
    """A line on the purpose of a shipped experiment: the claim that it tests, else its first sentence."""
    text = (SHIPPED_EXPERIMENTS / f"{name}.toml").read_text(encoding="utf-8")
    claim = tomllib.loads(text).get("claim")
    if isinstance(claim, Mapping):
        place = " (in today's Sortie)" if name.endswith("-modern") else ""
        return f"{claim['id']}: {claim['text']}{place}"
    comment = " ".join(line.lstrip("# ") for line in takewhile(lambda line: line.startswith("#"), text.splitlines()))
    return comment.partition(". ")[0].removesuffix(".") + "."


def load(
    spec: str | Path,
    overrides: Mapping[str, object] | None = None,
    check: bool = True,
    ask: sortie.Ask = sortie.ask,
    only: Sequence[str] = (),
) -> Experiment:
    """The experiment in a file or shipped under a name.

    `overrides` replace keys of [experiment] (from the command line), `only` names the variants that take part (empty: all). With
    `check` everything that a run needs is checked: programs exist, Sortie knows the options, the opening file is valid;
    without it only the file itself is read. `ask` asks a Sortie for its options.
    Raises BadInput with one line for the first mistake.
    """
    path = find(str(spec))
    label = str(spec) if Path(spec) == path else path.name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{label}: cannot be read: {error.strerror}") from None
    return parse(decoded(data, label), label, path.resolve().parent, path.stem, overrides, check, ask, only)


def parse(
    text: str,
    label: str,
    folder: Path,
    stem: str = "experiment",
    overrides: Mapping[str, object] | None = None,
    check: bool = True,
    ask: sortie.Ask = sortie.ask,
    only: Sequence[str] = (),
) -> Experiment:
    """As `load`, from the text of a file that is (or would be) in `folder`; `label` begins every message."""
    data = tables(text, label)
    return of_tables(_only(data, only, label) if only else data, label, folder, stem, overrides, check, ask)


def _only(data: Mapping[str, object], names: Sequence[str], label: str) -> dict[str, object]:
    """The tables with only the named variants."""
    variants = data.get("variants")
    known = dict(variants) if isinstance(variants, Mapping) else {}
    for name in names:
        if name not in known:
            raise BadInput(f'{label}: no variant "{name}"{suggestion(name, known)}')
    return {**data, "variants": {name: table for name, table in known.items() if name in names}}


def of_tables(
    data: Mapping[str, object],
    label: str,
    folder: Path,
    stem: str = "experiment",
    overrides: Mapping[str, object] | None = None,
    check: bool = True,
    ask: sortie.Ask = sortie.ask,
    options: Mapping[str, str] | None = None,
) -> Experiment:
    """As `load`, from tables that never were a file, such as those of a match on the command line.

    `options` are the words of that line by the key of [experiment] that they set.
    """
    return _Reader(label, folder, data, dict(overrides or {}), check, ask, options).experiment(stem)


class _Reader:
    """The reading of one file, table by table."""

    def __init__(
        self,
        label: str,
        folder: Path,
        data: Mapping[str, object],
        overrides: dict[str, object],
        check: bool,
        ask: sortie.Ask,
        options: Mapping[str, str] | None,
    ) -> None:
        self.label, self.folder, self.data, self.check, self.ask = label, folder, data, check, ask
        top = Table(f"{label}:", data)
        for key in data:
            if key not in keys.tables():
                raise BadInput(f'{label}: unknown table "{key}"{suggestion(key, keys.tables())}')
        values = dict(top.table("experiment"))
        self.most_games = overrides.pop("games", None) if "spsa" in data else None
        values.update(overrides)
        self.main = Table(f"{label}: [experiment]", values, options or {key: f"--{key}" for key in overrides})
        self.main.only(keys.section("experiment").names())

    def table(self, name: str) -> Table | None:
        """A table of the file by name, None if it is absent."""
        if name not in self.data:
            return None
        table = Table(f"{self.label}: [{name}]", Table(f"{self.label}:", self.data).table(name))
        table.only(keys.section(name).names())
        return table

    def experiment(self, stem: str) -> Experiment:
        main = self.main
        kind = self.kind()
        sweep = designs.read_sweep(self.table("sweep"), main, self.data)
        if sweep and kind in (*DYNAMIC_KINDS, "spsa"):
            raise main.fail(f'kind "{kind}" cannot be played at the limits of a [sweep]')
        limit = sweep[0] if sweep else main.limit(Limit(base=2.0, increment=0.02))
        name = main.text("name", stem)
        if "/" in name or "\\" in name or name in (".", ".."):
            raise main.fail(f"name must be usable as a folder name (no / or \\), not {show(name)}")
        paired = main.flag("paired", True)
        if not paired and kind not in STATIC_KINDS:
            why = "its rounds are played in pairs" if kind in DYNAMIC_KINDS else "it goes by pairs"
            raise main.fail(f'paired = false does not go with kind "{kind}": {why}')
        chess960 = main.flag("chess960")
        reader = PlayerReader(self.label, self.folder, self.data, self.check, self.ask)
        players = reader.players(limit, least=0 if kind == "spsa" else 2)
        tuned = tuning.TuningReader(self.table("spsa") or main, self.check, self.ask)
        games = tuned.games(self.most_games) if kind == "spsa" else self.games(kind, len(players), paired)
        spsa = tuned.spsa(players, games) if kind == "spsa" else None
        found = Experiment(
            name=name,
            kind=kind,
            players=players,
            base=self.base(players, kind),
            games=games - (spsa.played if spsa else 0),
            limit=limit,
            concurrency=main.whole("concurrency", cores(), 1, 4096),
            seed=main.whole("seed", 1, 0, 2**63 - 1),
            openings=self.openings(chess960),
            margin=main.number("margin", 0.1, 0),
            patience=main.number("patience", 10.0, 0, above=True),
            max_moves=main.whole("max_moves", 300, 1, 10_000),
            ponder=main.flag("ponder"),
            chess960=chess960,
            restart=main.flag("restart"),
            paired=paired,
            pv=main.flag("pv"),
            checks=main.flag("checks"),
            affinity=main.flag("affinity"),
            adjudication=self.adjudication(),
            sprt=endings.sprt(self.table("sprt"), kind, paired),
            decide=endings.decide(self.table("decide"), kind, paired, "sprt" in self.data),
            screen=self.screen(players),
            tournament=self.tournament(kind, players),
            claim=self.claim(),
            source=main.text("source") or "",
            sweep=sweep,
            spsa=spsa,
        )
        if kind == "spsa":
            return tuning.sides(found)
        if kind == "factorial":
            found = designs.factorial(found, main)
        return designs.swept(found) if sweep else found

    def kind(self) -> str:
        """The kind of experiment; the table [spsa] makes it a tuning run."""
        kind = self.main.choice("kind", KINDS, "spsa" if "spsa" in self.data else "gauntlet")
        if (kind == "spsa") != ("spsa" in self.data):
            raise self.main.fail(f'kind "{kind}" ' + ("needs [spsa]" if kind == "spsa" else "does not go with [spsa]"))
        if kind == "spsa":
            tuning.refuse_games(self.main)
            for name in ("sprt", "decide", "screen"):
                if name in self.data:
                    raise BadInput(
                        f"{self.label}: [{name}] does not go with [spsa]: both sides change from pair to pair"
                    )
        return kind

    def games(self, kind: str, players: int, paired: bool) -> int:
        """The games of a pairing; in a factorial, whole rounds of its matches."""
        if kind == "factorial":
            return designs.games(self.main, players - 1, MOST_GAMES)
        static = kind in STATIC_KINDS
        games = self.main.whole("games", 100 if static else 2, 1, MOST_GAMES if static else MOST_DEALT)
        if games % 2 and paired:
            raise self.main.fail(f"games must be even (every opening is played with both colours), not {games}")
        return games

    def base(self, players: tuple[Player, ...], kind: str) -> int:
        if kind == "match" and len(players) != 2:
            raise self.main.fail(f'kind "match" is for exactly two players, not {len(players)}')
        name = self.main.text("base")
        names = [player.name for player in players]
        if name is None:
            return len(players) - 1 if players[-1].sortie else 0
        if name not in names:
            raise self.main.fail(f'base names no player "{name}"{suggestion(name, names)}')
        if kind == "factorial" and name != names[-1]:
            raise self.main.fail(f'kind "factorial" measures against [base]: base cannot be "{name}"')
        return names.index(name)

    # the other tables ------------------------------------------------------------------------------------------------

    def file(self, table: Table, key: str, shipped_hint: str) -> Path | None:
        """A file relative to the TOML file, else one shipped in openings/."""
        text = table.text(key)
        if text is None:
            return None
        for place in (self.folder / named(text), SHIPPED_OPENINGS / text):
            if os.path.isfile(place):
                return place.resolve()
        if not self.check:
            return Path(text)
        names = [path.name for path in SHIPPED_OPENINGS.glob("*") if path.suffix in shipped_hint.split()]
        raise table.fail(f"{key} {show(text)}: no such file, nor is it shipped{suggestion(text, names)}")

    def openings(self, chess960: bool) -> OpeningSettings:
        table = self.table("openings") or Table(f"{self.label}: [openings]", {})
        shown = table.text("file")
        file = self.file(table, "file", ".epd .pgn .tsv .gz .bin")
        if file is None:
            file = SHIPPED_OPENINGS / (DEFAULT_BOOK_960 if chess960 else DEFAULT_BOOK)
        shipped = file.parent == SHIPPED_OPENINGS
        settings = OpeningSettings(
            shown=shown if shown and not shipped else file.name,
            file=file,
            shipped=shipped,
            order=table.choice("order", ORDERS, "random"),
            plies=table.whole("plies", None, 0, 1000),
            start=table.whole("start", 1, 1),
            sha256=table.text("sha256") or "",
        )
        if settings.start > 1 and settings.order != "sequential":
            raise table.fail('start needs order = "sequential": a random order has no first line')
        if not self.check:
            return settings
        from harness.books import openings  # it imports python-chess, which is needed only when a run is checked

        count = len(openings.read(settings.file, settings.plies, chess960))
        if settings.start > count:
            raise table.fail(f"start must be {count} or less, the openings of the file, not {settings.start}")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if settings.sha256 not in ("", digest):
            raise table.fail(
                f"file {show(settings.shown)} is not the file that this run began with: its contents changed"
            )
        return replace(settings, sha256=digest)

    def adjudication(self) -> Adjudication | None:
        table = self.table("adjudication")
        if table is None:
            return None
        for key in ("resign_moves", "resign_sides", "draw_moves", "draw_from", "syzygy_men", "syzygy_fifty"):
            wanted = "syzygy" if key.startswith("syzygy") else key.split("_")[0] + "_score"
            if key in table and wanted not in table:
                raise table.fail(f"{key} needs {wanted}: without it the rule is off")
        syzygy = table.text("syzygy")
        if syzygy is not None:
            folder = self.folder / named(syzygy)
            if self.check and not os.path.isdir(folder):
                raise table.fail(f"syzygy {show(syzygy)}: no such folder")
            if self.check and (fault := fault_of(folder)):
                raise table.fail(f"syzygy {show(syzygy)}: {fault}")
            syzygy = str(folder)
        return Adjudication(
            resign_score=table.whole("resign_score", None, 1, 100_000),
            resign_moves=table.whole("resign_moves", 4, 1, 1000),
            resign_sides=table.choice("resign_sides", SIDES, "both"),
            draw_score=table.whole("draw_score", None, 0, 100_000),
            draw_moves=table.whole("draw_moves", 8, 1, 1000),
            draw_from=table.whole("draw_from", 40, 0, 10_000),
            syzygy=syzygy,
            syzygy_men=table.whole("syzygy_men", None, 3, 7),
            syzygy_fifty=table.flag("syzygy_fifty", True),
        )

    def screen(self, players: tuple[Player, ...]) -> Screen | None:
        table = self.table("screen")
        if table is None:
            return None
        found = Screen(
            depth=table.whole("depth", 9, 1, 100),
            positions=self.file(table, "positions", ".epd .tsv .pgn"),
            count=table.whole("count", None, 1),
        )
        if self.check and not players[-1].sortie:
            raise table.fail("compares variants of Sortie: add [base] or [variants.NAME]")
        return found

    def tournament(self, kind: str, players: tuple[Player, ...]) -> Tournament:
        table = self.table("tournament")
        if table is None:
            table = Table(f"{self.label}: [tournament]", {})
        for key in table.values:
            if TOURNAMENT_KEYS[key] != kind:
                raise table.fail(f'{key} is for kind "{TOURNAMENT_KEYS[key]}", not for "{kind}"')
        size = len(players)
        if kind == "swiss":
            most = size - 1 + size % 2
            return Tournament(rounds=table.whole("rounds", min(most, math.ceil(math.log2(size))), 1, most))
        if kind == "knockout":
            return Tournament(tiebreaks=table.whole("tiebreaks", 2, 0, 1000))
        if kind == "league":
            divisions = self.divisions(table, players)
            smallest = min(len(division) for division in divisions)
            most = smallest // 2 if len(divisions) > 2 else smallest - 1
            return Tournament(
                divisions=divisions,
                promote=table.whole("promote", min(1, most), 0, most),
                seasons=table.whole("seasons", 1, 1, 1000),
            )
        return Tournament()

    def divisions(self, table: Table, players: tuple[Player, ...]) -> tuple[tuple[int, ...], ...]:
        names = [player.name for player in players]
        given = table.values.get("divisions", [names])
        if not isinstance(given, list) or not all(isinstance(row, list) for row in given):
            raise table.fail('divisions must be a list of lists of players like [["a", "b"], ["c", "d"]]')
        seen: list[str] = [name for row in given for name in row]
        for name in seen:
            if name not in names:
                raise table.fail(f"divisions name no player {show(name)}{suggestion(str(name), names)}")
            if seen.count(name) > 1:
                raise table.fail(f"divisions name {show(name)} twice")
        for name in names:
            if name not in seen:
                raise table.fail(f"divisions leave out {show(name)}")
        if not all(len(row) >= 2 for row in given):
            raise table.fail("divisions must have two players or more each")
        return tuple(tuple(names.index(name) for name in row) for row in given)

    def claim(self) -> Claim | None:
        table = self.table("claim")
        if table is None:
            return None
        for key in ("id", "text"):
            if key not in table:
                raise table.fail(f"{key} is missing")
        return Claim(
            id=table.text("id") or "",
            text=table.text("text") or "",
            where=table.text("where") or "",
            measure=table.choice("measure", MEASURES, "nodes"),
        )


def cores() -> int:
    """Processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
