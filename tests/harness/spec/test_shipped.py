"""The shipped experiments against the built Sortie: every option and level exists, and equal trees are equal."""

from __future__ import annotations

import dataclasses
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from fake_engines.runs import ROOT

from harness.analysis import node_screen as nodes
from harness.spec import reader as experiment
from harness.spec.settings import Experiment, Screen

SORTIE = f"{shlex.quote(sys.executable)} -m engine"


def load(name: str) -> Experiment:
    """A shipped experiment with the Sortie of this checkout, installed or not."""
    path = experiment.find(name)
    text = path.read_text(encoding="utf-8").replace("[base]\n", f"[base]\ncommand = {SORTIE!r}\n")
    return experiment.parse(text, name, path.parent, name)


@pytest.mark.parametrize("name", experiment.shipped_experiments())
def test_options_and_levels_exist(name: str) -> None:
    found = load(name)
    assert found.sortie_base is not None and all(player.sortie for player in found.players)
    assert (found.claim is not None) == name.startswith("claim-")
    if found.claim is not None:
        assert name.startswith(f"claim-c{int(found.claim.id[1:]):02d}-")


def test_a_folder_of_that_name_hides_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`gauntlet run smoke --out smoke` makes one."""
    (tmp_path / "smoke").mkdir()
    monkeypatch.chdir(tmp_path)
    assert experiment.find("smoke").is_file()


@pytest.mark.parametrize("name", ["levels", "network", "spsa", "strength", "tuned"])
def test_experiments_of_the_documents_can_be_read(name: str) -> None:
    """Those that need Sortie alone are checked against it; their 11,700 openings would take seconds to read."""
    path = ROOT / "docs" / f"{name}.toml"
    text = path.read_text(encoding="utf-8").replace("[base]\n", f"[base]\ncommand = {SORTIE!r}\n")
    text = text.replace("many.tsv.gz", "sortie.tsv")
    found = experiment.parse(text, path.name, path.parent, check=name in ("spsa", "tuned"))
    assert found.players


def test_what_was_tuned_is_what_is_played() -> None:
    tuning, tuned = (tomllib.loads((ROOT / "docs" / f"{name}.toml").read_text("utf-8")) for name in ("spsa", "tuned"))
    parameters = set(tuning["spsa"]["parameters"])
    assert {f"tune.{name}" for name in tuned["variants"]["tuned"]["tune"]} == parameters and len(parameters) == 30


def test_headline_and_smoke_are_what_they_are_called() -> None:
    headline, smoke = load("headline"), load("smoke")
    changed = {player.name: dict(player.options) for player in headline.players}
    assert changed["history-off"]["History"] == "off"
    assert changed["see-early-exit"]["SEEForm"] == "early-exit"
    assert changed["lmr-off"]["LMR"] == "off"
    assert list(changed) == ["history-off", "see-early-exit", "lmr-off", "base"] and headline.screen is not None
    assert smoke.limit.nodes is not None and smoke.games * (len(smoke.players) - 1) == 8


def test_every_claim_that_nodes_speak_to_has_its_experiment() -> None:
    ids = {name[6:9] for name in experiment.shipped_experiments() if name.startswith("claim-")}
    assert ids == {f"c{number:02d}" for number in range(1, 22)}


@pytest.mark.parametrize("name", ["claim-c04-picking", "claim-c13-staging", "claim-c14-legality"])
@pytest.mark.parametrize("twin", ["", "-modern"])
def test_same_tree_claims(name: str, twin: str) -> None:
    """Picking or sorting, staged or all at once, late or early legality: the same nodes, only the time differs."""
    found: dict[str, Any] = nodes.screen(dataclasses.replace(load(name + twin), screen=Screen(count=6)), depth=4)
    for row in found["variants"]:
        assert (row["ratio"], row["low"], row["high"]) == (1.0, 1.0, 1.0)


def test_orders_stand_as_theory_has_them() -> None:
    """C2: the worst order costs more than chance, chance more than generation, generation more than all we know."""
    found: dict[str, Any] = nodes.screen(
        dataclasses.replace(load("claim-c02-branching"), screen=Screen(count=10)), depth=3
    )
    ratio = {row["name"]: row["ratio"] for row in found["variants"]}
    assert ratio["worst"] > ratio["random"] > 1.0 > ratio["full"]


def test_screen_positions() -> None:
    """Sixty or so, all different, of every phase, quiet and tactical, none lost already."""
    fens = nodes.positions(Screen())
    assert len(fens) == len(set(fens)) >= 50
    kinds = {" ".join(line.split('id "')[1].split()[:2]) for line in nodes.POSITIONS.read_text().splitlines()}
    assert kinds == {
        f"{phase} {kind}" for phase in ("opening", "middlegame", "ending") for kind in ("quiet", "tactical")
    }
