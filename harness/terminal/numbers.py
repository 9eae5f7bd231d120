"""Numbers in a form for people."""

from __future__ import annotations

from decimal import Decimal


def duration(seconds: float | None) -> str:
    """Returns h:mm:ss or m:ss, "-" if it is not known."""
    if seconds is None:
        return "-"
    whole = int(seconds + 0.5)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def clock(seconds: float | None) -> str:
    """Returns the time left on a clock: `1:02:03`, `1:02`, in the last minute `59.3`."""
    return f"{seconds:.1f}" if seconds is not None and seconds < 59.95 else duration(seconds)


def rate_text(rate: float | None, unit: str) -> str:
    """Returns `322 games/min`, or from sixty a second on `75 positions/s`."""
    if rate is None:
        return f"- {unit}/min"
    if rate >= 3600:
        return f"{rate / 60:,.0f} {unit}/s"
    return f"{rate:,.0f} {unit}/min" if rate >= 10 else f"{rate:.1f} {unit}/min"


def noun(count: float, one: str) -> str:
    """Returns `game` for exactly one, else `games`."""
    return one if count == 1 else f"{one}s"


def plain(value: float) -> str:
    """Returns `0.05`, `150000.5`: nine decimals at most, no trailing zeros, never a power of ten."""
    return f"{value:.9f}".rstrip("0").rstrip(".") or "0"


def figures(value: float, digits: int = 6) -> str:
    """Returns `1490`, `83.2517`: so many significant figures, but the whole part in full, and never a power of ten."""
    whole = len(str(abs(int(value))))
    text = f"{Decimal(f'{value:.{max(digits, whole)}g}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
