"""docs/sources.md explains every claim that options, docstrings and experiments name, in the words of the experiments."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from engine.play.options import offered

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
CLAIM = re.compile(r"\bC\d{1,2}\b")
CELLS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENT.splitlines() if line.startswith("| C")
]
ROWS = {cells[0]: cells for cells in CELLS}  # id -> id, by, claim, experiment
EXPERIMENTS = sorted((ROOT / "harness" / "experiments").glob("claim-*.toml"))


def test_every_claim_has_a_row() -> None:
    assert list(ROWS) == [f"C{number}" for number in range(1, 22)]


def test_sources_of_options_name_known_claims_and_texts() -> None:
    for option in offered():
        assert set(CLAIM.findall(option.source)) <= set(ROWS), option
        for word in (
            "Winglet",
            "Moreland",
            "Jazz",
            "Mediocre",
            "Vicki",
            "Sjaak II",
            "Uiterwijk 1992",
            "Schaeffer 1983",
        ):
            assert word not in option.source or word in DOCUMENT
        assert "seed" not in option.source and not re.search(r"\b[WAV]\d\b", option.source)


def test_dated_sources_of_options_are_in_the_document() -> None:
    """`Buro 1995`, `Anantharaman et al. 1988`; the days of a blog are named with their text."""
    told = " ".join(DOCUMENT.split())
    dated = {
        found for option in offered() for found in re.findall(r"([A-Z][a-z]+)(?: et al\.)? (\d{4})\b", option.source)
    }
    for name, year in dated:
        assert name in ("March", "May") or re.search(rf"{name}[^;()]{{0,20}} {year}\b", told), (name, year)


@pytest.mark.parametrize(
    "path",
    sorted(p for p in (ROOT / "engine").rglob("*.p*") if p.suffix in (".py", ".pxd")),
    ids=lambda path: path.name,
)
def test_labels_in_the_engine_are_explained(path: Path) -> None:
    """C1 to C21, and W1, A1, V1 ... for the parts of a text, wherever a docstring or comment uses them."""
    text = path.read_text(encoding="utf-8")
    for label in set(re.findall(r"(?:[(,;] ?|Winglet |Vicki |Moreland )([CWAV]\d{1,2})(?=[,;:)])", text)):
        assert re.search(rf"\b{label}\b", DOCUMENT), label


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_experiments_and_document_agree(path: Path) -> None:
    claim = tomllib.loads(path.read_text(encoding="utf-8"))["claim"]
    row = ROWS[claim["id"]]
    assert row[2] == claim["text"]
    assert path.stem.endswith("-modern") or f"`{path.stem}`" in row[3]
