"""The documents: links lead somewhere, and figures typed by hand agree with the counts of games beside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.stats import elo

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
COUNT = r"\d[\d,]*"
GAMES = re.compile(
    rf"(?<![/\d] )({COUNT}) / ({COUNT}) / ({COUNT})(?![\d.]| /)"
    rf"(?:(?:;|,| \|)(?: pairs)? ({COUNT}(?:, {COUNT}){{4}}))?"
)
ELO = re.compile(r"([+-]?[\d.]+) \[([+-]?[\d.]+), ([+-]?[\d.]+)\]")


def _text(path: Path) -> str:
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)


def _anchors(path: Path) -> set[str]:
    """As GitHub makes them of the headings."""
    heads = re.findall(r"^#+ (.*)$", _text(path), re.M)
    return {"".join(c for c in head.lower() if c.isalnum() or c in " -_").replace(" ", "-") for head in heads}


def _number(text: str) -> int:
    return int(text.replace(",", ""))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_anchors_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", _text(path)):
        name, _, anchor = target.partition("#")
        if not re.match(r"[a-z]+:", target):
            found = path.parent / name if name else path
            assert found.exists(), target
            assert not anchor or anchor in _anchors(found), target


def _is(told: str, figure: float | None) -> bool:
    """Whether a figure is told right to its last digit."""
    decimals = len(told.partition(".")[2])
    return figure is not None and abs(float(told) - figure) <= 0.501 * 10**-decimals


@pytest.mark.parametrize("name", ["strength-tests", "network-trials", "strength"])
def test_scores_and_elo_agree_with_the_games(name: str) -> None:
    lines = re.sub(r"\n(?![\n|*]|  )", " ", _text(ROOT / "docs" / f"{name}.md")).splitlines()
    for line in lines:
        found = GAMES.findall(line)
        for *three, five in found:
            won, drawn, lost = (_number(count) for count in three)
            score = re.search(r"\| \**([\d.]+) %\** \|", line)
            assert not score or len(found) > 1 or _is(score[1], 100 * (won + drawn / 2) / (won + drawn + lost)), line
            if five:
                pairs = [_number(count) for count in five.split(", ")]
                single = won + drawn + lost - 2 * sum(pairs)  # games whose other game was not played
                beside = 2 * won + drawn - sum(half * pair for half, pair in enumerate(pairs))
                assert 0 <= single <= 2 and 0 <= beside <= 2 * single, line
                told, exact = ELO.findall(line), elo.estimate(pairs)
                figures = (exact.elo, exact.elo_low, exact.elo_high)
                assert not told or any(all(map(_is, one, figures)) for one in told), (line, figures)
