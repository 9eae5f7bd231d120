"""What the compiled kernel offers to Python."""

import numpy as np
from numpy.typing import NDArray

from harness.training.network import Arrays

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

def supports_avx2() -> bool: ...
def outputs(batch: Bytes, params: Arrays, found: Floats) -> None: ...
def gradients(
    batch: Bytes, params: Arrays, grads: Arrays, targets: Floats, scale: float, unit: float, all_layers: bool = True
) -> float: ...
def adam(
    values: Floats, grads: Floats, first: Floats, second: Floats, rate: float, decay: float, bound: float, step: int
) -> None: ...
