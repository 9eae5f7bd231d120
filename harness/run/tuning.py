"""What a tuning run does besides its games: a rehearsal before the first, a file of the values after the last."""

from __future__ import annotations

import math
from pathlib import Path

import chess

from harness.analysis import tuned
from harness.engines.children import adopting_orphans
from harness.engines.client import Refused, Setup, Stalled, StartFailed, printable
from harness.engines.process import Gone
from harness.errors import BadInput
from harness.files import store
from harness.journal.journal import Reader
from harness.run.handshake import REASON
from harness.schedule.spsa import sent
from harness.slots.worker import make_client
from harness.spec import writer
from harness.spec.settings import Experiment
from harness.terminal.words import complain


@adopting_orphans()
def rehearse(experiment: Experiment) -> None:
    """Starts the engine once and sets each parameter to its least, most and first value, and if it is not whole to a fraction.

    Raises BadInput if the engine does not accept them.
    """
    assert experiment.spsa is not None
    player = experiment.players[0]
    name = experiment.named[0].name
    parameters = experiment.spsa.parameters
    ends = [tuple((one.name, sent(end, one)) for one in parameters for end in (one.least, one.most))]
    ends.append(tuple((one.name, sent(one.least + one.step / math.pi, one)) for one in parameters if not one.whole))
    ends.append(tuple((one.name, sent(one.start, one)) for one in parameters))
    try:
        client = make_client(player, experiment.patience)
        try:
            for options in ends:
                client.new_game(
                    Setup(
                        chess.STARTING_FEN,
                        True,
                        (),
                        True,
                        player.limit,
                        player.limit,
                        patience=experiment.patience,
                        options=options,
                    )
                )
        finally:
            client.quit()
    except (StartFailed, Stalled, Refused) as failed:
        raise BadInput(f"{experiment.name}: {name} cannot be tuned: {printable(str(failed), REASON)}") from None
    except Gone:
        raise BadInput(f"{experiment.name}: {name} cannot be tuned: it ended when its options were set") from None


def write_tuned(folder: Path, experiment: Experiment) -> None:
    """Writes an experiment that tests the present values: the engine with them against the engine without."""
    with Reader(folder) as reader:
        found = tuned.of_reader(reader, experiment)
    path = folder / tuned.TUNED
    games = f"{2 * found.done} of {2 * found.iterations} games"
    text = f"# Tuned by gauntlet spsa in {games} ({experiment.name}, seed {experiment.seed}).\n"
    try:
        store(path, (text + writer.dump(tuned.proof(experiment, found))).encode())
    except BadInput as fault:
        complain(str(fault))  # the values follow from the games: `gauntlet show` prints them
