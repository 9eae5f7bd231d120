"""The wheel and the standalone folder as their users get them: in a new environment, away from the checkout.

    python tests/ordeals/installed.py [wheel] [standalone]      both by default

`make wheel` and `make dist` build what is tried here. Needs pip and an index for the libraries of the wheel. Each step
prints its line and its seconds; the first that goes wrong ends with status 1.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WINDOWS = os.name == "nt"
MATE = "k7/8/8/2K5/8/8/8/7R w - - 0 1"  # in two


class Place:
    """An empty folder from which programs are run with hardly any environment."""

    def __init__(self, folder: Path, path: str) -> None:
        self.folder = folder
        kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}  # Windows needs them
        self.environment = {**kept, "PATH": path, "HOME": str(folder), "APPDATA": str(folder)}

    def run(self, *words: str | Path, status: tuple[int, ...] = (0,)) -> str:
        """What the program prints; ends everything when it fails, or says something of an error."""
        began = time.monotonic()
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )
        shown = " ".join(Path(words[0]).name if word is words[0] else str(word) for word in words)
        if done.returncode not in status or done.stderr:
            sys.exit(f"{shown}: status {done.returncode}\n{done.stdout}{done.stderr}")
        print(f"{time.monotonic() - began:6.1f} s  {shown}", flush=True)
        return done.stdout


def expect(pattern: str, text: str) -> re.Match[str]:
    """The place where the text has the pattern; ends everything when it has not."""
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        sys.exit(f"expected {pattern!r} in:\n{text}")
    return found


def converse(place: Place, program: Path, lines: str, until: str) -> str:
    """Sends the lines and `quit` only when the awaited one has come: the end of the input would end the search."""
    began = time.monotonic()
    words = [str(program)]
    with subprocess.Popen(
        words, cwd=place.folder, env=place.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(lines)
        process.stdin.flush()
        said = []
        patience = threading.Timer(60, process.kill)
        patience.start()
        for line in process.stdout:
            said.append(line)
            if re.match(until, line):
                break
        patience.cancel()
        if not said or not re.match(until, said[-1]):
            sys.exit(f"{program.name}: no {until} within 60 s of {lines!r}, but {''.join(said)}")
        process.stdin.write("quit\n")
        process.stdin.flush()
        if process.wait(60) != 0:
            sys.exit(f"{program.name}: status {process.returncode} after {''.join(said)}")
    print(f"{time.monotonic() - began:6.1f} s  a conversation up to {said[-1].strip()}", flush=True)
    return "".join(said)


def the_engine(place: Place, sortie: Path) -> None:
    """What every installed Sortie does."""
    bench = expect(r"^Sortie \d\S*, bench (\d+), compiled by", place.run(sortie, "--version"))[1]
    expect(rf"^{bench} nodes", place.run(sortie, "bench"))
    expect(r"^197281 ", place.run(sortie, "perft", "4"))
    answer = converse(place, sortie, f"uci\nposition fen {MATE}\ngo depth 8\n", "bestmove")
    expect(r"^id name Sortie", answer)
    expect(r"score mate 2 .*\nbestmove c5", answer)
    expect(r"^move \S+", converse(place, sortie, "xboard\nprotover 2\nnew\nsd 4\ngo\n", "move"))
    # Its own book comes along: the first move is there without a search.
    expect(
        r"^info string book .*\nbestmove",
        converse(place, sortie, "uci\nsetoption name OwnBook value true\ngo depth 5\n", "bestm"),
    )


def try_wheel(place: Place) -> None:
    """pip, then what the README promises: a game, the headline, a match, a report, from an empty folder."""
    wheels = sorted((ROOT / "build" / "packages").glob("*.whl"))
    if not wheels:
        sys.exit("no wheel in build/packages: make wheel")
    venv.create(place.folder / "environment", with_pip=True)
    programs = place.folder / "environment" / ("Scripts" if WINDOWS else "bin")
    ending = ".exe" if WINDOWS else ""
    pip: list[str | Path] = [programs / f"python{ending}", "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, wheels[-1]], check=True)
    the_engine(place, programs / f"sortie{ending}")
    subprocess.run([*pip, f"{wheels[-1]}[harness]"], check=True)
    gauntlet = programs / f"gauntlet{ending}"
    expect(r"^gauntlet \d", place.run(gauntlet, "--version"))
    expect(r"claim-c01", place.run(gauntlet, "experiments"))
    if WINDOWS:  # where only Sortie is promised
        return
    # On a busy machine half a second a game may cost one of them a fault: status 1, but all are played.
    place.run(gauntlet, "run", "headline", "--games", "4", status=(0, 1))
    if '"played": 12' not in place.run(gauntlet, "show", "results/headline", "--json"):
        sys.exit("results/headline: not 12 games")
    place.run(gauntlet, "report", "results/headline")
    if "<svg" not in (place.folder / "results/headline/report.html").read_text(encoding="utf-8"):
        sys.exit("results/headline/report.html: no picture in it")
    place.run(
        gauntlet,
        "match",
        "sortie",
        f"{programs / 'sortie'} --option LMR=off",
        "-n",
        "20",
        "--nodes",
        "2000",
        "--out",
        "mine",
    )
    shown = json.loads(place.run(gauntlet, "show", "mine", "--json").splitlines()[-1])
    if '"games": 20' not in json.dumps(shown):
        sys.exit(f"not 20 games: {shown}")


def try_standalone(place: Place) -> None:
    """The folder, copied to where nothing else is."""
    program = "sortie.exe" if WINDOWS else "sortie"
    if not (ROOT / "dist" / program).exists():
        sys.exit("no program in dist: make dist")
    folder = place.folder / "a folder"
    shutil.copytree(ROOT / "dist", folder, ignore=shutil.ignore_patterns("*.whl", "*.tar.gz"), symlinks=True)
    the_engine(place, folder / program)
    # Every line of the example is one that Sortie takes.
    ini = folder / "sortie.ini"
    lines = re.sub(r"(?m)^#(?=\w+ = )", "", ini.read_text(encoding="utf-8")).replace(r"C:\books\my book.bin", "")
    ini.write_text(lines, encoding="utf-8")
    said = converse(place, folder / program, "uci\n", "uciok")
    expect(r"^option name Hash type spin default 128 ", said)
    expect(r"^option name OwnBook type check default true", said)


def main(wanted: list[str]) -> None:
    for name in wanted:
        with tempfile.TemporaryDirectory(prefix=f"sortie-{name}-") as folder:
            print(f"{name}:")
            if name == "wheel":
                try_wheel(Place(Path(folder), os.defpath))
            elif name == "standalone":
                try_standalone(Place(Path(folder), str(Path(folder) / "nothing")))
            else:
                sys.exit(f"wheel or standalone, not {name}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["wheel", "standalone"])
