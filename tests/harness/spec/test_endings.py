"""[decide]: what it takes, what it refuses, and that it comes back from the written file."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic

from harness.errors import BadInput
from harness.spec import reader
from harness.spec.settings import Decide

DECIDE = "[decide]\n"


def test_ten_elo_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    assert synthetic.plan(tmp_path).decide is None
    assert synthetic.plan(tmp_path, synthetic.TEXT + DECIDE).decide == Decide(10.0)
    found = synthetic.plan(tmp_path, synthetic.TEXT + DECIDE + "within = 5\n")
    assert found.decide == Decide(5.0)
    assert synthetic.comes_back(found, tmp_path)
    sure = synthetic.plan(tmp_path, synthetic.TEXT + DECIDE + "confidence = 0.99\n")
    assert sure.decide == Decide(10.0, "all", 0.99) and synthetic.comes_back(sure, tmp_path)
    late = synthetic.plan(tmp_path, synthetic.TEXT + DECIDE + "least = 1000\n")
    assert late.decide == Decide(10.0, least=1000) and synthetic.comes_back(late, tmp_path)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (DECIDE + "within = 0\n", "[decide] within must be 0.1 or more"),
        (DECIDE + "confidence = 95\n", "[decide] confidence must be 0.5 or more and 0.9999 or less, not 95"),
        (DECIDE + 'confidence = "high"\n', "[decide] confidence must be a number"),
        (DECIDE + "least = 20\n", "[decide] least must be 60 or more"),
        (DECIDE + "least = 60.5\n", "[decide] least must be a whole number"),
        (DECIDE + "wihtin = 5\n", 'did you mean "within"?'),
        (DECIDE + "[sprt]\nelo0 = 0\nelo1 = 5\n", "[decide] does not go with [sprt]"),
    ],
)
def test_what_is_refused(tmp_path: Path, more: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        synthetic.plan(tmp_path, synthetic.TEXT + more)
    assert message in str(caught.value)


@pytest.mark.parametrize(("line", "message"), [("kind = 'swiss'", "need all their games"), ("paired = false", "pairs")])
def test_it_goes_with_pairs_of_a_known_number(tmp_path: Path, line: str, message: str) -> None:
    engines = "[engines.a]\ncommand = 'python3'\n[engines.b]\ncommand = 'python3'\n"
    with pytest.raises(BadInput, match=message):
        reader.parse(f"[experiment]\n{line}\n{engines}{DECIDE}", "x.toml", tmp_path, check=False)


def test_only_the_variants_that_are_named_take_part(tmp_path: Path) -> None:
    def names(*only: str) -> list[str]:
        found = reader.parse(synthetic.TEXT, "x.toml", tmp_path, check=False, only=only)
        return [player.name for player in found.players]

    assert names() == ["lmr-off", "tt-off", "base"]
    assert names("tt-off") == ["tt-off", "base"]
    with pytest.raises(BadInput, match='x.toml: no variant "lmr-of": did you mean "lmr-off"'):
        names("lmr-of")
