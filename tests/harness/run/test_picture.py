"""The picture of a run: everything a person waits for, whole lines at any width, as many as there is room for."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from harness.analysis.monitor import Monitor, PairingState, RunState, SprtState
from harness.analysis.tally import PairingTally, Tally
from harness.run.display import PLAIN_EVERY, PlainDisplay
from harness.run.picture import llr_bar, picture
from harness.schedule.pairing import pairings_of
from harness.spec.reader import parse
from harness.terminal.lines import Work, bar, clip, head, table


def pairing(a: str = "lmr-off", b: str = "base", llr: float | None = None, verdict: str | None = None) -> PairingState:
    test: SprtState | None = None
    if llr is not None:
        test = {"llr": llr, "lower": -2.94, "upper": 2.94, "verdict": verdict}
    return {
        "a": a,
        "b": b,
        "scheduled": 400,
        "played": 24,
        "wins": 3,
        "draws": 7,
        "losses": 14,
        "pentanomial": [5, 1, 5, 1, 0],
        "elo": -171.4,
        "elo_error": 91.3,
        "los": 0.001,
        "shown": {"elo": -171.4, "low": -279.1, "high": -96.5, "los": 0.001, "corrected": False},
        "sprt": test,
    }


def slot(number: int, pairing: int = 0) -> dict[str, object]:
    return {
        "slot": number,
        "game": 1001 + number,
        "pairing": pairing,
        "white": "killers-a-rather-long-name",
        "black": "base",
        "fen": "8/8/8/4k3/8/8/4K3/8 b - - 12 71",
        "moves": 9,
        "scores": [31, -100_003],
        "clocks": [61.2, 4.0],
    }


def state(pairings: list[PairingState], slots: int = 2, faults: dict[str, dict[str, int]] | None = None) -> RunState:
    return {
        "name": "evening",
        "state": "running",
        "time": 0.0,
        "pid": 1,
        "scheduled": 400 * len(pairings),
        "played": 24 * len(pairings),
        "remaining": 376 * len(pairings),
        "plies": 0,
        "elapsed": 83.0,
        "eta": 3700.0,
        "rate": 17.4,
        "faults": faults or {},
        "pairings": pairings,
        "parameters": [],
        "slots": [slot(number) for number in range(slots)],
        "asked": "",
    }


def shown(run: RunState, width: int, height: int = 40, ascii_only: bool = False) -> str:
    return "\n".join(line.plain for line in picture(run, width, height, ascii_only))


@pytest.mark.parametrize("width", [50, 80, 100, 200])
def test_everything_is_there_at_every_usual_width(width: int) -> None:
    text = shown(
        state([pairing(llr=-1.2), pairing("killers-a-rather-long-name", llr=0.4)], faults={"base": {"time": 2}}), width
    )
    for word in ("evening", "48 of 800 games", "1:23 elapsed", "ETA 1:01:40", "17 games/min", "3/7/14", "24 of 400"):
        assert word in text
    for word in ("-171.4 [-279.1, -96.5]", "0.1 %", "-1.20", "+0.40", "-2.94 ├", "┤ 2.94", "71", "faults: base 2 time"):
        assert word in text
    assert "White" in text and "killers-" in text
    assert width < 80 or "1:01 4.0" in text  # the last minute of a clock in tenths


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=60)


@given(
    st.integers(20, 240), st.integers(4, 60), st.lists(WORDS, min_size=1, max_size=30), st.booleans(), st.integers(0, 9)
)
def test_no_line_is_too_long_and_none_too_many(
    width: int, height: int, names: list[str], sprt: bool, slots: int
) -> None:
    run = state([pairing(name, llr=1.0 if sprt else None) for name in names], slots, {names[0]: {"crash": 3}})
    lines = picture(run, width, height)
    assert len(lines) <= height
    assert max(cell_len(line.plain) for line in lines) <= width


def test_pairings_in_play_are_shown_where_not_all_fit() -> None:
    run = state([pairing(f"variant-{number:02d}") for number in range(40)], slots=0)
    run["slots"] = [{**slot(0), "pairing": 33}]
    text = shown(run, 100, 20)
    assert "variant-33" in text and "variant-00" in text and "variant-32" not in text
    count = sum("variant-" in line for line in text.splitlines())
    assert f"and {40 - count} more pairings" in text


def test_a_verdict_is_said_in_words() -> None:
    for width in (50, 120):
        assert "H0 accepted" in shown(state([pairing(llr=-3.0, verdict="H0")]), width)
        assert "H1 accepted" in shown(state([pairing(llr=3.0, verdict="H1")]), width)


def test_the_llr_is_filled_from_zero_towards_its_side() -> None:
    def cells(llr: float, lower: float = -2.94, upper: float = 2.94) -> str:
        drawn = llr_bar({"llr": llr, "lower": lower, "upper": upper, "verdict": None}, ascii_only=True).plain
        return drawn[drawn.index("[") + 1 : drawn.index("]")]

    assert cells(0.0) == "----------|----------"
    assert cells(2.94) == cells(7.0) == "----------|##########"
    assert cells(-2.94) == cells(-7.0) == "##########|----------"
    assert cells(1.5) == "----------|#####-----"
    assert cells(0.0, -1.0, 3.0) == "-----|---------------"  # zero is not in the middle of every test


def test_a_terminal_without_unicode_gets_ascii() -> None:
    text = shown(state([pairing(llr=-1.2)]), 100, ascii_only=True)
    assert text.isascii()


def test_a_bar_is_as_wide_as_it_is_told() -> None:
    for share in (0.0, 0.001, 0.5, 0.999, 1.0, 1.7):
        for width in (10, 50, 120):
            assert cell_len(bar(share, width).plain) == width
    assert bar(0.999, 50).plain.endswith(" 99 %")
    assert bar(1.0, 50).plain.count("━") == 44


def test_unknown_totals_have_no_bar_and_slow_work_a_decimal() -> None:
    work = Work("reading", 3, None, "files", 90.0, None, 2.0)
    (line,) = head(work, 100)
    assert line.plain == "reading: 3 files   1:30 elapsed   ETA -   2.0 files/min"
    assert head(dataclasses.replace(work, rate=7200.0), 100)[0].plain.endswith("120 files/s")


def test_clip_counts_columns_not_letters() -> None:
    assert clip("engine", 6) == "engine"
    assert clip("engines", 6) == "engin…"
    assert cell_len(clip("国际象棋引擎", 7)) <= 7


def test_a_table_without_room_for_names_is_refused() -> None:
    from rich.text import Text

    row = [Text("a-name-of-some-length"), Text("100 of 400"), Text("")]
    assert table(["player", "games", "nothing"], [row], 40) is not None
    assert table(["player", "games", "nothing"], [row], 24) is None
    found = table(["player", "games", "nothing"], [row], 30)
    assert found is not None and found[1].plain == "a-name-of-some-le…  100 of 400"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


SPEC = '[experiment]\ngames = 10\nnodes = 100\n[engines.one]\ncommand = "one"\n[engines.two]\ncommand = "two"\n'


FIELD = '[experiment]\nkind = "roundrobin"\n' + "".join(f'[engines.p{n}]\ncommand = "p"\n' for n in range(8))


def monitor(tmp_path: Path, clock: Clock, text: str = SPEC) -> Monitor:
    experiment = parse(text, "spec", tmp_path, check=False)
    tallies = [PairingTally(found, experiment.games) for found in pairings_of(experiment)]
    return Monitor(experiment, Tally(tallies, 10), tmp_path, clock)


def test_eta_and_rate_are_of_the_games_of_this_process(tmp_path: Path) -> None:
    clock = Clock()
    run = monitor(tmp_path, clock)
    assert run.eta() is None and run.rate() is None
    clock.now += 30.0
    run.tally.pairings[0].wins = run.tally.played = 4
    assert run.eta() == pytest.approx(45.0)
    assert run.rate() == pytest.approx(8.0)
    assert run.state()["remaining"] == 6


def test_games_that_are_dropped_from_the_journal_are_none_of_this_process(tmp_path: Path) -> None:
    clock = Clock()
    whole, rest = (monitor(tmp_path, clock).tally for _ in range(2))
    whole.played, rest.played = 8, 4
    run = Monitor(parse(SPEC, "spec", tmp_path, check=False), whole, tmp_path, clock)
    run.recount(rest)
    clock.now += 30.0
    assert run.rate() is None
    rest.played += 1
    assert run.rate() == pytest.approx(2.0)


def test_the_games_left_of_a_tournament_are_those_of_all_its_rounds(tmp_path: Path) -> None:
    text = SPEC.replace("games = 10", 'kind = "league"\ngames = 2') + "[tournament]\nseasons = 5\n"
    run = monitor(tmp_path, Clock(), text)  # 10 games, the two of the first season dealt
    run.tally.pairings[0].wins = run.tally.played = 1
    assert run.remaining() == 9


def test_plain_lines_come_now_and_then_and_only_with_news(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    run = monitor(tmp_path, clock)
    display = PlainDisplay(run)
    display.tick()
    assert capsys.readouterr().out == ""
    clock.now += PLAIN_EVERY
    run.tally.pairings[0].wins = run.tally.played = 1
    display.tick()
    display.tick()
    clock.now += 10 * PLAIN_EVERY
    display.tick()
    assert capsys.readouterr().out == "1/10 games   ETA 0:18   30 games/min   one vs two +1 =0 -0\n"


def test_a_plain_line_of_a_large_field_names_the_leaders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its first pairings are over soon, and say nothing of the others."""
    clock = Clock()
    run = monitor(tmp_path, clock, FIELD)
    display = PlainDisplay(run)
    for tally in run.tally.pairings:
        a, b = tally.pairing.a, tally.pairing.b
        tally.draws, tally.wins, tally.losses = (1, 0, 0) if {a, b} == {1, 2} else (0, int(a > b), int(a < b))
    run.tally.played = 28
    clock.now += PLAIN_EVERY
    display.tick()
    line = capsys.readouterr().out.split("games/min   ")[1]
    assert line == "p7 7/7   p6 6/7   p5 5/7   p4 4/7   p3 3/7   p1 1.5/7   and 2 more\n"


def test_parameters_of_a_tuning_run_have_a_line_each() -> None:
    one = {
        "name": "margin",
        "least": 0,
        "most": 100,
        "start": 30,
        "step": 5,
        "value": 70.25,
        "sent": "70",
        "reach": 5.0,
    }
    run = state([])
    run["parameters"] = [{**one, "name": f"margin{number}"} for number in range(30)]
    text = shown(run, 100)
    assert "margin0" in text and "70.25" in text and "+8.05" in text
    line = next(line for line in text.splitlines() if "margin0" in line)
    track = line[line.index("├") : line.index("┤")]
    assert 0.6 < track.index("●") / len(track) < 0.8
    for width in (30, 50, 80, 200):
        for height in (8, 20, 60):
            lines = picture(run, width, height)
            assert len(lines) <= height and all(cell_len(line.plain) <= width for line in lines)
    assert "and 27 more parameters" in shown(run, 100, 14)
    assert shown(run, 100, ascii_only=True).isascii()
