"""Numbers as people read them."""

from __future__ import annotations


def duration(seconds: float | None) -> str:
    """Returns h:mm:ss or m:ss, "-" when nobody knows."""
    if seconds is None:
        return "-"
    whole = int(seconds + 0.5)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def elo_text(elo: float | None, error: float | None) -> str:
    """Returns "-62.1 ± 24.0", "not determined" where a figure is missing."""
    if elo is None or error is None:
        return "not determined"
    return f"{elo if abs(elo) >= 0.05 else 0.0:+.1f} ± {error:.1f}"


def rate_text(rate: float | None, unit: str) -> str:
    """Returns `322 games/min`; from sixty a second on `75 positions/s`."""
    if rate is None:
        return f"- {unit}/min"
    if rate >= 3600:
        return f"{rate / 60:,.0f} {unit}/s"
    return f"{rate:,.0f} {unit}/min" if rate >= 10 else f"{rate:.1f} {unit}/min"
