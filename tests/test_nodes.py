"""The node screen: ratios of known counts, its JSON, its claims in words, and what can go wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import synthetic
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import experiment, node_tables, nodes
from harness.commands_nodes import command
from harness.errors import BadInput

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


def test_screen_is_kept_beside_the_journal(spec: Path, tmp_path: Path) -> None:
    found = nodes.screen(experiment.load(spec))
    nodes.write(found, tmp_path / "screen.json")
    assert json.loads((tmp_path / "screen.json").read_text()) == found


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
