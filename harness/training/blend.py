"""Scores of searches mixed with a static evaluation: what `sortie score` says of each position, by processes side by side,
or what a teacher (teacher.py) says of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.engines import sortie
from harness.errors import BadInput
from harness.training import positions
from harness.training.card import card_of, data_records
from harness.training.collect import digest, record_origin, refuse_played
from harness.training.positions import MOST_SCORE, Records

PART = 50_000  # positions for a process, some two seconds
Scores = np.ndarray[tuple[int], np.dtype[np.float64]]  # centipawns from the side to move
Scorer = Callable[[Records], Scores]


@dataclass(frozen=True, slots=True)
class Blend:
    """`share`: of the static score, 0 to 1; the rest is the position's own. `terms`: of the terms in the static score.

    `networks`: files whose mean has what the terms leave of it, none for the shipped one. `teacher`: the file of a
    network of `gauntlet teach`, whose score is the static one in place of all these. `men`: positions of fewer keep their own
    score; a teacher needs it, which knows less of the last endings than a search does.
    """

    share: float
    terms: float
    networks: tuple[str, ...] = ()
    teacher: str = ""
    men: int = 0

    def told(self) -> dict[str, Any]:
        """For the record of the file."""
        if self.teacher:
            card = {"card": card_of(Path(self.teacher))}
            whose = f"{Path(self.teacher).name} {digest(self.teacher)}"
            return {"share": self.share, "men": self.men, "teacher": whose, **card}
        networks = [f"{Path(name).name} {digest(name)}" for name in self.networks] or "shipped"
        return {"share": self.share, "men": self.men, "terms": self.terms, "networks": networks}

    def scorer(self) -> Scorer:
        """What gives positions their static scores. Raises BadInput if the teacher's file is none."""
        if self.teacher:
            from harness.training import teacher  # needs PyTorch, which nothing else here does

            known, device = teacher.read(self.teacher), teacher.best_device()
            known.to(device)
            return lambda part: known.scores(part, device)
        command = self.command()
        return lambda part: scores_of(part, command)

    def command(self) -> list[str]:
        """The words that start a process which scores."""
        words = [sortie.beside(), "score", "--terms", str(self.terms)]
        return words + [word for name in self.networks for word in ("--network", name)]


def blend(files: Sequence[Path], out: Path, how: Blend, count: int, show: Callable[[int], None]) -> int:
    """Write the positions of the files, in their order, with mixed scores, and the file's record; returns how many.

    `count`: processes at a time; `show` hears after each part how many are done. Raises BadInput; the old file stays
    until the new one is whole.
    """
    refuse_played(out)
    sources = [positions.read(file) for file in files]
    for file, source in zip(files, sources, strict=True):
        positions.refuse_damaged(file, source)
    if not any(map(len, sources)):
        raise BadInput(f"{', '.join(map(str, files))}: no positions to blend")
    told = {"blend": how.told(), "of": data_records(files)}
    static = how.scorer()
    parts = [source[at : at + PART] for source in sources for at in range(0, len(source), PART)]

    def mixed() -> Iterator[Records]:
        done = 0
        pool = ThreadPoolExecutor(1 if how.teacher else count)  # PyTorch spreads a teacher's work itself
        try:
            for part in pool.map(lambda part: mix(part, how.share, static(part), how.men), parts):
                done += len(part)
                show(done)
                yield part
        finally:
            pool.shutdown(cancel_futures=True)

    written = positions.write(out, mixed())
    record_origin(out, told)
    return written


def scores_of(part: Records, command: Sequence[str]) -> Scores:
    """The static scores of positions, centipawns from the side to move, by one process. Raises BadInput."""
    try:
        done = subprocess.run(command, input=part.tobytes(), capture_output=True, check=False)
    except OSError as error:
        raise BadInput(f"{command[0]}: {error.strerror or error}") from None
    if done.returncode or len(done.stdout) != 8 * len(part):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BadInput(said[-1] if said else f"sortie score: exit status {done.returncode}")
    return np.frombuffer(done.stdout, "<f8")


def mix(part: Records, share: float, static: Scores, men: int = 0) -> Records:
    """A copy of the positions whose scores are `share` of the static ones and the rest their own, all of it with fewer `men`."""
    found = part.copy()
    mixed = np.round(share * static + (1 - share) * part["score"])
    many = np.bitwise_count(part["occupancy"]) >= men
    found["score"] = np.where(many, np.clip(mixed, 1 - MOST_SCORE, MOST_SCORE - 1), part["score"])
    return found
