"""The node screen: ratios of known counts, its JSON, its claims in words, and what can go wrong."""

from __future__ import annotations

import json
import math
import tracemalloc
from pathlib import Path

import pytest
import synthetic
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis import node_screen as nodes
from harness.analysis.screen_file import SCREEN_FILE, read_screen, write_screen
from harness.commands.play.nodes import command
from harness.errors import BadInput
from harness.spec import reader as experiment
from harness.spec.settings import Claim
from harness.tables import node_tables

TEXT = f"""
[experiment]
games = 2
[claim]
id = "C0"
where = "nobody"
text = "less is more"
[base]
command = {synthetic.FAKE!r}
options = {{ memory = 3, cores = 2 }}
[variants.lmr-off]
LMR = "off"
[variants.same]
[variants.both]
LMR = "off"
TT = "off"
[screen]
depth = 4
positions = "set.epd"
"""
SET = "".join(f"4k3/8/8/8/8/8/{n}P{7 - n}/4K3 w - -\n".replace("0", "") for n in range(8))


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "set.epd").write_text(SET)
    path = tmp_path / "screen.toml"
    path.write_text(TEXT)
    return path


def test_ratios_of_known_trees(spec: Path) -> None:
    done = CliRunner().invoke(command, [str(spec), "--json"], catch_exceptions=False)
    data = json.loads(done.output.strip().splitlines()[-1])
    assert (data["depth"], data["positions"], data["base"]) == (4, 8, "base")
    assert [row["name"] for row in data["variants"]] == ["lmr-off", "same", "both"]
    double, same, six = data["variants"]
    for key in ("name", "nodes", "ratio", "error", "low", "high"):
        assert key in double
    assert double["ratio"] == pytest.approx(2.0, abs=1e-3) and double["error"] == pytest.approx(0, abs=1e-3)
    assert double["nodes"] == pytest.approx(2 * data["base_figures"]["nodes"], rel=1e-3)
    assert (same["ratio"], same["low"], same["high"], same["error"]) == (1.0, 1.0, 1.0, 0.0)
    assert six["ratio"] == pytest.approx(6.0, abs=1e-2) and six["q_ratio"] == pytest.approx(6.0, abs=1e-2)
    assert double["ebf2"] == pytest.approx(2.0, abs=1e-2)  # the paper engine doubles its nodes with each ply
    assert double["first_move_cutoffs"] == pytest.approx(0.9) and double["cut_index"] == pytest.approx(0.1)
    assert double["time_ratio"] == pytest.approx(2.0, abs=1e-2)


def test_depth_and_count(spec: Path) -> None:
    spec.write_text(TEXT + "count = 3\n")
    found = nodes.screen(experiment.load(spec), depth=6)
    assert (found["depth"], found["positions"]) == (6, 3)


def test_claim_in_words(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = experiment.load(spec)
    node_tables.print_screen(plan, nodes.screen(plan))
    out = capsys.readouterr().out
    assert "C0 (nobody) claims: less is more." in out
    assert "lmr-off takes 2.00 times (2.00 to 2.00) the nodes of base and 2.00 times (2.00 to 2.00) the time." in out


ROW = {"name": "x", "ratio": 1.0, "low": 1.0, "high": 1.0, "time_ratio": 1.5, "time_low": 1.25, "time_high": 1.75}
COUNTS = {"ebf2": 5.5, "hash_cutoffs": 0.4, "researches": 0.125, "generated": 100, "legality_tested": 80}


@pytest.mark.parametrize(
    ("measure", "lines"),
    [
        ("nodes", ["y takes 1.00 times (1.00 to 1.00) the nodes of x and 1.50 times (1.25 to 1.75) the time."]),
        (
            "time",
            ["y takes 1.50 times (1.25 to 1.75) the time of x (equal nodes, generates 2.00 times the moves)."],
        ),
        (
            "hash",
            [
                "the hash move makes 40 of 100 cutoffs of x.",
                "y takes 1.50 times (1.25 to 1.75) the time of x (equal nodes, generates 2.00 times the moves).",
            ],
        ),
        ("branching", ["x has EBF2 5.50.", "y takes 1.00 times (1.00 to 1.00) the nodes of x, EBF2 5.50."]),
        (
            "window",
            [
                "x searches the root again in 12 of 100 iterations.",
                "y takes 1.00 times (1.00 to 1.00) the nodes of x and searches the root again in 12 of 100 iterations.",
            ],
        ),
    ],
)
def test_each_measure_has_its_answer(measure: str, lines: list[str]) -> None:
    result = {
        "depth": 4,
        "positions": 8,
        "base": "x",
        "base_figures": {**ROW, **COUNTS},
        "variants": [{**ROW, **COUNTS, "name": "y", "generated": 200}],
    }
    said = node_tables.claim_lines(Claim("C0", "less is more", "nobody", measure), result)
    assert [line.strip() for line in said[2:]] == lines


def test_counters_that_claims_need() -> None:
    """Share of cutoffs by the hash move, repeated root searches per iteration after the first, moves by what was done."""
    stats = {"cut_stage": {"HASH": 30, "QUIETS": 70}, "aspiration_fails": 2, "iterations": [1, 2, 3, 4, 5]}
    work = {"generated": 500, "legality_tested": 300, "searched": 200}
    found = [nodes.Search(5, 15, 5, 0.1, {**stats, **work})] * 3
    row = nodes._figures("x", found, found, seed=1)
    assert (row["hash_cutoffs"], row["researches"]) == (0.3, 0.5)
    assert (row["generated"], row["legality_tested"], row["searched"]) == (1500, 900, 600)


def test_screen_is_kept_beside_the_journal(spec: Path, tmp_path: Path) -> None:
    found = nodes.screen(experiment.load(spec))
    write_screen(found, tmp_path / SCREEN_FILE)
    assert read_screen(tmp_path) == json.loads((tmp_path / "screen.json").read_text()) == found


FAKE_BASE = f"[base]\ncommand = {synthetic.FAKE!r}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEXT.replace('LMR = "off"\n[variants.s', 'Preset = "jazz"\n[variants.s'),
            "lmr-off: bench ended with status 1",
        ),
        (FAKE_BASE + "[engines.x]\ncommand = 'python3'\n[screen]\npositions = 'no.epd'\n", "no.epd"),
        ("[engines.x]\ncommand = 'python3'\n[engines.y]\ncommand = 'python3'\n", "add [base] or [variants.NAME]"),
    ],
)
def test_what_cannot_be_screened(spec: Path, text: str, message: str) -> None:
    spec.write_text(text)
    with pytest.raises(BadInput) as caught:
        nodes.screen(experiment.load(spec))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_bad_depth() -> None:
    with pytest.raises(BadInput, match="--depth must be 1 to 100, not 0"):
        CliRunner().invoke(command, ["smoke", "--depth", "0"], catch_exceptions=False)


def search(total: int, depth: int = 5, iterations: list[int] | None = None) -> nodes.Search:
    return nodes.Search(depth, total, total // 3, total / 1e6, {"iterations": iterations} if iterations else {})


def test_two_ply_branching() -> None:
    one = search(0, iterations=[1, 2, 10, 20, 90])
    two = search(0, iterations=[5, 7, 20])
    assert nodes.two_ply_branching([one, two, search(5)]) == pytest.approx(math.sqrt(3.0 * 2.0))
    assert nodes.two_ply_branching([search(5)]) is None


counts = st.lists(st.integers(1, 10**9), min_size=1, max_size=30)


@settings(max_examples=40, deadline=None)
@given(counts, st.integers(0, 1000))
def test_interval_holds_the_ratio_and_turns_over(values: list[int], seed: int) -> None:
    base = [value // 2 + 1 for value in reversed(values)]
    there, back = nodes.compare(values, base, seed), nodes.compare(base, values, seed)
    assert there is not None and back is not None
    assert there.low <= there.ratio <= there.high and there.error >= 0
    assert there.ratio * back.ratio == pytest.approx(1.0)
    assert nodes.compare(values, base, seed) == there


def test_the_interval_of_many_positions_needs_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """All resamples at once take 1.8 GB with the 11,700 positions of the long book."""
    values, base = [float(3 + n % 7) for n in range(300)], [float(3 + n % 5) for n in range(300)]
    whole = nodes.compare(values, base, 5)
    monkeypatch.setattr(nodes, "AT_ONCE", 10_000)
    tracemalloc.start()
    assert nodes.compare(values, base, 5) == whole
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
