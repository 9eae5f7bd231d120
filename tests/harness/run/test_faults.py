"""What a run says at once of an engine that does not do what it was asked."""

from __future__ import annotations

from pathlib import Path

from fake_engines.runs import experiment, gauntlet


def test_an_engine_that_ignores_its_number_of_nodes_is_named_once_while_the_run_goes_on(tmp_path: Path) -> None:
    """Scripted engines tell a little more than a hundred nodes, whatever they are asked for."""
    text = "[experiment]\nkind = 'match'\ngames = 8\nnodes = 100\nmax_moves = 12\nconcurrency = 1"
    spec = experiment(tmp_path, text, keeps="nps", ignores="nps")
    spec.write_text(spec.read_text().replace("[engines.ignores]", "[engines.ignores]\nnodes = 50000"))
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr
    named = [line for line in done.stdout.splitlines() if "were asked for" in line]
    sentence = "ignores searched 106 nodes a move on average, where 50,000 were asked for"
    assert named[0].startswith(f"game 1: {sentence}") and sentence in named[1] and len(named) == 2, named
    assert f"game 1: {sentence}" in (tmp_path / "out" / "run.log").read_text()
