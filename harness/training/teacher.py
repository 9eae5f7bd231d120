"""The teacher: a network a thousand times too slow for a search, which learns from searched positions and scores others for
the small one (`gauntlet train`) to learn from.

Over games held out it errs by 8.0 thousandths of a point squared where the shipped network of then erred by 10.4, from the
same positions: convolutions see what a layer of weights for each square has to be shown square by square. So its scores are
nearer to the truth than those of the searches that taught it, and free of their chance (Hinton, Vinyals and Dean 2015,
"Distilling the Knowledge in a Neural Network").

It reads the board from the side to move: residual convolutions (He et al. 2015) with squeeze and excitation (Hu et al. 2017),
between them attention over the squares with a bias of its own for each pair of them (Vaswani et al. 2017). Its outputs are
logits of expected points: the target, and the position's own score, which the one that taught the ninth network learnt
beside it and which nothing reads. This module needs PyTorch.
"""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from harness.errors import BadInput
from harness.files import store
from harness.training.positions import MOST_SCORE, Records, codes

MAGIC = "Sortie teacher 1"
SQUARES = 64
KINDS = 13  # of a square: empty, six own kinds of piece, six of the enemy's
PART = 8192  # positions scored at a time
RIGHTS_TURNED = np.array([rights >> 2 | (rights & 3) << 2 for rights in range(16)], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Shape:
    """`width`: channels of each square, a multiple of 32; `blocks`: of two convolutions; `attention`: layers between them."""

    width: int = 128
    blocks: int = 10
    attention: int = 2


def views(records: Records) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """What the teacher sees of positions: their squares [count, 64], and the castling rights (own two bits first) [count].

    A square is 0 if empty, 1 to 6 for an own pawn to king, 7 to 12 for the enemy's; the side to move plays up the board.
    """
    occupied = (np.asarray(records["occupancy"])[:, None] >> np.arange(SQUARES, dtype=np.uint64)) & np.uint64(1) == 1
    row, square = np.nonzero(occupied)
    found = codes(np.asarray(records))
    code = found[row, (np.cumsum(occupied, axis=1) - 1)[row, square]]
    black = np.asarray(records["side"]) == 1
    enemy = (code >= 8) != black[row]
    board = np.zeros((len(records), SQUARES), dtype=np.uint8)
    board[row, np.where(black[row], square ^ 56, square)] = (code & 7) + 1 + 6 * enemy
    rights = np.asarray(records["rights"])
    return board, np.where(black, RIGHTS_TURNED[rights], rights)


def mirrored(boards: torch.Tensor) -> torch.Tensor:
    """The boards with left and right exchanged, which without castling rights are worth the same."""
    return boards.view(-1, 8, 8).flip(2).reshape(-1, SQUARES)


class Excitation(nn.Module):
    """Scales and shifts each channel by what the whole board says of it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.squeeze = nn.Linear(width, width // 4)
        self.excite = nn.Linear(width // 4, 2 * width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale, shift = self.excite(functional.relu(self.squeeze(x.mean((2, 3))))).chunk(2, 1)
        return x * torch.sigmoid(scale)[:, :, None, None] + shift[:, :, None, None]


class Block(nn.Module):
    """Two convolutions that add to what they are given; they begin by adding nothing."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)
        self.excitation = Excitation(width)
        nn.init.zeros_(self.second_norm.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = self.second_norm(self.second(functional.relu(self.first_norm(self.first(x)))))
        return functional.relu(x + self.excitation(found))


class Attention(nn.Module):
    """Each square looks at all others, at once across the board, and adds what it finds; it begins by adding nothing."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.heads = width // 32
        self.norm = nn.LayerNorm(width)
        self.ask = nn.Linear(width, 3 * width)
        self.answer = nn.Linear(width, width)
        self.between = nn.Parameter(torch.zeros(self.heads, SQUARES, SQUARES))
        nn.init.zeros_(self.answer.weight)
        nn.init.zeros_(self.answer.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        count, width = x.shape[:2]
        squares = self.norm(x.permute(0, 2, 3, 1).reshape(count, SQUARES, width))
        query, key, value = self.ask(squares).view(count, SQUARES, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(query, key, value, self.between.to(query.dtype)[None])
        found = self.answer(found.transpose(1, 2).reshape(count, SQUARES, width))
        return x + found.view(count, 8, 8, width).permute(0, 3, 1, 2)


class Teacher(nn.Module):
    """The network: boards [count, 64] and rights [count] to logits [count, 2]; `scale`: centipawns of a logit of 1."""

    def __init__(self, shape: Shape, scale: float) -> None:
        super().__init__()
        self.shape, self.scale = shape, scale
        self.kinds = nn.Embedding(KINDS, shape.width)
        self.squares = nn.Parameter(0.02 * torch.randn(SQUARES, shape.width))
        self.castling = nn.Linear(4, shape.width)
        after = {shape.blocks * place // (shape.attention + 1) for place in range(1, shape.attention + 1)}
        layers: list[nn.Module] = []
        for number in range(1, shape.blocks + 1):
            layers.append(Block(shape.width))
            if number in after:
                layers.append(Attention(shape.width))
        self.body = nn.Sequential(*layers)
        self.gather = nn.Conv2d(shape.width, 32, 1)
        self.judge = nn.Linear(32 * SQUARES, 128)
        self.points = nn.Linear(128, 2)

    def forward(self, boards: torch.Tensor, rights: torch.Tensor) -> torch.Tensor:
        castling = (rights[:, None] & torch.tensor([1, 2, 4, 8], dtype=torch.uint8, device=rights.device) != 0).float()
        x = self.kinds(boards.long()) + self.squares + self.castling(castling)[:, None, :]
        x = self.body(x.view(-1, 8, 8, self.shape.width).permute(0, 3, 1, 2))
        x = functional.relu(self.gather(x)).flatten(1)
        found: torch.Tensor = self.points(functional.relu(self.judge(x)))
        return found

    def logits(self, boards: torch.Tensor, rights: torch.Tensor, device: torch.device) -> torch.Tensor:
        """Outputs of boards in full precision [count, 2]; without castling rights the mean over both mirror images."""
        self.eval()
        parts = []
        with torch.inference_mode():
            for at in range(0, len(boards), PART):
                board, right = boards[at : at + PART].to(device), rights[at : at + PART].to(device)
                with half(device):
                    straight, other = self(board, right).float(), self(mirrored(board), right).float()
                parts.append(torch.where((right == 0)[:, None], (straight + other) / 2, straight))
        return torch.cat(parts)

    def scores(self, records: Records, device: torch.device) -> NDArray[np.float64]:
        """Centipawns from the side to move for each position, below MOST_SCORE either way."""
        boards, rights = map(torch.from_numpy, views(records))
        found = self.scale * self.logits(boards, rights, device)[:, 0].double().cpu().numpy()
        clipped: NDArray[np.float64] = np.clip(found, 1 - MOST_SCORE, MOST_SCORE - 1)
        return clipped


def best_device() -> torch.device:
    """A graphics processor if there is one that PyTorch can use."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def half(device: torch.device) -> Any:
    """Products in 16 bits where the device has units for them, which is several times as fast."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")


def save(teacher: Teacher, path: Path) -> None:
    """Write the teacher, whole or not at all. Raises BadInput."""
    weights = {
        name: value.half() if value.is_floating_point() else value for name, value in teacher.state_dict().items()
    }
    keep({"magic": MAGIC, "shape": asdict(teacher.shape), "scale": teacher.scale, "weights": weights}, path)


def keep(values: dict[str, Any], path: Path) -> None:
    """Write values whole or not at all. Raises BadInput; PyTorch's own words for a full disk name neither file nor reason."""
    made = io.BytesIO()
    torch.save(values, made)
    store(path, made.getvalue())


def read(path: Path | str) -> Teacher:
    """The teacher of a file. Raises BadInput for one that is missing, damaged or no teacher."""
    try:
        told = torch.load(path, map_location="cpu", weights_only=True)
        if told["magic"] != MAGIC:
            raise KeyError
        teacher = Teacher(Shape(**told["shape"]), float(told["scale"]))
        teacher.load_state_dict(told["weights"])
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception:  # whatever PyTorch finds wrong with a file that is none of its own
        raise BadInput(f"{path}: is no teacher, expected a file written by gauntlet teach") from None
    # Its scores would be none either, and become zeros among the positions.
    if not all(bool(torch.isfinite(value).all()) for value in teacher.state_dict().values()):
        raise BadInput(f"{path}: has weights that are no numbers, expected another --rate of gauntlet teach")
    return teacher
