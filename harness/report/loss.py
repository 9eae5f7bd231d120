"""The picture of a training: the loss on the training positions and on those held out, epoch by epoch."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from harness.report.page.drawing.charts import WIDTH, style
from harness.report.page.drawing.svg import Picture, Scale, padded
from harness.report.page.markdown import standalone
from harness.training.train import Epoch

NAMES = ("trained on", "held out")
HEIGHT = 280.0


def chart(epochs: Sequence[Epoch]) -> Markup:
    """Both losses against the epoch."""
    curves = [[epoch.loss for epoch in epochs], [epoch.held_out for epoch in epochs]]
    picture = Picture(WIDTH, HEIGHT, "Loss against epochs")
    across = Scale(1, max(2, epochs[-1].number), 56, WIDTH - 12)
    up = Scale(*padded([*curves[0], *curves[1]], 0.06, 1e-4), HEIGHT - 42, 22)
    for tick in up.ticks(5):
        picture.line(56, up(tick), WIDTH - 12, up(tick), "grid")
        picture.text(51, up(tick) + 4, f"{tick:.3g}", "tick", "end")
    for tick in across.ticks(5):
        if tick == int(tick):
            picture.text(across(tick), HEIGHT - 26, f"{tick:g}", "tick", "middle")
    picture.text((56 + WIDTH - 12) / 2, HEIGHT - 7, "epoch", "axis", "middle")
    picture.text(56, 11, "mean squared error of expected points", "axis")
    for index, losses in enumerate(curves):
        points = [(across(epoch.number), up(loss)) for epoch, loss in zip(epochs, losses, strict=True)]
        picture.polyline(points, f"curve {style(index)}")
    return picture.markup()


def file(epochs: Sequence[Epoch]) -> str:
    """The same as an SVG file of its own, with its legend."""
    return standalone(chart(epochs), [(style(index), name) for index, name in enumerate(NAMES)])
