"""The reference of the experiment file: it has every key, its examples are accepted, its defaults are the reader's."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import synthetic
from engine_process import ROOT
from here import gauntlet, refusal

from harness.errors import BadInput
from harness.spec import keys, reader
from harness.spec.writer import dump

ENGINES = "[engines.a]\ncommand = 'python3'\n[engines.b]\ncommand = 'python3'\n"
KIND = {"rounds": "swiss", "tiebreaks": "knockout", "divisions": "league", "promote": "league", "seasons": "league"}
WITH = {
    "start": 'order = "sequential"',
    "resign_moves": "resign_score = 900",
    "resign_sides": "resign_score = 900",
    "draw_moves": "draw_score = 10",
    "draw_from": "draw_score = 10",
    "syzygy_men": 'syzygy = "tables"',
    "syzygy_fifty": 'syzygy = "tables"',
}
EVERY = [(section, key) for section in keys.SECTIONS for key in section.keys]


def parse(folder: Path, text: str) -> dict[str, dict[str, object]]:
    """What the reader makes of a file, as the writer puts it down with every default."""
    return tomllib.loads(dump(reader.parse(text, "x.toml", folder, check=False)))


def experiment(section: keys.Section, lines: str, kind: str = "gauntlet") -> str:
    """A file that holds these lines in a table; Sortie's command is named, so that none need be installed."""
    tables = {"experiment": f'kind = "{kind}"\n'} if kind != "gauntlet" else {}
    name = section.name.replace("NAME", "x")
    tables[name] = tables.get(name, "") + lines
    if name.startswith(("base", "variants")):
        tables.setdefault("base", "")
        tables.setdefault("variants.x", "")
    engines = ENGINES
    if name.startswith("spsa"):
        tables.setdefault("spsa", "games = 100")
        tables.setdefault(
            "spsa.parameters.x", next(each.needs for each in keys.SECTIONS if each.name.startswith("spsa."))
        )
        engines = ENGINES.partition("[engines.b]")[0]
    return "".join(f"[{table}]\n{body}\n" for table, body in tables.items()) + engines


@pytest.mark.parametrize(("section", "key"), EVERY, ids=lambda value: value.name)
def test_the_example_of_every_key_is_read(tmp_path: Path, section: keys.Section, key: keys.Key) -> None:
    line = f"{key.name} = {key.example}"
    needed = [part for part in section.needs.splitlines() if not part.startswith(f"{key.name} =")]
    if not section.name.startswith("spsa") and key.name in WITH and WITH[key.name] not in needed:
        needed.append(WITH[key.name])
    if key.name in ("ref", "build"):
        needed.append('git = "engine.git"')
    if section.name == "engines.NAME" and key.name == "hidden":
        needed.append("options = { Hash = 16 }")
    kind = KIND.get(key.name, "gauntlet") if section.name == "tournament" else "gauntlet"
    text = experiment(section, "\n".join([*needed, line]), kind)
    if section.name == "experiment" and key.name == "base":
        text += "[base]\n"
    if key.name == "rounds":
        text += "[engines.c]\ncommand = 'python3'\n"
    parse(tmp_path, text)
    # The same key with a letter more is unknown, and told so.
    with pytest.raises(BadInput, match=f'unknown key "{key.name}x": did you mean'):
        parse(tmp_path, text.replace(f"\n{line}", f"\n{key.name}x = {key.example}"))


WITH_DEFAULT = [
    (s, k) for s, k in EVERY if k.default[:1] not in ("", "(") and s.name != "claim" and k.name != "protocol"
]


@pytest.mark.parametrize(("section", "key"), WITH_DEFAULT, ids=lambda value: value.name)
def test_the_default_of_every_key_is_the_readers(tmp_path: Path, section: keys.Section, key: keys.Key) -> None:
    kind = KIND.get(key.name, "gauntlet") if section.name == "tournament" else "gauntlet"
    needed = [part for part in section.needs.splitlines() if not part.startswith(f"{key.name} =")]
    found = parse(tmp_path, experiment(section, "\n".join(needed), kind))
    if key.name == "start":  # written down only where it is another
        assert "start" not in found["openings"] and key.default == "1"
        return
    assert found[section.name][key.name] == tomllib.loads(f"x = {key.default}")["x"]


def test_a_default_in_words_or_none_is_not_a_value(tmp_path: Path) -> None:
    found = parse(tmp_path, "[engines.x]\ncommand = 'python3'\n" + ENGINES)
    assert found["engines"]["x"]["protocol"] == "auto"  # type: ignore[index]
    for _, key in EVERY:
        assert key.example and (not key.default.startswith("(") or key.default.endswith(")"))


def test_the_page_of_the_reference_is_the_generated_one() -> None:
    text = (ROOT / "docs" / "experiment-file.md").read_text(encoding="utf-8")
    assert text.endswith("\n" + keys.reference()), "make it again: gauntlet keys --markdown"
    assert gauntlet("keys", "--markdown").stdout == keys.reference()


def test_keys_of_one_table(tmp_path: Path) -> None:
    done = gauntlet("keys", "sprt")
    assert done.returncode == 0 and re.findall(r"^  (\w+) +\w", done.stdout, re.MULTILINE)[0] == "elo0"
    assert 'did you mean "sprt"' in refusal("keys", "spr")


def test_the_example_plays_as_it_stands_and_with_every_comment_mark_gone(tmp_path: Path) -> None:
    path = tmp_path / "first.toml"
    assert gauntlet("init", path).returncode == 0
    assert "not overwritten" in refusal("init", path)
    text = path.read_text()
    assert [player.name for player in reader.load(path).players] == ["lmr-off", "base"]
    for section in keys.SECTIONS:
        for key in section.keys:
            assert re.search(rf"^(# )?{key.name} = .*  # {re.escape(key.meaning)}$", text, re.MULTILINE)
    bare = re.sub(r"^# (\[|\w+ = )", r"\1", text, flags=re.MULTILINE)
    assert set(tomllib.loads(bare.replace("NAME", "x"))) == set(keys.tables())


def test_a_disk_without_room_for_the_example_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "first.toml"
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", "init", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
    )
    assert (done.returncode, done.stderr) == (2, f"{path}: cannot be written: File too large\n")
    assert not list(tmp_path.iterdir())


def test_the_shipped_experiments_are_listed_with_a_line_each() -> None:
    done = gauntlet("experiments")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == reader.shipped_experiments()
    assert all(len(line.split(None, 1)[1]) > 15 for line in lines)
    # A sentence is whole, however many lines of the file it takes.
    assert all(line.endswith((".", ")")) or "claim-" in line for line in lines), lines


def test_an_unknown_experiment_is_told_what_there_is(tmp_path: Path) -> None:
    for name, hint in (
        ("nosuch", '"nosuch". Shipped are headline, parts, smoke'),
        ("headlin", 'did you mean "headline"?'),
    ):
        told = refusal("run", name, cwd=tmp_path)
        assert hint in told and "gauntlet experiments" in told


def test_who_plays_whom_is_said_before_the_first_game(tmp_path: Path) -> None:
    from harness.tables.summaries import who_plays

    def said(text: str) -> str:
        return who_plays(reader.parse(text, "x.toml", tmp_path, check=False))

    fake = f"[base]\ncommand = {synthetic.FAKE!r}\n"
    assert said(fake + "[variants.a]\n[variants.b]\n[variants.c]\n[experiment]\ngames = 200\n") == (
        "3 pairings of 200 games: a, b and c, each against base (Sortie)"
    )
    assert said(ENGINES) == "1 pairing of 100 games: a against b (python3)"
    assert said(f"[experiment]\nbase = 'b'\n{ENGINES}") == "1 pairing of 100 games: a against b (python3)"
    assert said(f"[experiment]\nkind = 'match'\n{ENGINES}") == "1 pairing of 100 games: a against b (python3)"
    assert said(f"[experiment]\nkind = 'roundrobin'\n{ENGINES}[base]\n") == (
        "3 pairings of 100 games: a, b and base, everyone against everyone"
    )
    assert said(f"[experiment]\nkind = 'swiss'\n{ENGINES}") == "swiss, 2 games a meeting: a and b"
