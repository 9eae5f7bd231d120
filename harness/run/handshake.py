"""The handshake with engines of unknown protocol or with options: once a run, before the first game."""

from __future__ import annotations

from dataclasses import replace

import chess

from harness.engines.children import adopting_orphans
from harness.engines.client import Client, Refused, Reply, Setup, Stalled, StartFailed, printable
from harness.engines.detect import detect
from harness.engines.process import Gone, monotonic
from harness.engines.xboard import XBoardClient
from harness.errors import BadInput
from harness.model import Limit, Player
from harness.slots.worker import make_client
from harness.spec.settings import Experiment
from harness.spec.toml_table import section_name

REASON = 2000  # characters of the reason for a failed handshake: enough for all options of an engine
MOVE_CLOCK = Limit(base=1.0)  # for the move that an engine without features must make


def introduced(experiment: Experiment) -> Experiment:
    """The experiment with the protocol of every engine filled in and its options checked by the engine.

    An engine whose protocol is named is started only if it has options. Raises BadInput with the reason if an engine fails
    its handshake.
    """
    with adopting_orphans():
        named = tuple(_introduced(player, experiment.patience, experiment.chess960) for player in experiment.named)
    if not experiment.entrants:
        return replace(experiment, players=named)
    # Players may be derived from the named ones: of the same program the same protocol was found out.
    found = {
        (player.command, player.directory, player.env): player.protocol
        for given, player in zip(experiment.named, named, strict=True)
        if given.protocol == "auto"
    }
    players = (
        replace(player, protocol=found[player.command, player.directory, player.env])
        if player.protocol == "auto"
        else player
        for player in experiment.players
    )
    return replace(experiment, players=tuple(players), entrants=named)


def _introduced(player: Player, patience: float, chess960: bool) -> Player:
    if player.protocol == "xboard" and player.limit.most_nodes is not None:
        raise BadInput(
            f"{player.name}: a cap of nodes beside a clock: XBoard's protocol has no word for it, UCI has "
            '(protocol = "uci" in [engines.NAME])'
        )
    if player.protocol != "auto" and (player.sortie or not player.options):
        return player
    try:
        return replace(player, protocol=_shake_hands(player, patience, chess960))
    except StartFailed as failed:
        if player.protocol != "auto" and not failed.option:
            return player  # the failure may pass: the first game will tell
        raise _refusal(player, failed) from None


def spoken(player: Player, patience: float) -> str:
    """The protocol that an engine answers in: the player's or, with "auto", the one detected. Raises BadInput."""
    try:
        with adopting_orphans():
            return _shake_hands(player, patience)
    except StartFailed as failed:
        raise _refusal(player, failed) from None


def _refusal(player: Player, failed: StartFailed) -> BadInput:
    said = failed.stderr.strip().splitlines()
    reason = f"{printable(str(failed), REASON)}{f': {printable(said[-1])}' if said else ''}"
    return BadInput(f"[{section_name('engines', player.name)}] {reason}")


def _shake_hands(player: Player, patience: float, chess960: bool = False) -> str:
    """Starts the engine once, and returns its protocol; raises StartFailed."""
    protocol = detect(player, patience) if player.protocol == "auto" else player.protocol
    client = make_client(player, patience, protocol=protocol)
    try:
        if player.protocol == "auto" and isinstance(client, XBoardClient) and not client.features.any:
            _ask_for_a_move(client, patience)
        client.refuse_limit(player.limit)
        if chess960:
            client.refuse_chess960()
    finally:
        client.process.kill()
    return protocol


def _ask_for_a_move(client: Client, patience: float) -> None:
    """Has an engine without features make a move; raises StartFailed if it cannot, and so is not an engine."""
    setup = Setup(chess.STARTING_FEN, True, (), True, MOVE_CLOCK, MOVE_CLOCK, patience=patience)
    try:
        client.new_game(setup)
        client.go("", 1.0, 1.0, 0, False)
        answer, _ = client.answer(monotonic() + patience)
    except (Gone, Stalled, Refused):
        answer = None
    if answer is not Reply.MOVE:
        raise StartFailed(
            f"{client.player.command[0]} is no engine: it answered `uci` without uciok, "
            "`protover 2` without features and `go` without a move"
        )
