"""Ablation: which variants are made, which are played, how they are ranked."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from unittest import mock

import pytest
import synthetic
from click.testing import CliRunner

from harness.analysis import ablation as ablate
from harness.analysis.summary import PairingSummary
from harness.commands.play.ablate import _play, command
from harness.engines import sortie
from harness.errors import BadInput
from harness.model import Limit
from harness.spec.reader import of_tables

FAKE = tuple(shlex.split(synthetic.FAKE))


def names(**more: object) -> list[str]:
    levels = ablate.resolved(FAKE, str(more.pop("preset", "modern")))
    return [variant.name for variant in ablate.variants(sortie.ask(FAKE), levels, **more)]  # type: ignore[arg-type]


def test_leave_one_out_and_add_one() -> None:
    assert names() == ["LMR-off", "History-off", "Killers-0", "TT-off"]
    # What the base has not is added, at each level.
    assert names(preset="bare") == ["LMR-off", "History-off", "Killers-1", "Killers-2", "TT-off"]
    assert "History-gated" in names(every=True) and "LMR-table" not in names(every=True)
    assert names(only=["TT"]) == ["TT-off"]
    for wrong, message in (({"only": ["TTT"]}, 'no switch "TTT": did you mean "TT"'), ({"preset": "jaz"}, '"jazz"')):
        with pytest.raises(BadInput, match=message):
            names(**wrong)


def test_a_named_switch_is_taken_with_all_that_can_be_told_of_it() -> None:
    known = dict(sortie.ask(FAKE))
    known["Choose"] = sortie.OptionSpec("Choose", "combo", ("selection", "sort"))
    levels = {**ablate.resolved(FAKE, "modern"), "Choose": "selection", "WindowWidth": "25"}
    # Without a name it is left alone: it searches the same tree, and has no level "off".
    assert "Choose" not in {variant.switch for variant in ablate.variants(known, levels)}
    (found,) = ablate.variants(known, levels, ["Choose"])
    assert (found.name, found.left_out) == ("Choose-sort", False)
    with pytest.raises(BadInput, match="WindowWidth has no levels"):
        ablate.variants(known, levels, ["WindowWidth"])


def test_a_named_switch_is_played_whatever_the_screen_says() -> None:
    chosen = [ablate.Variant(name, name, "off", True) for name in ("same", "hopeless", "other")]
    rows = [row("same", 1, 1, 1), row("hopeless", 9, 8, 10), row("other", 9, 8, 10)]
    screen = {"depth": 9, "variants": rows}
    kept, dropped = ablate.survivors(chosen, screen, 4.0, ("same", "hopeless"))
    assert [variant.name for variant in kept] == ["hopeless", "same"] and list(dropped) == ["other"]
    # Where games are limited by nodes a large tree costs nothing.
    kept, dropped = ablate.survivors(chosen, screen, None)
    assert [variant.name for variant in kept] == ["hopeless", "other"] and list(dropped) == ["same"]


def test_the_screen_and_the_match_are_experiments(tmp_path: Path) -> None:
    chosen = ablate.variants(sortie.ask(FAKE), ablate.resolved(FAKE, "modern"))
    found = of_tables(ablate.screen_tables("modern", FAKE, chosen, 7), "x.toml", tmp_path)
    assert found.screen is not None and found.screen.depth == 7
    assert [player.name for player in found.players] == [*(variant.name for variant in chosen), "base"]
    assert found.players[0].options == (("Preset", "modern"), ("LMR", "off"))
    keys = {"games": 40, "nodes": 500, "seed": 3}
    played = of_tables(ablate.match_tables("modern", FAKE, chosen[:2], keys), "x.toml", tmp_path)
    assert (played.games, played.limit, played.seed, played.screen) == (40, Limit(nodes=500), 3, None)


def row(name: str, ratio: float, low: float, high: float) -> dict[str, object]:
    return {"name": name, "ratio": ratio, "low": low, "high": high, "error": 0.1, "time_ratio": 1.0, "time_error": 0.1}


def test_survivors_and_ranking() -> None:
    chosen = [ablate.Variant(name, name, "off", True) for name in ("same", "small", "large", "hopeless", "better")]
    rows = [row("same", 1, 1, 1), row("small", 1.1, 1, 1.2), row("large", 2, 1.5, 3), row("hopeless", 9, 8, 10)]
    screen = {"depth": 9, "variants": [*rows, row("better", 0.5, 0.4, 0.6)]}
    kept, dropped = ablate.survivors(chosen, screen, 4.0)
    assert [variant.name for variant in kept] == ["large", "better", "small"]
    assert dropped == {"same": "same tree to depth 9", "hopeless": "more than 4 times the nodes"}
    results = {
        "large": PairingSummary("large", "base", 40, played=40, elo=-80.0, elo_error=30.0, los=0.0),
        "better": PairingSummary("better", "base", 40, played=40, elo=5.0, elo_error=30.0, los=0.6),
    }
    found = ablate.ranked(chosen, screen, dropped, results)
    assert [(line.variant.name, line.games) for line in found] == [
        *(("large", 40), ("better", 40)),
        *(("hopeless", 0), ("small", 0), ("same", 0)),
    ]
    assert found[3].note == "not within the budget"


@pytest.mark.parametrize(
    ("count", "games", "hours", "limit", "wanted"),
    [
        (10, 1000, None, Limit(base=2, increment=0.02), (10, 100)),
        (10, 90, None, Limit(base=2, increment=0.02), (4, 22)),
        (10, 19, None, Limit(base=2, increment=0.02), (0, 0)),
        (5, None, 1.0, Limit(movetime=0.1), (5, 110)),
    ],
)
def test_budget(count: int, games: int | None, hours: float | None, limit: Limit, wanted: tuple[int, int]) -> None:
    assert ablate.budget(count, games, hours, limit, 2) == wanted


def test_screen_only_from_the_command_line() -> None:
    words = ["--command", shlex.join(FAKE), "--depth", "4", "--screen-only", "--json"]
    done = CliRunner().invoke(command, words, catch_exceptions=False)
    data = json.loads(done.output.strip().splitlines()[-1])
    assert [line["name"] for line in data["variants"]] == ["TT-off", "LMR-off", "History-off", "Killers-0"]
    assert data["variants"][1]["nodes"]["ratio"] == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--games", "100", "--hours", "1"], "one budget only"),
        (["--games", "3"], "--games must be 20 or more"),
        (["--hours", "0"], "--hours must be above 0"),
        (["--hours", "1e306"], "--hours must be above 0 and 100,000 or less, not 1e"),
        (["--time", "1+1", "--nodes", "5"], "one limit only"),
        (["--screen-only", "--out", "games"], "--out is for games, and --screen-only plays none"),
        (["--base", "modren"], 'did you mean "modern"'),
        (["--switch", "LRM"], 'did you mean "LMR"'),
    ],
)
def test_mistakes(words: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        CliRunner().invoke(command, ["--command", shlex.join(FAKE), *words], catch_exceptions=False)


def test_a_folder_that_cannot_take_the_games_is_refused_before_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.analysis.node_screen.screen", lambda *_: pytest.fail("has searched"))
    with pytest.raises(BadInput, match="is a file; --out expects a folder"):
        CliRunner().invoke(command, ["--command", shlex.join(FAKE), "--out", __file__], catch_exceptions=False)


def test_a_budget_for_no_variant_is_refused_before_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.analysis.node_screen.screen", lambda *_: pytest.fail("has searched"))
    with pytest.raises(BadInput, match="the budget does not reach 20 games of one variant"):
        CliRunner().invoke(command, ["--command", shlex.join(FAKE), "--hours", "0.0001"], catch_exceptions=False)


def test_missing_games_are_told() -> None:
    chosen = [ablate.Variant("LMR-off", "LMR", "off", True)]
    cut = PairingSummary("LMR-off", "base", 20, played=17, elo=-80.0, elo_error=90.0, los=0.1)
    (line,) = ablate.ranked(chosen, {"variants": [row("LMR-off", 2, 1.5, 3)]}, {}, {"LMR-off": cut})
    assert (line.games, line.scheduled, line.note) == (17, 20, "3 of 20 games not played")


def test_ablation_with_the_real_engine(tmp_path: Path) -> None:
    """One switch of the built Sortie, screened and played at fixed nodes."""
    words = "--switch LMR --depth 6 --games 20 --nodes 300 --json --out".split()
    engine = f"{shlex.quote(sys.executable)} -m engine"
    done = CliRunner().invoke(
        command,
        ["--command", engine, *words, str(tmp_path / "out")],
        catch_exceptions=False,
        standalone_mode=False,
    )
    # A stop by a signal, a full disk or a failed start leaves games out: the log tells which it was.
    story = f"{done.output}\n{(tmp_path / 'out' / 'run.log').read_text()}"
    assert done.return_value == 0, story
    data = json.loads(done.output.strip().splitlines()[-1])
    (variant,) = data["variants"]
    assert (variant["name"], variant["games"], variant["scheduled"], variant["note"]) == ("LMR-off", 20, 20, ""), story
    assert variant["nodes"]["ratio"] > 1.0
    # The run's own end would tell the same figures a second time.
    assert done.output.count("left out (off)") == 1 and "LMR-off vs base" not in done.output.split("switch", 1)[1]
    assert f"results: {tmp_path / 'out'}" in done.output


def test_games_whose_folder_was_removed_have_no_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.run.start.begin", lambda *_, **__: 1)  # it has said so, and calls no end
    assert _play(mock.Mock(), None) == (1, None)
