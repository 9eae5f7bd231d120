"""The pictures of the page as inline SVG, each a pure function of figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from harness.analysis.summary import PairingSummary, PlayerSummary
from harness.report.page.drawing.labels import fitting, text_width
from harness.report.page.drawing.svg import Picture, Scale, padded
from harness.report.page.series import Step
from harness.report.page.text import number, percent, plus
from harness.spec.settings import Sprt
from harness.terminal.numbers import noun, plain

SERIES = 8  # colours; further curves begin again with a dashed line
WIDTH = 480.0
LETTERS = 15.0  # size of words where they are largest, on a phone: see style.css
PENTA = ("lost both", "half a point", "one point", "one and a half", "won both")


def style(index: int) -> str:
    """The style classes of the n-th player or pairing."""
    return f"s{index % SERIES}" + (" dashed" if index // SERIES % 2 else "")


def ranking(players: Sequence[tuple[int, PlayerSummary, float | None]]) -> Markup:
    """Players best first with error bars and the confidence that each is better than the next; '' without a rating."""
    rated = [entry for entry in players if entry[1].elo is not None]
    if not rated:
        return Markup("")
    step = 34.0
    height = step * len(rated) + 44
    picture = Picture(WIDTH, height, "Ranking: Elo with 95 % error bars")
    ends = [end for _, p, _ in rated for end in _ends(p)]
    names = _column([player.name for _, player, _ in rated])
    across = Scale(*padded([*ends, 0.0], 0.05, 10.0), names + 8, WIDTH - 14)
    for tick in across.ticks(5):
        picture.line(across(tick), 6, across(tick), height - 34, "grid")
        picture.text(across(tick), height - 18, f"{tick:+.0f}" if tick else "0", "tick", "middle")
    picture.line(across(0), 6, across(0), height - 34, "zero")
    for place, (index, player, confidence) in enumerate(rated):
        y = 6 + step * (place + 0.5)
        low, high = _ends(player)
        picture.line(across(low), y, across(high), y, f"bar {style(index)}")
        tip = (
            f"{player.name}: Elo {plus(player.elo, player.elo_error)}, {plain(player.points)} points of {player.games}"
        )
        if confidence is not None:
            tip += f", better than the next with {percent(confidence)}"
        picture.dot(across(player.elo or 0.0), y, 5.5, f"dot {style(index)}", tip)
        picture.text(names, y + 4, fitting(player.name, names - 2, LETTERS), "label", "end")
    return picture.markup()


def _column(names: Sequence[str]) -> float:
    """How wide the names to the left of a picture are, within reason."""
    return min(WIDTH * 0.45, max(90.0, *(text_width(name, LETTERS) + 4 for name in names)))


def _ends(player: PlayerSummary) -> tuple[float, float]:
    elo, error = player.elo or 0.0, player.elo_error or 0.0
    return elo - error, elo + error


def elo_progress(curves: Sequence[tuple[int, str, Sequence[Step]]]) -> Markup:
    """Elo with its 95 % band against pairs played; '' while nothing is determined."""
    shown = [(i, name, [s for s in steps if s.elo is not None]) for i, name, steps in curves]
    shown = [(i, name, steps) for i, name, steps in shown if len(steps) > 1]
    if not shown:
        return Markup("")
    # The first pairs say nothing and would squeeze the rest: the scale is that of the later ones.
    settled = [s for _, _, steps in shown for s in steps[len(steps) // 5 :]]
    values = [end for s in settled for end in (s.low, s.elo, s.high) if end is not None]
    picture, across, up = _frame("Elo against pairs played", shown, padded([*values, 0.0], 0.05, 20.0), "Elo")
    picture.line(across.start, up(0), across.end, up(0), "zero")
    for index, _, steps in shown:
        band = [s for s in steps if s.low is not None and s.high is not None]
        upper = [(across(s.pairs), up(s.high or 0.0)) for s in band]
        lower = [(across(s.pairs), up(s.low or 0.0)) for s in band]
        picture.area(upper + lower[::-1], f"band {style(index)}")
    for index, name, steps in shown:
        picture.polyline([(across(s.pairs), up(s.elo or 0.0)) for s in steps], f"curve {style(index)}")
        for s in steps:
            ends = "open" if s.low is None or s.high is None else f"{s.low:+.1f} to {s.high:+.1f}"
            picture.dot(across(s.pairs), up(s.elo or 0.0), 4, f"spot {style(index)}", "")
            picture.rect(
                across(s.pairs) - 5,
                up(s.elo or 0.0) - 9,
                10,
                18,
                "hit",
                f"{name}: {s.pairs} {noun(s.pairs, 'pair')}, Elo {s.elo:+.1f} ({ends})",
            )
    return picture.markup()


def llr_progress(curves: Sequence[tuple[int, str, Sequence[Step]]], sprt: Sprt, low: float, high: float) -> Markup:
    """LLR with its bounds against pairs played; '' before the first pair."""
    shown = [(i, name, [s for s in steps if s.llr is not None]) for i, name, steps in curves]
    shown = [(i, name, steps) for i, name, steps in shown if steps]
    if not shown:
        return Markup("")
    values = [s.llr or 0.0 for _, _, steps in shown for s in steps]
    limits = padded([*values, low, high], 0.06, 1.0)
    picture, across, up = _frame("LLR against pairs played", shown, limits, "LLR")
    picture.line(across.start, up(0), across.end, up(0), "zero")
    for bound, word in ((low, f"H0: {sprt.elo0:g} Elo  ({low:.2f})"), (high, f"H1: {sprt.elo1:g} Elo  ({high:.2f})")):
        picture.line(across.start, up(bound), across.end, up(bound), "bound")
        picture.text(across.end - 2, up(bound) - 5, word, "tick", "end")
    for index, name, steps in shown:
        points = [(across(0), up(0)), *((across(s.pairs), up(s.llr or 0.0)) for s in steps)]
        picture.polyline(points, f"curve {style(index)}")
        for s in steps:
            picture.rect(
                across(s.pairs) - 5,
                up(s.llr or 0.0) - 9,
                10,
                18,
                "hit",
                f"{name}: {s.pairs} {noun(s.pairs, 'pair')}, LLR {s.llr:+.2f}",
            )
    return picture.markup()


def _frame(
    title: str, curves: Sequence[tuple[int, str, Sequence[Step]]], limits: tuple[float, float], word: str
) -> tuple[Picture, Scale, Scale]:
    """A picture with axes: pairs across, a figure upwards."""
    height = 280.0
    picture = Picture(WIDTH, height, title)
    across = Scale(0, max(steps[-1].pairs for _, _, steps in curves), 48, WIDTH - 12)
    up = Scale(*limits, height - 42, 22)
    for tick in up.ticks(5):
        picture.line(48, up(tick), WIDTH - 12, up(tick), "grid")
        picture.text(43, up(tick) + 4, f"{tick:+g}" if tick else "0", "tick", "end")
    for tick in across.ticks(5):
        if tick == int(tick):
            picture.text(across(tick), height - 26, number(tick), "tick", "middle")
    picture.text((48 + WIDTH - 12) / 2, height - 7, "pairs played", "axis", "middle")
    picture.text(43, 11, word, "axis", "end")
    return picture, across, up


def pentanomial(pairings: Sequence[tuple[int, PairingSummary]]) -> Markup:
    """A bar for each pairing, split by what its pairs brought; '' while there is no pair."""
    shown = [(i, p) for i, p in pairings if sum(p.pentanomial)]
    if not shown:
        return Markup("")
    step = 46.0
    height = step * len(shown) + 6
    picture = Picture(WIDTH, height, "Pentanomial: how many pairs brought 0, half, 1, one and a half, 2 points")
    for place, (_, pairing) in enumerate(shown):
        top = 4 + step * place
        total = sum(pairing.pentanomial)
        pairs = f"{total} {noun(total, 'pair')}"
        room = WIDTH - 20 - text_width(pairs, LETTERS)
        picture.text(4, top + 12, fitting(f"{pairing.a} vs {pairing.b}", room, LETTERS), "label")
        picture.text(WIDTH - 4, top + 12, pairs, "tick", "end")
        x = 4.0
        for kind, count in enumerate(pairing.pentanomial):
            width = (WIDTH - 8) * count / total
            tip = f"{pairing.a} {PENTA[kind]}: {count} of {pairs} ({percent(count / total)})"
            if count:
                picture.rect(x, top + 17, width - 1, 20, f"penta p{kind}", tip)
                if width > text_width(str(count), LETTERS) + 4:
                    picture.text(x + width / 2, top + 31, count, f"inside p{kind}", "middle")
            x += width
    return picture.markup()


def shares(title: str, names: Sequence[str], rows: Sequence[tuple[int, str, Mapping[str, float]]]) -> Markup:
    """Groups of bars: for every name the share it has with each player; '' without figures."""
    if not rows or not names:
        return Markup("")
    thick = 12.0 if len(rows) <= 4 else 6.0
    step = thick * len(rows) + 12
    height = step * len(names) + 30
    picture = Picture(WIDTH, height, title)
    most = max(max(values.values(), default=0.0) for _, _, values in rows) or 1.0
    left = _column(names)
    across = Scale(0, most, left + 6, WIDTH - 52)
    for place, name in enumerate(names):
        top = 4 + step * place
        picture.text(left, top + step / 2, fitting(name, left - 2, LETTERS), "label", "end")
        for row, (index, player, values) in enumerate(rows):
            value = values.get(name, 0.0)
            y = top + 3 + thick * row
            tip = f"{player}, {name}: {percent(value)}"
            picture.rect(across.start, y, across(value) - across.start, thick - 1.5, f"fill {style(index)}", tip)
            if thick >= 12:
                picture.text(across(value) + 4, y + 9, percent(value), "tiny")
    for tick in across.ticks(4):
        picture.text(across(tick), height - 8, f"{100 * tick:.0f} %", "tick", "middle")
    return picture.markup()


def load(bins: Sequence[tuple[float, float | None, float]]) -> Markup:
    """Processor share of the engines' time through the run; `bins` are (hour, share, games); '' with too few."""
    shown = [(hour, share) for hour, share, _ in bins if share is not None]
    if len(shown) < 3:
        return Markup("")
    height = 200.0
    picture = Picture(WIDTH, height, "Processor time of the engines as a share of their thinking time, through the run")
    span = max(hour for hour, _ in shown) or 1.0
    in_minutes = span < 2.0
    across = Scale(0, span, 54, WIDTH - 12)
    up = Scale(0, max(1.0, *(share for _, share in shown)), height - 40, 12)
    for tick in up.ticks(4):
        picture.line(54, up(tick), WIDTH - 12, up(tick), "grid")
        picture.text(49, up(tick) + 4, f"{100 * tick:.0f} %", "tick", "end")
    minutes = Scale(0, span * 60, 54, WIDTH - 12)
    axis = minutes if in_minutes else across
    for tick in axis.ticks(5):
        picture.text(axis(tick), height - 24, f"{tick:g}", "tick", "middle")
    picture.text(
        (54 + WIDTH - 12) / 2,
        height - 6,
        "minutes since the start" if in_minutes else "hours since the start",
        "axis",
        "middle",
    )
    picture.polyline([(across(hour), up(share)) for hour, share in shown], "curve s0")
    for hour, share in shown:
        when = f"{hour * 60:.0f} min" if in_minutes else f"{hour:.1f} h"
        picture.rect(across(hour) - 5, up(share) - 9, 10, 18, "hit", f"{when}: {percent(share)} on the processor")
    return picture.markup()
