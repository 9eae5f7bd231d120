"""The weighted mean of networks that began from one another ("model soups": Wortsman et al. 2022).

What each training takes from chance in its own games cancels out, what they agree on stays: so the mean often errs less than each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.training.network import Arrays, Quantised, quantise, read
from harness.training.positions import Records
from harness.training.rounding import quantise_on


def average(
    files: Sequence[Path | str], weights: Sequence[float], unit: int | None = None, records: Records | None = None
) -> Quantised:
    """The mean of the networks in `files`, each with its weight; its unit too is the mean of theirs if none is given.

    With `records` it is rounded to whole numbers so that its scores over them change least.

    Raises BadInput for a network that cannot be used, or for networks of different shapes.
    """
    networks = [read(file) for file in files]
    for file, one in zip(files, networks, strict=True):
        if (one.hidden, one.neurons) != (networks[0].hidden, networks[0].neurons):
            first = f"{networks[0].hidden} and {networks[0].neurons}"
            raise BadInput(
                f"{file}: has {one.hidden} and {one.neurons} neurons, {files[0]} has {first}: expected as many"
            )
    shares = [weight / sum(weights) for weight in weights]
    means = (
        sum(share * part for share, part in zip(shares, parts, strict=True))
        for parts in zip(*(one.arrays() for one in networks), strict=True)
    )
    arrays = Arrays(*means)
    mean_unit = sum(share * one.unit for share, one in zip(shares, networks, strict=True))
    found = unit or mean_unit
    return quantise(arrays, found) if records is None else quantise_on(arrays, records, found)
