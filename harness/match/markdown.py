"""The result of a match as a Markdown table, for a comment on a change."""

from __future__ import annotations

from pathlib import Path

from harness.analysis.summary import PairingSummary, read
from harness.tables import numbers


def table(folder: Path) -> str:
    """A row for each pairing: games, W/D/L, pentanomial, Elo, LOS, and the sequential test if there is one."""
    experiment, summary, _ = read(folder)
    tested = experiment.sprt is not None
    faults_of = "faults" if len(summary.pairings) == 1 else "faults in all games"
    head = ["match", "games", "W/D/L", "pairs", "Elo (95 %)", "LOS", *(["LLR", "verdict"] if tested else []), faults_of]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    faults = {player.name: sum(player.faults.values()) for player in summary.players}
    for pairing in summary.pairings:
        if pairing.played:
            lines.append(f"| {' | '.join(_row(pairing, tested, faults))} |")
    return "\n".join(lines)


def _row(pairing: PairingSummary, tested: bool, faults: dict[str, int]) -> list[str]:
    found = pairing.outcome()
    cells = [
        f"{_cell(pairing.a)} vs {_cell(pairing.b)}",
        str(pairing.played),
        f"{pairing.wins}/{pairing.draws}/{pairing.losses}",
        ", ".join(map(str, pairing.pentanomial)),
        numbers.elo(found),
        "-" if found.los is None else numbers.probability(found.los),
    ]
    if tested:
        test = pairing.sprt
        cells.append("-" if test is None else f"{numbers.plus(test.llr, 2)} [{test.lower:.2f}, {test.upper:.2f}]")
        cells.append(numbers.decision(test.verdict if test is not None else None))
    lost = {name: faults.get(name, 0) for name in (pairing.a, pairing.b)}
    cells.append(", ".join(f"{_cell(name)} {count}" for name, count in lost.items() if count) or "none")
    return cells


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
