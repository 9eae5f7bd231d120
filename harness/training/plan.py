"""Which positions are wanted: the table [data] of a file, checked and turned into values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.engines import sortie
from harness.errors import BadInput
from harness.files import named
from harness.model import Limit
from harness.spec import keys
from harness.spec.players import PlayerReader
from harness.spec.toml_table import Table, decoded, show, tables

DATA_KEYS = ("positions", "nodes", "random_plies", "seed", "strays", "book", "balance")
POSITIONS, NODES, SEED = 1_000_000, 5_000, 1
RANDOM_PLIES = (8, 10)
BALANCE = 400
MOST_PLIES = 60
MOST = 10**9  # positions, nodes, and the seed


@dataclass(frozen=True, slots=True)
class DataPlan:
    """Games of Sortie against itself until there are `positions` positions.

    `nodes`: a search begins no new iteration after so many; random_plies: least and most of an opening; `options` of Sortie
    as (name, value); `strays`: tried in a hundred moves; `book`: a Polyglot file that games follow to its end first;
    `balance`: centipawns, the most that an opening may be worth. Plan and build determine the positions, wherever the games
    are played.
    """

    command: tuple[str, ...]
    positions: int = POSITIONS
    nodes: int = NODES
    random_plies: tuple[int, int] = RANDOM_PLIES
    seed: int = SEED
    options: tuple[tuple[str, str], ...] = ()
    strays: int = 0
    book: str = ""
    balance: int = BALANCE

    def arguments(self) -> list[str]:
        """The words after the program that make Sortie play these games."""
        least, most = self.random_plies
        words = ["selfplay", "--nodes", str(self.nodes), "--random-plies", f"{least}-{most}", "--seed", str(self.seed)]
        if self.strays:
            words += ["--strays", str(self.strays)]
        if self.book:
            words += ["--book", self.book]
        if self.balance != BALANCE:
            words += ["--balance", str(self.balance)]
        return words + [word for name, value in self.options for word in ("--option", f"{name}={value}")]


def load(spec: str | None, ask: sortie.Ask = sortie.ask) -> DataPlan:
    """The plan in a TOML file; without a file the default. Raises BadInput with one line for the first mistake."""
    if spec is None:
        return DataPlan((sortie.beside(),))
    path = Path(spec)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{spec}: cannot be read: {error.strerror}") from None
    values = tables(decoded(data, spec), spec)
    label = path.name
    top = Table(f"{label}:", values)
    top.only(("data", "base"))
    table = Table(f"{label}: [data]", top.table("data"))
    table.only(DATA_KEYS)
    own = PlayerReader(label, path.resolve().parent, values, True, ask).sortie(
        "base", "base", top.table("base"), {"base": {}}, Limit(nodes=NODES)
    )
    for key in keys.OF_A_PROCESS:  # games are played by the settings of [data]
        if key.name in values.get("base", {}):
            raise BadInput(f"{label}: [base] takes a command and options here, no {key.name}")
    for name, _ in own.options:
        if name in ("memory", "cores"):  # sortie selfplay has its own
            raise BadInput(f"{label}: [base] takes no {name} here: each game has a small table and one thread")
    return DataPlan(
        own.command,
        table.whole("positions", POSITIONS, 1, MOST),
        table.whole("nodes", NODES, 1, MOST),
        _plies(table),
        table.whole("seed", SEED, 0, MOST),
        own.options,
        table.whole("strays", 0, 0, 100),
        _book(table, path.resolve().parent),
        table.whole("balance", BALANCE, 1, 2000),
    )


def _book(table: Table, folder: Path) -> str:
    """`book`: a Polyglot file, relative to the folder of the plan; "" if none is named."""
    name = table.text("book")
    if name is None:
        return ""
    path = folder / named(name)
    if not path.is_file():
        raise table.fail(f"book: {path}: no such file, expected a Polyglot book (gauntlet book makes one)")
    return str(path)


def _plies(table: Table) -> tuple[int, int]:
    """`random_plies`: a number, a string like "8-10", or a list of two numbers."""
    value = table.values.get("random_plies", list(RANDOM_PLIES))
    found: Sequence[object] = value if isinstance(value, list) else [value, value]
    if isinstance(value, str) and (match := re.fullmatch(r"\s*(\d{1,3})\s*-\s*(\d{1,3})\s*", value)):
        found = [int(match[1]), int(match[2])]
    numbers = [number for number in found if isinstance(number, int) and not isinstance(number, bool)]
    if len(found) != 2 or len(numbers) != 2 or not 0 <= numbers[0] <= numbers[1] <= MOST_PLIES:
        raise table.fail(
            f'random_plies must be a number, or "LEAST-MOST" from 0 to {MOST_PLIES}, like "8-10", not {show(value)}'
        )
    return numbers[0], numbers[1]
