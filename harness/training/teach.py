"""Teaching the teacher (teacher.py): AdamW over the positions of files, on a graphics processor if there is one.

After each epoch everything is saved, so that the same command goes on after a stop. Weights and order begin from the seed;
on a graphics processor sums are still rounded differently from run to run.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from harness.errors import BadInput
from harness.training.collect import digest
from harness.training.positions import Records, read, refuse_damaged
from harness.training.targets import sigmoid, targets
from harness.training.teacher import Shape, Teacher, best_device, half, keep, mirrored, views
from harness.training.train import MOST_FITTED, Epoch, fit_scale, held_out

MOST_HELD = 400_000  # positions held out, those used for the loss after each epoch
LOOKED_AT = 250_000  # positions at a time: 100 MB
WARM_UP = 500  # steps in which the rate grows to its full height
BETAS = (0.9, 0.98)  # of Adam
STEEPEST = 1.0  # length to which a longer gradient is cut


@dataclass(frozen=True, slots=True)
class Settings:
    """How to teach. `mixture` and `hindsight` make the target as for `gauntlet train` (targets.py)."""

    shape: Shape = field(default_factory=Shape)
    epochs: int = 6
    batch: int = 4096
    rate: float = 0.0012
    decay: float = 0.05
    mixture: float = 0.6
    hindsight: float = 0.9
    seed: int = 1


Show = Callable[[list[Epoch], int, float], None]


class Lessons:
    """Positions, teacher and optimiser. Raises BadInput if the files cannot be used or the checkpoint is of other lessons."""

    def __init__(self, files: Sequence[Path], checkpoint: Path, settings: Settings) -> None:
        self.settings, self._checkpoint = settings, checkpoint
        self.device = best_device()
        sources = [read(file) for file in files]
        for file, source in zip(files, sources, strict=True):
            refuse_damaged(file, source)
        held = np.concatenate([held_out(source) for source in sources])
        self._train, places = np.flatnonzero(~held), np.flatnonzero(held)
        if len(self._train) < settings.batch or not len(places):
            raise BadInput(
                f"{', '.join(map(str, files))}: expected {settings.batch} positions or more to learn from (--batch), and some of "
                f"games held out, not {len(self._train)} and {len(places)}"
            )
        self.held = places[np.linspace(0, len(places) - 1, min(MOST_HELD, len(places))).astype(np.int64)]
        # As text: from a checkpoint it has to come back equal.
        self._asked = json.dumps({**asdict(settings), "files": [[file.name, digest(file)] for file in files]})
        self._seen(sources)
        torch.manual_seed(settings.seed)
        self.teacher = Teacher(settings.shape, self.scale).to(self.device, memory_format=torch.channels_last)
        self._optimiser = self._new_optimiser()
        self.epochs: list[Epoch] = []
        self.positions = len(self._train)
        self.steps = self.positions // settings.batch  # of an epoch
        self._resume()

    def _seen(self, sources: Sequence[Records]) -> None:
        """All positions as the teacher sees them, and their two targets, on the device: 70 bytes each."""
        count = max(1, sum(map(len, sources)) // MOST_FITTED)
        self.scale = fit_scale(np.concatenate([np.asarray(source[::count]) for source in sources]))
        boards, rights, wanted = [], [], []
        for source in sources:
            for at in range(0, len(source), LOOKED_AT):
                board, right = views(source[at : at + LOOKED_AT])
                boards.append(torch.from_numpy(board))
                rights.append(torch.from_numpy(right))
            own = sigmoid(np.asarray(source["score"]).astype(np.float64) / self.scale)
            target = targets(source, self.settings.mixture, self.settings.hindsight, self.scale)
            wanted.append(torch.from_numpy(np.stack([target, own], axis=1).astype(np.float16)))
        self._boards = torch.cat(boards).to(self.device)
        self._rights = torch.cat(rights).to(self.device)
        self._wanted = torch.cat(wanted).to(self.device)

    def _new_optimiser(self) -> Any:
        """Biases, norms and the attention's bias of squares are not pulled towards 0."""
        pulled: list[Any] = []
        free: list[Any] = []
        for name, weight in self.teacher.named_parameters():
            (pulled if weight.ndim >= 2 and "bias" not in name and "between" not in name else free).append(weight)
        groups = [{"params": pulled, "weight_decay": self.settings.decay}, {"params": free, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=self.settings.rate, betas=BETAS, fused=self.device.type == "cuda")

    def _rate(self, step: int) -> float:
        """Up along a line, then down to 0 along half a cosine."""
        share = step / (self.steps * self.settings.epochs)
        return self.settings.rate * min(1.0, (step + 1) / WARM_UP) * (1 + math.cos(math.pi * share)) / 2

    def run(self, show: Show) -> None:
        """Teach to the end. `show` hears after each step the epochs so far, the steps of this one, positions a second."""
        run: Any = torch.compile(self.teacher) if self.device.type == "cuda" else self.teacher
        batch = self.settings.batch
        for number in range(len(self.epochs) + 1, self.settings.epochs + 1):
            chance = np.random.default_rng([self.settings.seed, number])
            order = torch.from_numpy(self._train[chance.permutation(len(self._train))]).to(self.device)
            torch.manual_seed(self.settings.seed * 1000 + number)
            lost, began = torch.zeros((), device=self.device), time.monotonic()
            self.teacher.train()
            for step in range(self.steps):
                for group in self._optimiser.param_groups:
                    group["lr"] = self._rate((number - 1) * self.steps + step)
                lost += self._step(run, order[step * batch : (step + 1) * batch])
                show(self.epochs, step + 1, (step + 1) * batch / (time.monotonic() - began))
            loss = float(lost) / self.steps
            speed = self.steps * batch / (time.monotonic() - began)
            self.epochs.append(Epoch(number, loss, self.held_loss(), self._rate(number * self.steps), speed))
            self._save()
            show(self.epochs, 0, speed)

    def _step(self, run: Any, places: torch.Tensor) -> torch.Tensor:
        """Learn from a batch, a random half of it mirrored; returns its mean squared error."""
        boards, rights = self._boards[places], self._rights[places]
        turned = (torch.rand(len(places), device=self.device) < 0.5) & (rights == 0)
        boards = torch.where(turned[:, None], mirrored(boards), boards)
        wanted = self._wanted[places].float()
        with half(self.device):
            found = run(boards, rights)
        found = found.float()
        self._optimiser.zero_grad(set_to_none=True)
        functional.binary_cross_entropy_with_logits(found, wanted).backward()
        torch.nn.utils.clip_grad_norm_(self.teacher.parameters(), STEEPEST)
        self._optimiser.step()
        return (torch.sigmoid(found.detach()) - wanted)[:, 0].square().mean()

    def held_loss(self) -> float:
        """Mean squared error of the expected points of the positions held out."""
        places = torch.from_numpy(self.held).to(self.device)
        found = self.teacher.logits(self._boards[places], self._rights[places], self.device)[:, 0]
        return float((torch.sigmoid(found) - self._wanted[places, 0].float()).square().mean())

    def _save(self) -> None:
        state = {"asked": self._asked, "epochs": [asdict(epoch) for epoch in self.epochs]}
        learnt = {"teacher": self.teacher.state_dict(), "optimiser": self._optimiser.state_dict()}
        keep({**state, **learnt}, self._checkpoint)

    def _resume(self) -> None:
        if not self._checkpoint.exists():
            return
        try:
            told = torch.load(self._checkpoint, map_location=self.device, weights_only=True)
            same = told["asked"] == self._asked
        except Exception:  # whatever PyTorch finds wrong with a file that is none of its own
            raise BadInput(
                f"{self._checkpoint}: is no checkpoint of gauntlet teach; remove it to start afresh"
            ) from None
        if not same:
            raise BadInput(f"{self._checkpoint}: is of other data or settings; remove it to start afresh")
        self.teacher.load_state_dict(told["teacher"])
        self._optimiser.load_state_dict(told["optimiser"])
        self.epochs = [Epoch(**epoch) for epoch in told["epochs"]]
