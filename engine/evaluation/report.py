"""The evaluation of one position for people: the terms, both scores, and what each piece is worth to the network."""

from __future__ import annotations

from engine.board.game import Game
from engine.evaluation.network import Network
from engine.evaluation.terms import evaluate_terms


def evaluation_of(game: Game, network: Network | None, by_network: bool) -> dict:
    """Everything about a position's static evaluation: scores are for the side to move, terms from White's view.

    The keys are those of evaluate_terms, `classical`, `network` (None without one), `worth` by square if there is a network,
    and `score`: that of the evaluation in use.
    """
    terms = evaluate_terms(game)
    found = {**terms, "classical": terms["score"], "network": network.evaluation(game) if network else None}
    if network is not None:
        found["worth"] = network.worth(game)
        if by_network:
            found["score"] = found["network"]
    return found


def evaluation_lines(fen: str, found: dict) -> list[str]:
    """The terms as a table, the board with each piece's worth to the network, and the scores; the one in use comes last."""
    lines = [f"{'term (white)':<12} {'middle':>7} {'end':>7}"]
    for name, value in found.items():
        if isinstance(value, list):
            lines.append(f"{name:<12} {value[0]:7} {value[1]:7}")
        elif name in ("tempo", "phase", "scale"):
            lines.append(f"{name:<12} {value:7}")
    if "worth" in found:
        lines += ["", "what each piece is worth to its side by the network: the score with it, less that without it", ""]
        lines += [*_worth_lines(fen, found["worth"]), ""]
    for name in ("classical", "network", "score"):
        if found[name] is not None:
            lines.append(f"{name:<12} {found[name]:7}")
    return lines


def _worth_lines(fen: str, worth: dict[str, int]) -> list[str]:
    """The board from the eighth rank down, each piece with its worth under it."""
    lines = []
    for place, rank in enumerate(fen.split()[0].split("/")):
        cells = [cell for letter in rank for cell in (["."] * int(letter) if letter.isdigit() else [letter])]
        row = [worth.get(f"{file}{8 - place}") for file in "abcdefgh"]
        lines.append(f"{8 - place}  " + "".join(f"{cell:>7}" for cell in cells))
        lines.append("   " + "".join(f"{'' if value is None else value:>7}" for value in row))
    return [*lines, "   " + "".join(f"{file:>7}" for file in "abcdefgh")]
