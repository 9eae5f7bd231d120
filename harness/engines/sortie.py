"""Sortie's options, asked of the program itself, so that the harness need not know them."""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import BadInput, suggestion

TUNE = "tune."  # how the names of parameters begin, which Sortie takes as options and does not announce
_TRUE, _FALSE = ("on", "true", "1"), ("off", "false", "0")


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option as Sortie prints it; low and high bound a spin."""

    name: str
    kind: str  # check, spin, combo, string, file, path; button, save and reset cannot be set
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    default: str = ""
    step: int | None = None  # of a parameter: what a tuner may change it by at a time

    def normalise(self, value: object) -> str:
        """The value as it is sent. Raises ValueError with the end of a message: `has no level "tabel" ...`."""
        text = ("on" if value else "off") if isinstance(value, bool) else str(value)
        if isinstance(value, dict | list):
            raise ValueError("must be a string, a number or true/false")
        if any(ord(letter) < 32 for letter in text):
            raise ValueError("must be one line of text")
        if self.kind == "check":
            if text.lower() in _TRUE:
                return "1"
            if text.lower() in _FALSE:
                return "0"
            raise ValueError(f'has no level "{text}"{suggestion(text, ("on", "off"))}')
        if self.kind == "combo":
            if text in self.choices:
                return text
            raise ValueError(f'has no level "{text}"{suggestion(text, self.choices)}')
        if self.kind in ("spin", "slider"):
            try:
                number = int(text)
            except ValueError:
                raise ValueError(f'must be a whole number, not "{text}"') from None
            if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
                raise ValueError(f"must be {self.low} to {self.high}, not {number}")
            return str(number)
        if self.kind in ("button", "save", "reset"):
            raise ValueError("is a button and holds no value")
        return text


Ask = Callable[[tuple[str, ...]], Mapping[str, OptionSpec]]


def beside() -> str:
    """The `sortie` in the folder of the running gauntlet (or of its Python). Raises BadInput when there is none."""
    folders = [Path(sys.argv[0]).resolve().parent, Path(sys.executable).parent]
    for folder in folders:
        for name in ("sortie", "sortie.exe"):
            candidate = folder / name
            if candidate.is_file() and os.access(candidate, os.X_OK):
                return str(candidate)
    raise BadInput(f"no sortie beside gauntlet in {folders[-1]}: build it, or name one by [base] command")


ANSWER_TIME = 10.0  # seconds for `options --json`; Sortie takes a tenth of one
LOOK_EVERY = 0.25  # seconds between two looks at what has been printed so far


class _Refusal(ValueError):
    """Sortie's own line why it does not start, such as a kernel older than its source."""


@functools.cache
def ask(command: tuple[str, ...]) -> Mapping[str, OptionSpec]:
    """Every option of this Sortie by name, from `sortie options --json`; asked once a process."""
    try:
        return parse_options(_listed(command, "--json"))
    except _Refusal as refusal:
        raise BadInput(f"{command[0]}: {refusal}") from None
    except (IndexError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _stranger(command[0], "`options --json` does not list Sortie's options") from None


@functools.cache
def tunables(command: tuple[str, ...]) -> Mapping[str, OptionSpec]:
    """The parameters of this Sortie by the names they are set by (tune.NAME); none where it knows none."""
    try:
        return {
            TUNE + row["name"]: OptionSpec(
                TUNE + row["name"],
                "spin",
                low=int(row["least"]),
                high=int(row["most"]),
                default=str(row["default"]),
                step=int(row["step"]),
            )
            for row in _listed(command, "--tunable", "--json")["tunable"]
        }
    except (IndexError, ValueError, KeyError, TypeError):
        return {}


def release(printed: str) -> str:
    """The name and version in a line that `sortie --version` prints: what follows, the compiler, changes no move."""
    return printed.partition(",")[0]


BENCH_TIME = 60.0  # seconds for `bench --json`; Sortie takes a third of one


def bench(command: tuple[str, ...]) -> int | None:
    """The node count of `sortie bench`, by which builds are told apart; None where this one has no bench."""
    try:
        done = subprocess.run(
            [*command, "bench", "--json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=BENCH_TIME,
            check=True,
        )
        return int(json.loads(done.stdout.strip().splitlines()[-1])["nodes"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, IndexError, TypeError):
        return None


NETWORK = "NetworkFile"
ANY_POSITION = "8/8/8/4k3/8/8/P7/KQ6 w - - 0 1"


def network_fault(command: tuple[str, ...], file: str, folder: str | None) -> str | None:
    """Why this Sortie cannot use a network, in its own words; None if it can.

    In a game it would say so in a remark and play on with its other evaluation: games of another player than was asked for.
    """
    words = [*command, "eval", ANY_POSITION, "--option", f"{NETWORK}={file}"]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=ANSWER_TIME, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.strip().splitlines()
    return said[-1].removeprefix("sortie eval: ") if done.returncode and said else None


def alike(name: str, known: Iterable[str]) -> list[str]:
    """The names to compare a wrong one with: for tune.NAME those of the parameters, if there are any."""
    names = list(known)
    return [other for other in names if other.startswith(TUNE) == name.startswith(TUNE)] or names


def _listed(command: tuple[str, ...], *words: str) -> Any:
    """The JSON that `sortie options` prints as its last line; raises IndexError or ValueError where there is none."""
    found = shutil.which(command[0])
    if found is None:
        raise BadInput(f"{command[0]}: no such program")
    printed = _printed([found, *command[1:], "options", *words], command[0])
    return json.loads(printed.decode("utf-8", "replace").strip().splitlines()[-1])


def _stranger(program: str, why: str) -> BadInput:
    return BadInput(
        f"{program}: is not Sortie, whose [base] and [variants] are ({why}): other engines go in [engines.NAME]"
    )


def _printed(words: list[str], program: str) -> bytes:
    """All that the command prints. One that prints no JSON, or says nothing, is not waited for.

    Raises _Refusal where it is a Sortie that does not start.
    """
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        raise BadInput(f"{program}: cannot ask for its options: {error}") from None
    until = time.monotonic() + ANSWER_TIME
    try:
        while True:
            try:
                printed, complaint = process.communicate(timeout=LOOK_EVERY)
                if process.returncode and not printed and complaint.startswith(b"sortie: "):
                    raise _Refusal(complaint.decode("utf-8", "replace").removeprefix("sortie: ").splitlines()[0])
                return printed
            except subprocess.TimeoutExpired as unfinished:
                if not (unfinished.output or b"{").lstrip().startswith((b"{", b"[")):
                    raise _stranger(program, "it answered `options --json` with something else") from None
                if time.monotonic() > until:
                    raise _stranger(program, f"no answer to `options --json` within {ANSWER_TIME:g} s") from None
    finally:
        if process.poll() is None:
            # With its children, if it is the script of an engine: it leads a group of its own.
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
            process.communicate()


def parse_options(printed: object) -> dict[str, OptionSpec]:
    """The options from what Sortie printed: a list of objects, or an object that holds it under "options"."""
    rows = printed["options"] if isinstance(printed, dict) else printed
    if not isinstance(rows, list):
        raise TypeError("no list of options")
    specs = {}
    for row in rows:
        choices = tuple(str(choice) for choice in (row.get("choices") or row.get("levels") or ()))
        low, high = row.get("min", row.get("low")), row.get("max", row.get("high"))
        kind = str(row["type"]).lower()
        default = str(row.get("default", ""))
        specs[str(row["name"])] = OptionSpec(str(row["name"]), kind, choices, _bound(low), _bound(high), default)
    aliases = printed.get("aliases") if isinstance(printed, dict) else None
    for alias, name in (aliases or {}).items():
        specs[alias] = specs[name]
    return specs


def _bound(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
