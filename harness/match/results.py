"""The output of cutechess-cli and fastchess during a match, in their exact words, for tools that parse it.

A figure that is not determined (if every game was won, say) is left out instead of printed as inf or nan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.analysis.monitor import Monitor
from harness.analysis.tally import PairingTally
from harness.journal.record import GameRow, PackedGame
from harness.model import Job, Limit
from harness.run.display import Display
from harness.spec.toml_table import clock_text
from harness.stats import elo as stats
from harness.terminal.numbers import plain
from harness.terminal.words import complain, say

RULE = "-" * 50
ENDINGS = {
    "stalemate": "Draw by stalemate",
    "repetition": "Draw by 3-fold repetition",
    "fifty": "Draw by fifty moves rule",
    "material": "Draw by insufficient mating material",
    "agreement": "Draw by agreement",
    "adjudicated-draw": "Draw by adjudication",
    "move-limit": "Draw by adjudication: maximum number of moves",
}
LOSSES = {
    "resign": "{loser} resigns",
    "time": "{loser} loses on time",
    "stall": "{loser}'s connection stalls",
    "crash": "{loser} disconnects",
    "illegal": "{loser} makes an illegal move",
    "claim": "{loser} makes a false result claim",
    "protocol": "{loser} breaks the protocol",
    "adjudicated-win": "{winner} wins by adjudication",
    "mate": "{winner} mates",
}


def ending(row: GameRow) -> str:
    """How a game ended, in the words of those programs: "White mates", "Black loses on time"."""
    if row.reason in ENDINGS:
        return ENDINGS[row.reason]
    winner, loser = ("White", "Black") if row.result == "1-0" else ("Black", "White")
    if row.result == "1/2-1/2":
        return f"Draw by {row.reason}"
    return LOSSES.get(row.reason, "{winner} wins").format(winner=winner, loser=loser)


class Foreign(Display):
    """What both programs print; the subclasses add their scores and ratings."""

    def __init__(self, monitor: Monitor, rating_interval: int, score_interval: int) -> None:
        super().__init__(monitor)
        self.rating_interval = rating_interval
        self.score_interval = score_interval
        self._colours: dict[int, list[list[int]]] = {}  # pairing -> wins, draws, losses of a with White and with Black

    def began(self, job: Job) -> None:
        say(f"Started game {job.id} of {self.monitor.tally.scheduled} ({self._pair(job.white, job.black)})")

    def finished(self, game: PackedGame) -> None:
        row = game.row
        say(f"Finished game {row.id} ({self._pair(row.white, row.black)}): {row.result} {{{ending(row)}}}")
        pairing = self.monitor.tally.pairings[row.pairing]
        self._count(pairing, row)
        played = pairing.played
        if self.score_interval and played % self.score_interval == 0:
            self.score(pairing)
        if self.rating_interval and played % self.rating_interval == 0:
            self.rating(pairing)

    def note(self, text: str) -> None:
        """Prints to standard error what those programs have no words for; standard output is for tools."""
        complain(text)

    def stop(self) -> None:
        for pairing in self.monitor.tally.pairings:
            if pairing.played:
                self.end(pairing)

    def score(self, pairing: PairingTally) -> None:
        """Prints the score after a game."""

    def rating(self, pairing: PairingTally) -> None:
        """Prints the Elo difference by the games so far."""

    def end(self, pairing: PairingTally) -> None:
        """Prints the final result of a pairing."""

    def colours(self, pairing: PairingTally) -> list[list[int]]:
        return self._colours.setdefault(pairing.pairing.index, [[0, 0, 0], [0, 0, 0]])

    def _count(self, pairing: PairingTally, row: GameRow) -> None:
        if row.points is None:
            return
        white = row.white == pairing.pairing.a
        points = row.points if white else 1.0 - row.points
        self.colours(pairing)[0 if white else 1][int(2 - 2 * points)] += 1

    def _pair(self, white: int, black: int) -> str:
        players = self.monitor.experiment.players
        return f"{players[white].name} vs {players[black].name}"


class Cutechess(Foreign):
    """Scores from the first engine's side, in the order wins, losses, draws."""

    def score(self, pairing: PairingTally) -> None:
        a, b = self.monitor.names(pairing)
        say(f"Score of {a} vs {b}: {_score(pairing.wins, pairing.draws, pairing.losses)}")

    def rating(self, pairing: PairingTally) -> None:
        a, _ = self.monitor.names(pairing)
        white, black = self.colours(pairing)
        say(f"...      {a} playing White: {_score(*white)}")
        say(f"...      {a} playing Black: {_score(*black)}")
        whites = [white[0] + black[2], white[1] + black[1], white[2] + black[0]]
        say(f"...      White vs Black: {_score(*whites)}")
        found = pairing.estimate()
        parts = []
        if found.elo is not None and found.elo_error is not None:
            parts.append(f"Elo difference: {found.elo:.1f} +/- {found.elo_error:.1f}")
        if found.los is not None:
            parts.append(f"LOS: {100 * found.los:.1f} %")
        parts.append(f"DrawRatio: {100 * pairing.draws / pairing.played:.1f} %")
        say(", ".join(parts))
        sprt = self.monitor.experiment.sprt
        if sprt is not None:
            lower, upper = stats.bounds(sprt.alpha, sprt.beta)
            llr = pairing.llr(sprt)
            share = 100 * llr / (upper if llr >= 0 else -lower)
            verdict = f" - {pairing.verdict} was accepted" if pairing.verdict else ""
            say(f"SPRT: llr {llr:.3g} ({share:.1f}%), lbound {lower:.3g}, ubound {upper:.3g}{verdict}")

    def end(self, pairing: PairingTally) -> None:
        self.score(pairing)
        self.rating(pairing)

    def stop(self) -> None:
        super().stop()
        say("Finished match")


class Fastchess(Foreign):
    """A block of results after every `rating_interval` games."""

    def rating(self, pairing: PairingTally) -> None:
        a, b = self.monitor.names(pairing)
        found = pairing.estimate()
        games = pairing.played
        points = pairing.wins + pairing.draws / 2
        lines = [RULE, f"Results of {a} vs {b} ({self._conditions()}):"]
        elo = (
            [] if found.elo is None or found.elo_error is None else [f"Elo: {found.elo:.2f} +/- {found.elo_error:.2f}"]
        )
        if found.nelo is not None and found.nelo_error is not None:
            elo.append(f"nElo: {found.nelo:.2f} +/- {found.nelo_error:.2f}")
        lines += [", ".join(elo)] if elo else []
        shares = [] if found.los is None else [f"LOS: {100 * found.los:.2f} %"]
        pairs = pairing.pairs
        if total := sum(pairs):
            shares.append(f"DrawRatio: {100 * pairs[2] / total:.2f} %")
            if lost := pairs[0] + pairs[1]:
                shares.append(f"PairsRatio: {(pairs[3] + pairs[4]) / lost:.2f}")
        lines += [", ".join(shares)] if shares else []
        score = f"Points: {points:.1f} ({100 * points / games:.2f} %)"
        lines.append(f"Games: {games}, Wins: {pairing.wins}, Losses: {pairing.losses}, Draws: {pairing.draws}, {score}")
        if total:
            lines.append(f"Ptnml(0-2): [{', '.join(map(str, pairs))}]")
        sprt = self.monitor.experiment.sprt
        if sprt is not None:
            lower, upper = stats.bounds(sprt.alpha, sprt.beta)
            llr = pairing.llr(sprt)
            share = 100 * llr / (upper if llr >= 0 else -lower)
            lines.append(f"LLR: {llr:.2f} ({share:.1f}%) ({lower:.2f}, {upper:.2f}) [{sprt.elo0:.2f}, {sprt.elo1:.2f}]")
        for line in [*lines, RULE]:
            say(line)
        if pairing.verdict and sprt is not None:
            bounds = f"({sprt.elo0:.2f}, {sprt.elo1:.2f})"
            say(f"SPRT {bounds} completed - {pairing.verdict} was accepted")

    def end(self, pairing: PairingTally) -> None:
        if not self.rating_interval or pairing.played % self.rating_interval:
            self.rating(pairing)

    def _conditions(self) -> str:
        experiment = self.monitor.experiment
        limits = list(dict.fromkeys(_limit(player.limit) for player in experiment.players))
        return f"{' - '.join(limits)}, {experiment.openings.file.name}"


def _score(wins: int, draws: int, losses: int) -> str:
    """`3 - 1 - 2  [0.667] 6`: wins, losses, draws, the share of points, games."""
    games = wins + draws + losses
    share = (wins + draws / 2) / games if games else 0.5
    return f"{wins} - {losses} - {draws}  [{share:.3f}] {games}"


def _limit(limit: Limit) -> str:
    if limit.movetime is not None:
        return f"{plain(limit.movetime)}/move"
    if limit.nodes is not None:
        return f"{limit.nodes} nodes"
    if limit.depth is not None:
        return f"{limit.depth} plies"
    return clock_text(limit)


STYLES: Mapping[str, Callable[[Monitor, int, int], Foreign]] = {"cutechess": Cutechess, "fastchess": Fastchess}
