"""Training: mini-batches through the compiled kernel, AdamW, a held-out part, checkpoints to resume from.

In training an input's weights are the sum of two parts: its own, which start at 0, and one that all squares of its kind of
piece share. So what a piece is worth is learnt from all squares together: with 30,000 positions the held-out loss fell to
0.041, without the shared part to 0.103. The file holds the sums.
"""

from __future__ import annotations

import io
import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from harness.errors import BadInput
from harness.files import store
from harness.training import kernel as everywhere
from harness.training import network
from harness.training.collect import digest
from harness.training.network import Arrays, Floats
from harness.training.positions import UNKNOWN, Records, read, refuse_damaged
from harness.training.targets import RESULT_ALONE, sigmoid, targets

HELD_OUT = 20  # one game in so many is held out
MOST_HELD = 200_000  # of their positions, those used for the loss after each epoch
MOST_FITTED = 1_000_000  # positions that the scale is fitted to
CHECKPOINT_EVERY = 60.0  # seconds
SCALE_OF_STRAYS = 131.0  # centipawns
UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile, RuntimeError, RecursionError)
LAST_RATE = 0.01  # of the first rate: it falls along half a cosine


def fastest() -> Any:
    """The fastest build of the kernel that this processor runs."""
    if everywhere.supports_avx2():
        try:
            from harness.training import kernel_avx2  # type: ignore[attr-defined]
        except ImportError:  # only built for x86-64
            return everywhere
        return kernel_avx2
    return everywhere


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train. `mixture`: the share of a position's own score in its target; `hindsight`: what the rest is (targets.py).

    `begin`: the file of the network whose weights are the first; "" for random ones. `second_only`: the hidden layer and the
    outputs' weights for it stay as they are.
    """

    hidden: int = 128
    second: int = 8
    epochs: int = 20
    batch: int = 16_384
    rate: float = 0.001
    decay: float = 0.01
    mixture: float = 0.7
    hindsight: float = RESULT_ALONE
    seed: int = 1
    threads: int = 1
    begin: str = ""
    second_only: bool = False


@dataclass(frozen=True, slots=True)
class Epoch:
    """The result of an epoch: mean squared errors of the expected points, positions trained on a second."""

    number: int
    loss: float
    held_out: float
    rate: float
    speed: float


NAMES = (*Arrays._fields, "shared")
# Half of what a weight may be for each part of the inputs; the outputs' bias is free.
BOUNDS = (
    *(network.BOUND / 2, network.BOUND, network.BOUND, 100.0),
    *(network.SECOND_BOUND, network.HEAD_BOUND, network.HEAD_BOUND, network.BOUND / 2),
)
DECAYED = ("inputs", "output")
OF_SECOND = ("second", "second_bias", "head", "output_bias")  # what is trained with `second_only`
SHARED = network.INPUTS // 64  # kinds of piece, own and enemy

Parts = tuple[Floats, ...]  # as NAMES has them


@dataclass(slots=True)
class State:
    """All that training changes."""

    parts: Parts
    first: Parts
    second: Parts
    step: int = 0
    loss: float = 0.0  # sum over the epoch so far
    epochs: list[Epoch] = field(default_factory=list)

    def arrays(self) -> Arrays:
        """The network as it is now."""
        inputs, *others, shared = self.parts
        return Arrays(inputs + np.repeat(shared, 64, axis=0), *others)


Show = Callable[[State, int, float], None]


class Trainer:
    """Trains on files of positions. Raises BadInput if they cannot be used or the checkpoint is of another training.

    `fresh`: a checkpoint is removed, once all else is found right.
    """

    def __init__(self, files: Sequence[Path], checkpoint: Path, settings: Settings, fresh: bool = False) -> None:
        self.settings = settings
        self._checkpoint = checkpoint
        self._sources = [read(file) for file in files]
        for file, source in zip(files, self._sources, strict=True):
            refuse_damaged(file, source)
        self._starts = np.cumsum([0, *(len(source) for source in self._sources)])
        held = np.concatenate([held_out(source) for source in self._sources])
        self._train = np.flatnonzero(~held)
        if not held.any() or not len(self._train):
            raise BadInput(f"{', '.join(map(str, files))}: too few games: none left to train on or to hold out")
        # Evenly spread over all held-out positions.
        places = np.flatnonzero(held)
        places = places[np.linspace(0, len(places) - 1, min(len(places), MOST_HELD)).astype(np.int64)]
        self.held = self._take(places)
        self.scale = fit_scale(self.sample(MOST_FITTED))
        wanted = (targets(source, settings.mixture, settings.hindsight, self.scale) for source in self._sources)
        self._targets = np.concatenate(list(wanted))
        self._held_targets = self._targets[places]
        self.batches = -(-len(self._train) // settings.batch)
        self._kernel = fastest()
        self._gradients = [_zeros(network.start(settings.hidden, settings.second, 0)) for _ in range(settings.threads)]
        self._signature = json.dumps(
            {
                **asdict(settings),
                "files": [[file.name, digest(file)] for file in files],
                "begun": digest(settings.begin) if settings.begin else "",
            }
        )
        first = begin(settings)
        if fresh:
            checkpoint.unlink(missing_ok=True)
        self.state = self._restore() or first

    @property
    def positions(self) -> int:
        """Positions trained on in each epoch."""
        return len(self._train)

    def run(self, show: Show = lambda state, done, speed: None) -> None:
        """Train from the present state to the last epoch."""
        saved = time.monotonic()
        with ThreadPoolExecutor(self.settings.threads) as pool:
            while len(self.state.epochs) < self.settings.epochs:
                number = len(self.state.epochs) + 1
                order = np.random.default_rng([self.settings.seed, number]).permutation(len(self._train))
                began, before, done = time.monotonic(), self.state.step % self.batches, 0
                for place in range(before, self.batches):
                    rows = order[place * self.settings.batch : (place + 1) * self.settings.batch]
                    self._batch(np.sort(self._train[rows]), pool)
                    done += len(rows)
                    speed = done / (time.monotonic() - began)
                    show(self.state, place + 1, speed)
                    if time.monotonic() >= saved + CHECKPOINT_EVERY and place + 1 < self.batches:
                        self.save()
                        saved = time.monotonic()
                speed = done / max(time.monotonic() - began, 1e-9)
                loss = self.state.loss / len(self._train)
                self.state.epochs.append(Epoch(number, loss, self.held_loss(), self._rate(), speed))
                self.state.loss = 0.0
                show(self.state, 0, speed)
                self.save()

    def sample(self, most: int) -> Records:
        """Positions trained on, `most` at most, evenly spread over the files."""
        return self._take(self._train[:: -(-len(self._train) // most)])

    def _take(self, places: NDArray[np.int64]) -> Records:
        """The records at these places, in rising order, of all files together."""
        found = []
        for start, source in zip(self._starts, self._sources, strict=False):
            inside = places[(places >= start) & (places < start + len(source))] - start
            found.append(np.asarray(source[inside]))
        return np.concatenate(found)

    def _rate(self) -> float:
        done = self.state.step / (self.batches * self.settings.epochs)
        return self.settings.rate * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(done, 1.0))) / 2)

    def _batch(self, places: NDArray[np.int64], pool: ThreadPoolExecutor) -> None:
        """One step: the gradients of the batch's parts in parallel, then Adam."""
        state, settings = self.state, self.settings
        arrays = state.arrays()
        parts = np.array_split(places, settings.threads)

        def work(part: NDArray[np.int64], grads: Arrays) -> float:
            for array in grads:
                array.fill(0)
            if not len(part):
                return 0.0
            batch = self._take(part).view(np.uint8)
            found = self._kernel.gradients(
                *(batch, arrays, grads, self._targets[part], self.scale, network.UNIT, not settings.second_only)
            )
            return float(found)

        state.loss += sum(pool.map(work, parts, self._gradients))
        rate = self._rate()
        state.step += 1
        summed: list[Floats] = []
        for place in range(len(arrays)):
            grads = self._gradients[0][place]
            for other in self._gradients[1:]:
                grads += other[place]
            grads *= np.float32(1 / len(places))
            summed.append(grads)
        summed.append(summed[0].reshape(SHARED, 64, settings.hidden).sum(axis=1))
        for name, bound, grads, *moved in zip(
            NAMES, BOUNDS, summed, state.parts, state.first, state.second, strict=True
        ):
            if settings.second_only and name not in OF_SECOND:
                continue
            values, first, second = (part.reshape(-1) for part in moved)
            decay = settings.decay if name in DECAYED else 0.0
            self._kernel.adam(values, grads.reshape(-1), first, second, rate, decay, bound, state.step)

    def outputs(self, records: Records) -> Floats:
        """The network's output for each record; times UNIT it is centipawns."""
        found = np.empty(len(records), dtype=np.float32)
        self._kernel.outputs(np.ascontiguousarray(records).view(np.uint8), self.state.arrays(), found)
        return found

    def held_loss(self) -> float:
        """Mean squared error of the expected points of the positions held out."""
        return self.held_loss_of(self.outputs(self.held) * network.UNIT)

    def held_loss_of(self, scores: NDArray[Any]) -> float:
        """The same for these scores, centipawns, in place of the network's."""
        wrong = sigmoid(scores / self.scale) - self._held_targets
        return float(np.mean(wrong * wrong))

    def unit(self) -> float:
        """What an output of 1 must mean, centipawns, for the network's scores to be as large as those it learnt from."""
        records = self.held[np.abs(np.asarray(self.held["score"]).astype(np.int32)) < 1000]
        own = float(np.abs(self.outputs(records)).mean()) if len(records) else 0.0
        if own <= 0:
            return network.UNIT
        wanted = float(np.abs(np.asarray(records["score"]).astype(np.float64)).mean())
        return min(max(wanted / own, network.LEAST_UNIT), network.MOST_UNIT)

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        kinds = {"parts": self.state.parts, "first": self.state.first, "second": self.state.second}
        values: dict[str, Any] = {
            f"{kind}_{name}": array for kind, part in kinds.items() for name, array in zip(NAMES, part, strict=True)
        }
        epochs = json.dumps([asdict(epoch) for epoch in self.state.epochs])
        made = io.BytesIO()
        np.savez(made, signature=self._signature, step=self.state.step, loss=self.state.loss, epochs=epochs, **values)
        store(self._checkpoint, made.getvalue())

    def _restore(self) -> State | None:
        if not self._checkpoint.exists():
            return None
        try:
            with np.load(self._checkpoint, allow_pickle=False) as found:
                signature = str(found["signature"])
                kinds = [tuple(found[f"{kind}_{name}"] for name in NAMES) for kind in ("parts", "first", "second")]
                step, loss = int(found["step"]), float(found["loss"])
                epochs = [Epoch(**epoch) for epoch in json.loads(str(found["epochs"]))]
        except UNREADABLE:
            raise BadInput(f"{self._checkpoint}: is no checkpoint of gauntlet train: remove it to start anew") from None
        if signature != self._signature:
            raise BadInput(
                f"{self._checkpoint}: belongs to a training with other settings or data: "
                "give these, another --out, or --fresh to start anew"
            )
        parts, first, second = kinds
        return State(parts, first, second, step, loss, epochs)


def threads_of(checkpoint: Path) -> int | None:
    """With how many threads the training of a checkpoint was begun, on this machine or another; None if it cannot be read."""
    try:
        with np.load(checkpoint, allow_pickle=False) as found:
            return int(json.loads(str(found["signature"]))["threads"])
    except UNREADABLE:
        return None


def begin(settings: Settings) -> State:
    """The first weights, and moments of 0; of the inputs' two parts random weights are only in the shared one.

    A network that has fewer neurons than wanted, in either layer, is given random ones that count for nothing yet, so that it
    scores as before.
    Raises BadInput for a network that cannot be used or has more.
    """
    inputs, bias, output, output_bias, second, second_bias, head = network.start(
        settings.hidden, settings.second, settings.seed
    )
    own, shared = np.zeros_like(inputs), inputs[:SHARED].copy()
    if settings.begin:
        known = network.read(settings.begin)
        old, rows = known.hidden, known.neurons
        if old > settings.hidden:
            raise BadInput(f"{settings.begin}: has {old} neurons, more than {settings.hidden}: leave --hidden out")
        if rows > settings.second:
            raise BadInput(
                f"{settings.begin}: has {rows} neurons in its second layer, more than {settings.second}: leave --second out"
            )
        inputs, bias[:old], told, output_bias, told_second, second_bias[:rows], head[:, :rows] = known.arrays()
        kinds = inputs.reshape(SHARED, 64, old).mean(axis=1).clip(-network.BOUND / 2, network.BOUND / 2)
        own[:, :old], shared[:, :old] = inputs - np.repeat(kinds, 64, axis=0), kinds
        output = np.zeros_like(output)
        second[:rows] = 0
        for view in range(2):  # of a row of weights: those for the side to move, then those for the other
            place, from_ = view * settings.hidden, view * old
            output[:, place : place + old] = told[:, from_ : from_ + old]
            second[:rows, place : place + old] = told_second[:, from_ : from_ + old]
    parts = (own, bias, output, output_bias, second, second_bias, head, shared)
    return State(parts, _zeros(parts), _zeros(parts))


def _zeros(parts: Any) -> Any:
    return tuple(np.zeros_like(part) for part in parts)


def held_out(records: Records) -> NDArray[np.bool_]:
    """Which records are held out: those of one game in HELD_OUT, by its number."""
    mixed = np.asarray(records["game"]).astype(np.uint32) * np.uint32(2654435761)
    found: NDArray[np.bool_] = (mixed >> np.uint32(16)) % HELD_OUT == 0
    return found


def fit_scale(records: Records) -> float:
    """The divisor of scores in the sigmoid, centipawns, with which they predict the results of these games best.

    Strays alone have no results: then it is that of the shipped network's games.
    """
    games = records[np.asarray(records["result"]) != UNKNOWN]
    if not len(games):
        return SCALE_OF_STRAYS
    scores = np.asarray(games["score"]).astype(np.float64)
    points = np.asarray(games["result"]) / 2

    def loss(scale: float) -> float:
        x = scores / scale
        return float(np.mean(np.logaddexp(0, x) - points * x))

    return float(minimize_scalar(loss, bounds=(50, 1000), method="bounded").x)
