"""The card of a trained network: a JSON file beside it that says how it was made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.training import network
from harness.training.collect import now, read_record
from harness.training.train import Trainer
from harness.version import version


def data_records(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Each file's name, and from its own record how its positions were made. Raises BadInput for a damaged record."""
    return [{"file": file.name, **read_record(file)} for file in files]


def card_of(net: Path) -> dict[str, Any] | None:
    """What the card beside a network says, less its epochs; None where there is no card that can be read."""
    try:
        told = json.loads(net.with_name(net.name + ".json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return {name: value for name, value in told.items() if name != "epochs"} if isinstance(told, dict) else None


def card(trainer: Trainer, made: network.Quantised, data: list[dict[str, Any]], command: str) -> dict[str, Any]:
    """Architecture, data (`data_records`), training and losses of a network, ready for JSON.

    `begun` is the card of the network it began with.
    """
    exact = trainer.held_loss_of(made.scores(trainer.held) * (network.UNIT / made.unit))
    begin = trainer.settings.begin
    return {
        "architecture": architecture(made),
        "data": data,
        "training": {
            "command": command,
            "version": version(),
            "made": now(),
            **asdict(trainer.settings),
            "begin": Path(begin).name,
            "positions": trainer.positions,
            "sigmoid_scale": round(trainer.scale, 2),
        },
        "loss": {
            "train": trainer.state.epochs[-1].loss,
            "held_out": trainer.state.epochs[-1].held_out,
            "held_out_as_whole_numbers": exact,
            "held_out_positions": len(trainer.held),
        },
        "epochs": [asdict(epoch) for epoch in trainer.state.epochs],
        "elo": None,
        **({"begun": card_of(Path(begin))} if begin else {}),
    }


def average_card(
    made: network.Quantised, files: Sequence[str], weights: Sequence[float], command: str
) -> dict[str, Any]:
    """The card of a mean of networks (average.py), with the cards of these."""
    averaged = [
        {"file": Path(file).name, "weight": weight, "card": card_of(Path(file))}
        for file, weight in zip(files, weights, strict=True)
    ]
    made_by = {"command": command, "version": version(), "made": now()}
    return {"architecture": architecture(made), "training": made_by, "averaged": averaged, "elo": None}


def architecture(made: network.Quantised) -> dict[str, Any]:
    """What kind of network it is."""
    return {
        "inputs": "768: 2 colours x 6 kinds x 64 squares, turned to the owner, mirrored by his king's half",
        "hidden": made.hidden,
        "second": made.neurons,
        "perspectives": 2,
        "outputs": "8, the two nearest to the number of pieces count",
        "activation": "squared clipped ReLU, in the second layer clipped ReLU",
        "quantisation": {
            "QA": network.QA,
            "QB": network.QB,
            "SQUARE_BITS": network.SQUARE_BITS,
            "SECOND_BITS": network.SECOND_BITS,
            "SUM_BITS": network.SUM_BITS,
            "unit": made.unit,
        },
    }


def text(told: dict[str, Any]) -> str:
    """A card as the text of its file."""
    return json.dumps(told_once(told, set()), indent=1) + "\n"


def told_once(part: Any, told: set[str]) -> Any:
    """A copy of a card in which every card within it stands once: where it comes again, its command stands for it."""
    if isinstance(part, list):
        return [told_once(one, told) for one in part]
    if not isinstance(part, dict):
        return part
    made = part.get("training")
    if "architecture" in part and isinstance(made, dict) and "command" in made:
        key = json.dumps(part, sort_keys=True)
        if key in told:
            return {"told above": made["command"]}
        told.add(key)
    return {name: told_once(value, told) for name, value in part.items()}
