"""Factorials and sweeps played by Sortie itself: stopped, gone on with, shown, reported, the same again."""

from __future__ import annotations

import random
import shlex
import sys
from pathlib import Path

import kill_nine
from fake_engines.runs import gauntlet, show

SORTIE = f"{shlex.quote(sys.executable)} -m engine"
FACTORIAL = f"""
[experiment]
kind = "factorial"
games = 32
nodes = 30
concurrency = 2
patience = 60
[base]
command = {SORTIE!r}
[variants.no-lmr]
LMR = "off"
[variants.no-history]
History = "off"
[variants.no-killers]
Killers = 0
[sprt]
elo0 = -400
elo1 = 0
model = "logistic"
"""


def test_a_factorial_that_is_killed_ends_as_one_left_in_peace(tmp_path: Path) -> None:
    spec = tmp_path / "parts.toml"
    spec.write_text(FACTORIAL)
    calm, hurt = tmp_path / "calm", tmp_path / "hurt"
    done = gauntlet("run", spec, "--out", calm, "--concurrency", "1", seconds=300)
    assert done.returncode == 0, done.stderr
    assert "3 changes of base in 4 matches of 8 games: each side has some, the other just the others" in done.stdout
    lines = done.stdout.splitlines()
    assert [line.split("   ")[0] for line in lines[-4:-1]] == [
        f"{name} vs base" for name in ("no-lmr", "no-history", "no-killers")
    ]
    one = kill_nine.Ordeal(spec, hurt, random.Random(2))
    one.start()
    assert one.blow(60.0, games=4) is not None, "the run was over before it was killed"
    assert one.run is not None
    one.run.communicate(timeout=300)
    first, second = show(calm), show(hurt)
    decided = [[row["sprt"] for row in found["pairings"]] for found in (first, second)]
    # Which games beyond the verdicts were still under way is chance; those that both played are the same.
    calm_moves, hurt_moves = kill_nine.moves(calm), kill_nine.moves(hurt)
    both = calm_moves.keys() & hurt_moves.keys()
    assert len(both) >= 8 and all(calm_moves[number] == hurt_moves[number] for number in both)
    for calmly, again in zip(*decided, strict=True):
        if calmly["verdict"] is not None:
            assert again["verdict"] == calmly["verdict"]
    text = gauntlet("show", hurt).stdout
    assert "one side" in text and "other side" in text
    assert gauntlet("report", hurt).returncode == 0
    page = (hurt / "report.html").read_text()
    assert 'id="matches"' in page and "no-killers vs base" in page and 'id="ranking"' not in page
    assert gauntlet("report", hurt, "--format", "md").returncode == 0
    assert "## Matches" in (hurt / "report.md").read_text()
    rated = gauntlet("ratings", hurt)
    assert (rated.returncode, rated.stdout) == (2, "") and rated.stderr.count("\n") == 1


def test_a_sweep_is_played_shown_and_drawn(tmp_path: Path) -> None:
    spec = tmp_path / "sweep.toml"
    text = FACTORIAL.replace('kind = "factorial"\n', "").replace("nodes = 30\n", "").split("[sprt]")[0]
    spec.write_text(text.replace("games = 32", "games = 2") + "[sweep]\nnodes = [10, 20]\n")
    out = tmp_path / "out"
    done = gauntlet("run", spec, "--out", out, seconds=300)
    assert done.returncode == 0, done.stderr
    assert "3 pairings of 2 games, at each of 2 limits: no-lmr, no-history, no-killers, base" in done.stdout
    assert "12 games at 10 to 20 nodes a move" in " ".join(done.stdout.split())
    found = show(out)
    assert [(curve["a"], [point["limit"] for point in curve["points"]]) for curve in found["sweep"]] == [
        (name, [10, 20]) for name in ("no-lmr", "no-history", "no-killers")
    ]
    assert gauntlet("resume", out).returncode == 0
    assert gauntlet("report", out).returncode == 0
    assert 'id="sweep"' in (out / "report.html").read_text()
    assert '[Limit "nodes=20"]' in gauntlet("pgn", out).stdout
    assert gauntlet("verify", out).stdout.startswith("12 games replayed move for move, 0 differ")
