"""Register, pages, README and `gauntlet claims --json` tell the same, figure by figure."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from engine_process import ROOT
from here import gauntlet, refusal

from harness.claims import amounts, catalogue, listing, register
from harness.claims.pages import findings, first_screen
from harness.claims.register import FEWEST, FILE, Register
from harness.errors import BadInput
from harness.spec import reader
from harness.stats import elo as stats
from harness.stats.elo import SMALL

KNOWN = catalogue.read()
DATA = register.read()
FINDINGS = ROOT / "docs" / "findings"
SIDES = {"own": "own", "modern": "today"}
WORDS = {"too-small": SMALL}
TESTS = [test for claim in KNOWN.claims for test in claim.tests]


@pytest.fixture(scope="module")
def told() -> list[dict[str, Any]]:
    done = gauntlet("claims", "--json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["claims"]
    return found


def test_all_21_in_the_words_of_the_sources() -> None:
    assert [claim.id for claim in KNOWN.claims] == [f"C{number}" for number in range(1, 22)]
    document = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    for claim in KNOWN.claims:
        assert f"| {claim.text} |" in document, claim.id
        assert claim.of("own"), claim.id
        assert claim.page in findings.TITLES


def _variants(name: str) -> dict[str, Any]:
    path = reader.find(name)
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["variants"]
    return found


@pytest.mark.parametrize("test", TESTS, ids=lambda test: f"{test.side}-{test.key}")
def test_every_test_names_what_is_shipped(test: catalogue.Trial) -> None:
    assert test.variant in _variants(test.experiment)
    if test.speed:
        assert test.speed in ("nodes", "instructions") and "twice" in _variants(test.pace)
    else:
        path = reader.find(test.experiment)
        found = reader.parse(path.read_text(encoding="utf-8"), test.experiment, path.parent, check=False)
        fixed = found.limit.nodes is not None or found.limit.depth is not None
        assert fixed, "games of a claim are at fixed nodes, or where depths are compared at fixed depth"
        assert found.decide is not None or found.games <= FEWEST, "games of a claim end when it is settled"


def test_every_headline_comparison_has_a_published_one() -> None:
    assert set(KNOWN.headline) == set(_variants("worth-headline")) > set(KNOWN.among) == set(_variants("headline"))
    for keys in (KNOWN.headline, KNOWN.among):
        for variant, key in keys.items():
            experiment, _, name = key.partition("/")
            assert _variants(experiment)[name] == _variants("worth-headline")[variant]
    for variant in _variants("headline"):
        assert _variants("headline")[variant] == _variants("worth-headline")[variant]


def test_the_register_is_as_it_was_written() -> None:
    assert DATA.text() == FILE.read_text(encoding="utf-8"), "edited by hand? gauntlet claims --record writes it"
    for kind in (DATA.matches, DATA.screens, DATA.counts):
        for key, one in kind.items():
            assert key == f"{one.experiment}/{one.variant}"
            assert one.variant.partition("@")[0] in _variants(one.experiment)


def test_the_elo_of_the_file_is_that_of_its_pairs() -> None:
    for key, one in json.loads(FILE.read_text(encoding="utf-8"))["matches"].items():
        found = stats.match(one["pairs"], (one["wins"], one["draws"], one["losses"]))
        assert one["elo"] == (None if found.elo is None else round(found.elo, 2)), key
        assert one["wins"] + one["draws"] + one["losses"] == one["games"] >= 2 * sum(one["pairs"]), key


def test_anyone_can_work_a_figure_out_again() -> None:
    match = next(one for one in DATA.matches.values() if one.estimate.elo is not None)
    done = gauntlet("stats", "--pentanomial", ",".join(map(str, match.pairs)), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["elo"] == pytest.approx(match.estimate.elo)


def test_the_command_tells_what_the_register_has(told: list[dict[str, Any]]) -> None:
    assert [claim["id"] for claim in told] == [claim.id for claim in KNOWN.claims]
    for claim, known in zip(told, KNOWN.claims, strict=True):
        assert (claim["modern"] is None) == (not known.of("today"))
        for name, side in SIDES.items():
            if claim[name] is None:
                continue
            assert claim[name]["verdict"] in ("holds", "fails", "too-small", "open")
            assert claim[name]["command"] and claim[name]["sentence"].startswith("it ")
            for arm, test in zip(claim[name]["arms"], known.of(side), strict=True):
                match = DATA.matches.get(test.key)
                assert (arm["name"], arm["experiment"]) == (test.variant, test.experiment)
                if test.speed:
                    assert arm["elo"] is arm["games"] is None and (arm["time"] or arm["nodes"])
                    continue
                assert arm["games"] == (match.games if match else None), test.key
                if match is not None:
                    found = match.estimate
                    assert arm["pentanomial"] == list(match.pairs) and arm["hash"] == match.hash
                    assert arm["elo"] == pytest.approx(found.elo, abs=0.05)
                    assert arm["elo_error"] == pytest.approx(found.elo_error, abs=0.05)


def test_a_figure_that_a_claim_names_is_set_beside_what_was_measured(told: list[dict[str, Any]]) -> None:
    named = {claim["id"]: claim["amounts"] for claim in told if claim["amounts"]}
    assert set(named) == {"C2", "C18", "C20", "C21"}
    for claim in KNOWN.claims:
        for amount, given in zip(claim.amounts, named.get(claim.id, ()), strict=True):
            experiment, _, variant = amount.key.partition("/")
            assert variant in _variants(experiment)
            found = amounts.measured(amount, DATA)
            assert found is not None and given["verdict"] == listing.SIZES[found.word]
            page = (FINDINGS / f"{claim.page}.md").read_text(encoding="utf-8")
            assert found.text() in " ".join(page.split())


def test_the_pages_are_made_of_the_register() -> None:
    made = findings.pages(DATA)
    assert {path.name for path in FINDINGS.iterdir()} == set(made)
    for name, text in made.items():
        assert (FINDINGS / name).read_text(encoding="utf-8") == text, f"make it again: gauntlet claims --write ({name})"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert findings.with_part(readme, first_screen.text(DATA), Path("README.md")) == readme


def test_pages_and_command_have_the_same_figures(told: list[dict[str, Any]]) -> None:
    for claim, given in zip(KNOWN.claims, told, strict=True):
        page = (FINDINGS / f"{claim.page}.md").read_text(encoding="utf-8")
        part = page.partition(f"## {claim.id} ")[2].partition("\n## ")[0]
        rows = [line for line in part.splitlines() if line.startswith("| ") and "`" in line]
        sides = [given[name] for name in SIDES if given[name] is not None]
        arms = [arm for side in sides for arm in side["arms"]]
        assert len(rows) == len(arms)
        for row, arm in zip(rows, arms, strict=True):
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            assert WORDS.get(arm["verdict"], arm["verdict"]) in cells[6] and arm["name"] in cells[1]
            elo = arm["worth"][0] if arm["worth"] else arm["elo"]
            if elo is not None:
                assert float(cells[3].split()[0]) == elo
            if arm["games"] is not None:
                assert cells[4].startswith(f"{arm['games']:,}")
            if arm["bench"] is not None:
                assert str(arm["bench"]) in cells[7]
        index = (FINDINGS / "README.md").read_text(encoding="utf-8")
        line = next(line for line in index.splitlines() if line.startswith(f"| [{claim.id}]"))
        said = [WORDS.get(side["verdict"], side["verdict"]) for side in sides]
        assert all(f"**{word}**" in line for word in said)


def test_the_tables_say_what_their_marks_mean() -> None:
    text = findings.pages(DATA)["tables.md"]
    told, _, rows = text.partition("\n| variant ")
    assert "| – | – |" in rows and " so far |" in rows
    assert all(word in told for word in ("*so far*", "dash", "*Hash*", "*Played*"))


def test_what_is_said_of_rows_with_several_seeds_is_true_of_them() -> None:
    several = [key for key, one in DATA.matches.items() if one.parts]
    settled_at_once = [
        key for key in several if stats.worth(DATA.matches[key].parts[0].pairs, 10.0, stats.Z999) is not None
    ]
    assert set(several) - set(settled_at_once) == {"worth-headline/see-early-exit"}
    assert "had been settled" in " ".join(findings.pages(DATA)["README.md"].split())


def test_links_and_anchors_of_the_pages_lead_somewhere() -> None:
    for path in FINDINGS.glob("*.md"):
        for target in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
            name, _, anchor = target.partition("#")
            text = (path.parent / name).read_text(encoding="utf-8")
            heads = [
                "".join(c for c in head.lower() if c.isalnum() or c in " -").replace(" ", "-")
                for head in re.findall(r"^#+ (.*)$", text, re.M)
            ]
            assert not anchor or anchor in heads, f"{path.name}: {target}"


def test_the_picture_has_a_name_for_each_claim_with_figures() -> None:
    root = ElementTree.fromstring((FINDINGS / "claims.svg").read_text(encoding="utf-8"))
    words = {element.text for element in root.iter() if element.tag.endswith("text")}
    points = sum("dot" in str(element.tag) or element.tag.endswith("circle") for element in root.iter())
    named = {word for word in words if word and re.fullmatch(r"C\d+", word)}
    assert points == len(named) + 4  # and the four of the legend


def test_an_empty_register_makes_pages_too() -> None:
    made = findings.pages(Register())
    assert "| **open** | 21: [C1](winglet.md#c1-" in made["README.md"] and "| **holds** |" not in made["README.md"]
    ElementTree.fromstring(made["claims.svg"])


def test_readme_without_its_marks_is_refused() -> None:
    with pytest.raises(BadInput, match="marks"):
        findings.with_part("# Sortie\n", "x\n", Path("README.md"))


def test_a_readme_that_is_no_text_is_refused_before_a_page_is_written(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(b"# S\xf6rtie\n")
    with pytest.raises(BadInput, match=r"README\.md: is not UTF-8 text"):
        findings.write(tmp_path / "docs" / "findings", tmp_path / "README.md", DATA)
    assert not list((tmp_path / "docs" / "findings").iterdir())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("C99",), 'no claim "C99": did you mean "C9"?'),
        (("C7", "--games", "10"), "go with --play"),
        (("C7", "--side", "today"), "go with --play"),
        (("C7", "--json", "--play"), "gauntlet show DIR --json"),
        (("--json", "--write", "docs/findings"), "take no CLAIM, no --json and no --play"),
        (("C7", "--play", "--games", "3"), "must be even"),
    ],
)
def test_what_does_not_go_together_is_refused_in_a_line(given: tuple[str, ...], told: str) -> None:
    assert told in refusal("claims", *given)
