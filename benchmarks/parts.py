"""What parts of the search are worth, all in the same games: `gauntlet run` plays opposites against each other.

python benchmarks/parts.py DIR [--nodes N | --time T] [--rounds R] [--games G] [--engine COMMAND] [NAME=WITH/WITHOUT ...]

Leaving out one part at a time spends the games of each test on that part alone. Here every game has each part on one side
only: eight matches, in each of which one player has some of the parts and its opponent just the others, chosen by a Hadamard
matrix so that over the eight matches every other part stands as often with a part as against it. Each part is then judged by
all games, from the side that lacks it, at one eighth of the price; its worth is a mean over the others being there or not.
Source: Plackett and Burman, "The design of optimum multifactorial experiments" (1946), with each line folded over.

A part is an option with its level for having it and for lacking it, like ProbCut=on/off; up to eight (default: those that
docs/parts.toml left in doubt). A round is G games of each match; after each the script prints for each part the Elo of lacking
it with its 95 % interval, the LLR of the sequential test of --elo0 (lacking it costs so much: it stays) against --elo1 (it is not
worth it), and the verdict, which stays once given. DIR keeps the results folders; the same command goes on after a stop.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from harness.stats import elo as stats  # noqa: E402  (the script may be run from anywhere)
from harness.tables.summaries import bar  # noqa: E402

MATCHES = 8
PARTS = (
    "CaptHist=on/off",
    "CorrHist=on/off",
    "ProbCut=on/off",
    "InternalSearch=reduce/off",
    "Singular=on/off",
    "NullMove=verified/on",
    "CounterMove=on/off",
    "EscapeOrder=on/off",
)
GAUNTLET = [sys.executable, "-m", "harness"]
EXPERIMENT = """[experiment]
kind = "match"
games = {games}
seed = {seed}
{limit}

[adjudication]
resign_score = 600
resign_moves = 4
draw_score = 10
draw_moves = 6
draw_from = 34

[base]
{base}

[variants.opposite]
{opposite}
"""


class Part(NamedTuple):
    """An option of the engine, its level for having the part and for lacking it."""

    option: str
    on: str
    off: str


def lacks(match: int, part: int) -> bool:
    """Whether the base of this match (0 to 7) lacks this part (0 to 7): the signs of Sylvester's matrix of order 8."""
    return (match & part).bit_count() % 2 == 1


def experiment(parts: Sequence[Part], match: int, seed: int, games: int, limit: str, engine: str) -> str:
    """The experiment file of a match: the base lacks some parts, the variant all others."""
    base = [f"command = {json.dumps(engine)}"] if engine else []
    opposite = []
    for index, (option, on, off) in enumerate(parts):
        here, there = (off, on) if lacks(match, index) else (on, off)
        base.append(f'{option} = "{here}"')
        opposite.append(f'{option} = "{there}"')
    return EXPERIMENT.format(games=games, seed=seed, limit=limit, base="\n".join(base), opposite="\n".join(opposite))


def gauntlet(*words: str) -> str:
    """What `gauntlet words` prints; ends this script with its status when it was stopped or refused its file."""
    # In a session of its own: a Ctrl-C reaches it once, from here.
    with subprocess.Popen([*GAUNTLET, *words], cwd=ROOT, stdout=PIPE, text=True, start_new_session=True) as process:
        try:
            said, _ = process.communicate()
        except (KeyboardInterrupt, SystemExit):
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
    if process.returncode not in (0, 1):  # 1: a player had a fault, which its games show
        sys.exit(process.returncode)
    return said


def played(folder: Path, text: str) -> list[int]:
    """The pentanomial of a match from its variant's view; plays it first, or what is left of it."""
    source = folder.with_suffix(".toml")
    if folder.exists():
        if source.read_text() != text:
            sys.exit(f"{folder}: holds another experiment than this command's ({source}): expected a new DIR")
        gauntlet("resume", str(folder))
    else:
        source.write_text(text)
        gauntlet("run", str(source), "--out", str(folder))
    counts: list[int] = json.loads(gauntlet("show", str(folder), "--json"))["pairings"][0]["pentanomial"]
    return counts


def without(part: int, matches: Sequence[Sequence[int]]) -> list[int]:
    """The pairs of all matches (in their order, round after round) from the view of the side that lacks a part."""
    total = [0] * 5
    for number, counts in enumerate(matches):
        seen = counts[::-1] if lacks(number % MATCHES, part) else counts
        total = [a + b for a, b in zip(total, seen, strict=True)]
    return total


def verdict(part: int, matches: Sequence[Sequence[int]], elo0: float, elo1: float) -> str:
    """How the sequential test of a part ended after the first round that ended it; "" while none did."""
    lower, upper = stats.bounds()
    for end in range(MATCHES, len(matches) + 1, MATCHES):
        counts = without(part, matches[:end])
        llr = stats.llr(counts, elo0, elo1, "logistic")
        if not lower < llr < upper:
            return f"{'stays' if llr <= lower else 'not worth it'} ({2 * sum(counts)} games)"
    return ""


def show(parts: Sequence[Part], matches: Sequence[Sequence[int]], elo0: float, elo1: float) -> None:
    """A line per part: what leaving it out is worth."""
    for index, (option, _, off) in enumerate(parts):
        counts = without(index, matches)
        found = stats.estimate(counts)
        llr = stats.llr(counts, elo0, elo1, "logistic")
        worth = bar(found.elo, found.elo_error)
        ended = verdict(index, matches, elo0, elo1) or "undecided"
        print(f"{f'{option}={off}':<20} {worth:>16}   LLR {llr:+.2f}   {ended}")
    print(f"{2 * sum(sum(counts) for counts in matches)} games", flush=True)


def part(text: str) -> Part:
    """NAME=WITH/WITHOUT; argparse names what is not."""
    option, _, levels = text.partition("=")
    on, _, off = levels.partition("/")
    if not (option and on and off):
        raise ValueError
    return Part(option, on, off)


def whole(text: str) -> int:
    """A number from 1 on; argparse names what is not."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def even(text: str) -> int:
    """An even number from 2 on."""
    number = int(text)
    if number < 2 or number % 2:
        raise ValueError
    return number


def main() -> int:
    parser = argparse.ArgumentParser(description="what parts of the search are worth, all in the same games")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the results folders go")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=whole, default=20000, help="nodes a move (default 20000)")
    limit.add_argument("--time", help='a clock instead, like "0.5+0.005"')
    parser.add_argument("--rounds", type=whole, default=5, help="at most (default 5)")
    parser.add_argument("--games", type=even, default=64, help="of each of the eight matches in a round (default 64)")
    parser.add_argument("--engine", default="", help="the engine's command (default: the sortie of this environment)")
    parser.add_argument("--elo0", type=float, default=-20.0, help="a part that costs so much when left out stays (-20)")
    parser.add_argument("--elo1", type=float, default=0.0, help="a part that costs so little is not worth it (0)")
    parser.add_argument("parts", nargs="*", type=part, metavar="NAME=WITH/WITHOUT", help="an option and two levels")
    arguments = parser.parse_intermixed_args()
    parts = arguments.parts or [part(text) for text in PARTS]
    if len(parts) > MATCHES:
        parser.error(f"expected at most {MATCHES} parts, not {len(parts)}")
    if not arguments.elo0 < arguments.elo1:
        parser.error(f"argument --elo0: expected less than --elo1, not {arguments.elo0:g} and {arguments.elo1:g}")
    words = f'time = "{arguments.time}"' if arguments.time else f"nodes = {arguments.nodes}"
    arguments.folder.mkdir(parents=True, exist_ok=True)
    matches: list[list[int]] = []
    for turn in range(1, arguments.rounds + 1):
        for number in range(MATCHES):
            text = experiment(parts, number, turn, arguments.games, words, arguments.engine)
            folder = arguments.folder.resolve() / f"round-{turn}-match-{number + 1}"
            matches.append(played(folder, text))
        print(f"after round {turn}:")
        show(parts, matches, arguments.elo0, arguments.elo1)
        if all(verdict(index, matches, arguments.elo0, arguments.elo1) for index in range(len(parts))):
            break
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
