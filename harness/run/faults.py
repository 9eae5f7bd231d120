"""The faults of a run: engines that do not start, games that kill their slots, and a file about each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.journal.journal import FAILED_STARTS, Journal
from harness.journal.record import GameRow, PackedGame
from harness.model import Job
from harness.run.log import Log
from harness.slots.interface import Failed
from harness.spec.settings import Experiment
from harness.tables.numbers import loose_limit

ENOUGH = 8  # moves of a game that show whether a player keeps to its number of nodes


class Faults:
    """Keeps the faults of a run in its journal and folder, and knows what must not be tried again."""

    def __init__(
        self,
        experiment: Experiment,
        folder: Path,
        journal: Journal,
        log: Log,
        note: Callable[[str], None],
        count: Callable[[int, str], None],
    ) -> None:
        """`note` is called with every fault in words, `count` with the player and reason of a fault without a game."""
        self._experiment = experiment
        self._folder = folder
        self._journal = journal
        self._log = log
        self._note = note
        self._count = count
        self._in_a_row: dict[int, int] = {}  # failed starts, by player
        self.out: set[int] = set()  # players whose other games stay unplayed
        self.spoiled: set[int] = set()  # games that killed their slots: never tried again
        self._loose: set[int] = set()  # players of whom has been said that they do not keep to their number of nodes

    def hopeless(self, job: Job) -> bool:
        """Says whether a game must not be tried any more."""
        return job.white in self.out or job.black in self.out or job.id in self.spoiled

    def started(self, *players: int) -> None:
        """Resets the count of failed starts of players that have played a game."""
        for player in players:
            self._in_a_row[player] = 0

    def watch(self, row: GameRow) -> None:
        """Says of a player, once, that it does not keep to its number of nodes: no reason to wait for the run's end."""
        for colour, index in enumerate((row.white, row.black)):
            sums = row.sums(colour)
            if index in self._loose or sums.counted < ENOUGH:
                continue
            if (said := loose_limit(self._experiment.players[index], sums.nodes / sums.counted)) is not None:
                self._loose.add(index)
                self._note(f"game {row.id}: {said}")

    def lost(self, game: PackedGame) -> None:
        """Notes a game that a player has lost by a fault."""
        evidence = json.loads(game.evidence)
        player = self._experiment.players[evidence["player"]].name
        text = f"game {game.row.id}: {player} loses by {game.row.reason}: {game.row.detail}"
        self._note(text)
        self._write(game.row.id, text, evidence)

    def failed(self, failed: Failed) -> None:
        """Notes a start that gave no game; after FAILED_STARTS in a row the player is out."""
        evidence = {
            **_evidence(failed.player, "start", failed.job),
            "transcript": failed.transcript,
            "stderr": failed.stderr,
            "exit_code": failed.exit_code,
        }
        self._journal.add_failed_start(failed.player, failed.job.id, failed.detail, evidence)
        self._count(failed.player, "start")
        player = self._experiment.players[failed.player].name
        text = f"game {failed.job.id}: {player} does not start: {failed.detail}"
        starts = self._in_a_row[failed.player] = self._in_a_row.get(failed.player, 0) + 1
        if starts >= FAILED_STARTS and failed.player not in self.out:
            self.out.add(failed.player)
            text += "; its other games stay unplayed"
        self._note(text)
        self._write(failed.job.id, text, evidence)

    def spoil(self, jobs: Sequence[Job], why: str) -> None:
        """Blames both players for games that kill their slots; these are never tried again.

        Nobody knows which of the two did it: the slot that could tell has died.
        """
        text = f"{why}: a fault of its engines, not played again"
        self._note(text)
        for job in jobs:
            self.spoiled.add(job.id)
            for player in dict.fromkeys((job.white, job.black)):
                evidence = _evidence(player, "crash", job)
                self._journal.add_failed_start(player, job.id, why, evidence)
                self._count(player, "crash")
            self._write(job.id, text, evidence)

    def _write(self, game: int, text: str, evidence: Mapping[str, Any]) -> None:
        code = evidence["exit_code"]
        lines = [text, f"position: {evidence['position']}"]
        lines += [*([] if code is None else [f"exit status: {code}"]), "", "last lines:"]
        for entry in evidence["transcript"]:
            mark, _, rest = str(entry).partition(" ")
            lines += [f"{mark} {part}" for part in rest.split("\n")]
        lines += ["", "standard error:", str(evidence["stderr"]), ""]
        path = self._folder / "faults" / f"{game}.txt"
        try:
            path.parent.mkdir(exist_ok=True)
            with open(path, "a", encoding="utf-8", errors="replace") as file:
                file.write("\n".join(lines))
        except OSError:
            self._log(f"{path} could not be written")


def _evidence(player: int, reason: str, job: Job) -> dict[str, Any]:
    """What is known of a fault without a game, in the form of the faults in games."""
    return {
        "player": player,
        "reason": reason,
        "position": job.opening.fen,
        "transcript": (),
        "stderr": "",
        "exit_code": None,
    }
