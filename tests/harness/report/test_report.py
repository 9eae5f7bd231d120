"""The report: every section, nothing from elsewhere, small, harmless whatever engines say, and alive in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import browser
import chess
import pytest
import synthetic
from here import gauntlet, refusal
from hypothesis import given, settings
from hypothesis import strategies as st
from reports import FRENCH, HOSTILE, SCREEN, SECTIONS, Shape, hostile, made_up, played

from harness.analysis.screen_file import SCREEN_FILE, NodeRatio
from harness.analysis.summary import PairingSummary
from harness.errors import BadInput
from harness.journal import foreign
from harness.journal.journal import Journal, Reader
from harness.journal.record import pack, row_checksum
from harness.model import Fault, Job, MoveRecord, Opening
from harness.report import write as report
from harness.report.page import evidence, facts, markdown, render, searches, series, text, view, viewer
from harness.report.page.drawing import charts, svg, tradeoff
from harness.schedule import jobs as schedule
from harness.spec.settings import Sprt
from harness.stats import elo as stats
from harness.tables.summaries import print_final, print_show


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_up(tmp_path_factory.mktemp("run"), synthetic.TEXT + "\n[sprt]\nelo0 = 0\nelo1 = 5\n")


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    (path,) = report.write(run)
    assert path == run / "report.html"
    return path.read_text(encoding="utf-8")


def test_sections_stand_in_their_order(page: str) -> None:
    assert re.findall(r'<section id="([a-z]+)"', page) == SECTIONS


def test_figures_of_the_run_are_on_the_page(page: str, run: Path) -> None:
    with Reader(run) as reader:
        found = facts.gather(reader)
    for pairing in found.summary.pairings:
        assert f"{pairing.a} vs {pairing.b}" in page
        assert str(pairing.pentanomial) in page
        assert pairing.sprt is not None and f"{pairing.sprt.llr:.2f}" in page
    for words in (
        "×2.83",
        "2.46 to 3.27",
        "HASH",
        "GOOD_NOISY",
        "French",
        "CFS",
        "SHA-256",
        "test",
        found.scan.digest(),
    ):
        assert words in page, words


def test_the_lines_for_pasting_name_the_limit_that_was_played(tmp_path: Path) -> None:
    """That of the players, where all have the same one and it is not the experiment's."""
    text_ = synthetic.TEXT.replace('LMR = "off"', 'LMR = "off"\nnodes = 500').replace(
        "TT = false", "TT = false\nnodes = 500"
    )
    made_up(tmp_path, text_.replace("[base]", "[base]\nnodes = 500"))
    assert view.block(facts.read(tmp_path)).startswith("made-up: lmr-off vs base (500 nodes a move)")


def test_games_of_other_programs_keep_their_order(tmp_path: Path) -> None:
    """They do not say when they began, and how long they took must not sort them."""
    games = []
    for number, took in enumerate((9.0, 0.5, 3.0), 1):
        for white, black in ("ab", "ba"):
            head = f'[White "{white}"]\n[Black "{black}"]\n[Result "1-0"]\n\n'
            games.append(
                f"{head}1. e4 {{book}} e5 {{+0.10/{number} {took}s}} 2. Nf3 {{+0.10/{number} {took}s}} 1-0\n\n"
            )
    (tmp_path / "a.pgn").write_text("".join(games))
    with foreign.results([str(tmp_path / "a.pgn")]) as (folder,):
        found = facts.read(folder)
    assert [pair.number for pair in found.pairs[0]] == [1, 2, 3]
    # Nor what their engines took of a processor.
    assert {row[3:] for row in evidence.engine_cpu(found).rows} == {("–", "–", "–")}
    assert {row[2:4] for row in evidence.machines(found).rows} == {("–", "–")}


def test_nothing_is_fetched_and_only_our_script_may_run(page: str) -> None:
    for link in Shape(page).links:
        assert link.startswith(("#", "data:")), link
    assert "@import" not in page and "url(" not in page
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(script) == 1
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    rules = policy[1].replace("&#39;", "'")
    assert "default-src 'none'" in rules and f"script-src 'sha256-{digest}'" in rules


def test_every_picture_has_a_name_and_a_table(page: str) -> None:
    pictures = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    assert len(pictures) >= 7
    for picture in pictures:
        if "<svg" in picture:
            assert re.search(r'<svg [^>]*role="img"[^>]*aria-label="[^"]+"', picture) and "<table>" in picture


def test_light_dark_print_and_phone_have_their_styles(page: str) -> None:
    for rule in ("prefers-color-scheme:dark", "@media print", "max-width:700px"):
        assert rule in page


def test_the_page_works_while_nothing_is_played(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, [])
    page = report.write(tmp_path)[0].read_text()
    assert "No game is finished yet" in page and re.findall(r'<section id="([a-z]+)"', page) == [
        "verdict",
        "provenance",
    ]
    assert report.write(tmp_path, form="md")[0].read_text()


@pytest.mark.parametrize("count", [1, 2])
def test_one_of_a_kind_is_no_plural(tmp_path: Path, capsys: pytest.CaptureFixture[str], count: int) -> None:
    """Of a run of a single pair, as page, Markdown and on the terminal."""
    text_ = synthetic.TEXT.replace("games = 8", "games = 2").replace("[variants.tt-off]\nTT = false", "")
    found = synthetic.plan(tmp_path, text_ + "\n[sprt]\nelo0 = 0\nelo1 = 5\n")
    synthetic.journal(tmp_path, found, [played(job, "1-0") for job in schedule.jobs(found)][:count])
    (tmp_path / SCREEN_FILE).write_text(json.dumps({**SCREEN, "positions": 1}))
    (page, document) = (report.write(tmp_path, form=form)[0].read_text() for form in ("html", "md"))
    print_show(tmp_path)
    print_final(tmp_path)
    told = f"{page} {document} {capsys.readouterr().out}"
    assert not re.findall(r"(?<![\d.,])1 (?:games|pairs|positions|pairings|openings|faults)\b", told)
    assert (f"{found.name}: 1 game</title>" in page) == (count == 1) and ("1 pair, LLR" in page) == (count == 2)


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ({}, "–"),  # not 1: nothing is known of it
        ({"time_ratio": 1.5}, "×1.50"),
        ({"time_ratio": 1.5, "time_low": 1.2, "time_high": 1.9}, "×1.50 (1.20 to 1.90)"),
    ],
)
def test_time_to_depth_is_told_as_far_as_it_is_known(tmp_path: Path, times: dict[str, float], shown: str) -> None:
    synthetic.journal(tmp_path, synthetic.plan(tmp_path), [])
    row = {**SCREEN["variants"][0], **times}
    (tmp_path / SCREEN_FILE).write_text(json.dumps({**SCREEN, "variants": [row]}))
    _, table = searches.variants(facts.read(tmp_path))[-1]
    assert table.rows[0][4] == shown


def test_one_fault_left_out_is_no_plural(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("games = 8", "games = 32"))
    games = [
        synthetic.record(job, "1-0", "crash", fault=synthetic.fault(job.black, "crash"))
        for job in list(schedule.jobs(found))[: evidence.FAULTS_SHOWN + 1]
    ]
    synthetic.journal(tmp_path, found, games)
    assert "1 more fault is kept in the folder" in report.write(tmp_path)[0].read_text()


@pytest.mark.parametrize("result", ["1-0", "1/2-1/2"])
def test_undetermined_figures_are_said_in_words(tmp_path: Path, result: str) -> None:
    found = synthetic.plan(tmp_path)
    games = [played(job, result if job.white == 0 or result[1] == "/" else "0-1") for job in schedule.jobs(found)]
    synthetic.journal(tmp_path, found, [game for game in games if game.job.pairing == 0])
    page = report.write(tmp_path)[0].read_text()
    assert "not determined" in page and not re.search(r"\b(nan|inf)\b", page)


def test_ten_thousand_games_make_a_small_page(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("games = 8", "games = 5000"))
    synthetic.journal(tmp_path, found, [])
    kinds = []
    for result in ("1-0", "0-1", "1/2-1/2"):
        moves = [MoveRecord("g1f3" if n % 4 < 2 else "f3g1", 10.0, 9.0, 0.1, 8, 2000, n) for n in range(0, 20, 2)]
        replies = [MoveRecord("g8f6" if n % 4 < 2 else "f6g8", 10.0, 9.0, 0.1, 8, 2000, -n) for n in range(0, 20, 2)]
        both = tuple(move for pair in zip(moves, replies, strict=True) for move in pair)
        job = Job(1, 0, 1, 1, 0, 2, Opening(chess.STARTING_FEN, (), "x"))
        kinds.append(pack(synthetic.record(job, result, moves=both)))
    journal = Journal(tmp_path)
    journal._db.execute("BEGIN")
    slots = ",".join("?" * (len(kinds[0].row) + 1))
    for job in schedule.jobs(found):
        kind = kinds[(job.id * 7 + job.pair) % 3]
        row = kind.row._replace(
            id=job.id, pairing=job.pairing, pair=job.pair, leg=job.leg, white=job.white, black=job.black,
            opening=f"line {job.pair % 300}", started=1.8e9 + job.id,
        )  # fmt: skip
        journal._db.execute(f"INSERT INTO games VALUES ({slots})", (*row, row_checksum(row)))
        journal._db.execute("INSERT INTO moves VALUES (?, ?, '', ?)", (job.id, kind.moves, kind.moves_crc))
    journal._db.execute("COMMIT")
    journal.close()
    (path,) = report.write(tmp_path)
    assert path.stat().st_size < 3_000_000
    page = path.read_text()
    assert "10,000" in page and f"{viewer.GAMES} of 10,000 finished games" in page and "gauntlet pgn" in page


def test_endless_transcripts_and_games_do_not_swell_the_page(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("games = 8", "games = 40"))
    lines = tuple("<" * 2000 for _ in range(90))
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    moves = tuple(MoveRecord(shuffle[n % 4], 10.0, 9.0, 0.1, 8, 2000, 1) for n in range(420))
    games = []
    for job in schedule.jobs(found):
        bad = replace(job, opening=Opening(chess.STARTING_FEN, (), "<" * 4000))
        fault = Fault(job.white, "crash", "<" * 4000, lines, "<" * 20_000, 1)
        games.append(synthetic.record(bad, "0-1", "crash", moves, detail="<" * 4000, fault=fault))
    synthetic.journal(tmp_path, found, games)
    (path,) = report.write(tmp_path)
    assert path.stat().st_size < 3_000_000
    assert re.search(r"\d+ more faults are kept", path.read_text())


# Hostile engines ------------------------------------------------------------------------------------------------------


def test_hostile_words_stay_text(tmp_path: Path) -> None:
    tame, wild = tmp_path / "tame", tmp_path / "wild"
    tame.mkdir()
    wild.mkdir()
    word = HOSTILE.replace("\u202e", "")
    expected = Shape(report.write(hostile(tame, "x" * len(word)))[0].read_text()).tags
    page = report.write(hostile(wild, word))[0].read_text()
    assert Shape(page).tags == expected
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page and "<script>alert" not in page and "<img" not in page


@given(st.text(min_size=1, max_size=60).filter(lambda word: word.strip() != ""))
@settings(max_examples=15)
def test_no_text_changes_the_shape_of_what_holds_it(word: str) -> None:
    word = text.clean(word)
    picture = charts.pentanomial([(0, _pairing(word))]) + tradeoff.picture([_pairing(word)])[0]
    calm = charts.pentanomial([(0, _pairing("calm"))]) + tradeoff.picture([_pairing("calm")])[0]
    assert Shape(str(picture)).tags == Shape(str(calm)).tags
    filled = render.environment().from_string("<p title='{{ x }}'>{{ x }}</p><script type=j>{{ [x]|tojson }}</script>")
    assert Shape(filled.render(x=word)).tags == [("p", ("title",)), ("script", ("type",))]
    data = filled.render(x=word).split("<script type=j>")[1].removesuffix("</script>")
    assert json.loads(data) == [word]


def _pairing(name: str) -> PairingSummary:
    pairing = PairingSummary(name, name, 10, 10, 4, 2, 4, [1, 1, 1, 1, 1])
    found = pairing.estimate()
    pairing.elo, pairing.elo_error = found.elo, found.elo_error
    pairing.nodes = NodeRatio(1.2, 0.1, 1.1, 1.3, 9, 42)
    return pairing


def test_what_reorders_or_breaks_text_is_shown_as_such() -> None:
    assert text.clean("a\u202eb\x00c\ud800d\ne") == "a\ufffdb\ufffdc\ufffdd\ne"
    assert svg.attribute('<"&\x1b') == "&lt;&#34;&amp;\ufffd"


def test_markdown_is_tables_and_pictures_and_escapes(run: Path, tmp_path: Path) -> None:
    files = report.write(run, tmp_path / "out.md", "md")
    assert files[0] == tmp_path / "out.md"
    words = files[0].read_text()
    assert "| pairing |" in words and "×2.83" in words
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", words)
    assert pictures == [f"out-{name}.svg" for name in ("tradeoff", "ranking", "progress", "llr", "pairs")]
    assert [path.name for path in files[1:]] == pictures
    for path in files[1:]:
        root = ElementTree.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and "--card" in (root[0].text or "")
        assert len(root.findall("{*}text")) > 2
    found = tmp_path / "hostile"
    found.mkdir()
    files = report.write(hostile(found, "$x_ [a](http://b) <b> `|` www.c"), found / "\udcff.md", form="md")
    words = files[0].read_text()
    assert all(ElementTree.parse(path).getroot().find(".//{*}b") is None for path in files[1:])
    outside = re.sub(r"(?s)^(`{3,})\n.*?^\1$", "", words, flags=re.MULTILINE)
    assert "<b>" not in outside and not re.search(r"(?<!\\)\]\(http", outside) and r"\[a\](http\://b)" in outside
    assert markdown.fenced("a\n````\nb") == "`````\na\n````\nb\n`````"


def test_markdown_of_other_engines_asks_for_nothing_that_only_sortie_has(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_text('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n')
    foreign.take([games], tmp_path)
    (path, *_) = report.write(tmp_path, tmp_path / "out.md", "md")
    words = path.read_text()
    assert "Crosstable" in words and not any(name in words for name in ("screen", "Stats", "Openings"))


# The parts ------------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=25)
def test_packed_changes_replay_the_game(seed: int, fischer: bool) -> None:
    import random

    rng = random.Random(seed)
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if fischer else chess.Board()
    board.chess960 = fischer
    start, moves = board.copy(), list[MoveRecord]()
    while not board.is_game_over() and len(moves) < 120:
        legal = list(board.legal_moves)
        # Castling, promotions and captures in passing are what a change list may get wrong.
        rare = [move for move in legal if board.is_castling(move) or move.promotion or board.is_en_passant(move)]
        move = rng.choice(rare or legal)
        moves.append(MoveRecord(board.uci(move), 1.0))
        board.push(move)
    job = Job(1, 0, 1, 1, 0, 1, Opening(start.fen(), ()))
    game = viewer.packed(synthetic.record(job, "1-0", moves=tuple(moves)), cast(facts.Facts, _facts(fischer)))
    replayed = chess.BaseBoard(game["fen"])
    for changes in game["d"]:
        for word in changes.split():
            piece = None if word[2] == "-" else chess.Piece.from_symbol(word[2])
            replayed.set_piece_at(chess.parse_square(word[:2]), piece)
    assert replayed.board_fen() == board.board_fen() and len(game["s"]) == len(moves)


class _facts:
    """As much of a run as a game needs to be packed."""

    def __init__(self, chess960: bool) -> None:
        self.experiment = self
        self.chess960 = chess960

    def name(self, player: int) -> str:
        return str(player)


def test_the_viewer_takes_the_games_that_decided_pairs(run: Path) -> None:
    found = facts.read(run)
    chosen = viewer.deciding(found)
    assert chosen == sorted(chosen) and chosen
    uneven = {game for pairs in found.pairs for pair in pairs if pair.points != 1.0 for game in pair.games}
    assert set(chosen) <= uneven
    assert all(found.scan.rows[game].result != "1/2-1/2" for game in chosen)


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (("1-0", "1-0"), "2 of 2 finished games: won games."),
        (("1-0", "1/2-1/2"), "1 of 2 finished games: wins that decided their pair."),
        (("1/2-1/2", "1/2-1/2"), "2 of 2 finished games: none is won."),
        (("1/2-1/2",), "1 of 1 finished game: none is won."),
    ],
)
def test_the_viewer_says_which_games_it_took(tmp_path: Path, results: tuple[str, ...], words: str) -> None:
    found = synthetic.plan(tmp_path)
    games = [played(job, result) for job, result in zip(schedule.jobs(found), results, strict=False)]
    synthetic.journal(tmp_path, found, games)
    assert words in report.write(tmp_path)[0].read_text()


@pytest.mark.parametrize(("result", "expected"), [("1-0", 250), ("0-1", 40), ("1/2-1/2", 0)])
def test_a_loser_that_saw_itself_ahead_is_told(result: str, expected: int) -> None:
    job = Job(1, 0, 1, 1, 0, 1, Opening(chess.STARTING_FEN, ("e2e4",)))
    scores = {"e7e5": 250, "g1f3": 40, "b8c6": -10, "f1b5": None}
    moves = tuple(MoveRecord(move, 1.0, score=score) for move, score in scores.items())
    assert (
        viewer.packed(synthetic.record(job, result, moves=moves), cast(facts.Facts, _facts(False)))["misjudged"]
        == expected
    )


def test_a_large_field_has_a_picture_that_ends(tmp_path: Path) -> None:
    """Of a hundred players the bars of all pairings would be as high as hundreds of screens."""
    variants = "".join(f'[variants.v{n}]\nLMR = "off"\n' for n in range(12))
    field = synthetic.TEXT.replace("games = 8", 'games = 2\nkind = "roundrobin"').replace(
        '[variants.lmr-off]\nLMR = "off"\n[variants.tt-off]\nTT = false\n', variants
    )
    found = synthetic.plan(tmp_path, field)
    synthetic.journal(tmp_path, found, [synthetic.record(job, "1-0") for job in schedule.jobs(found)])
    figure = view.pentanomial(facts.read(tmp_path))
    assert figure.table is not None and len(figure.table.rows) == 13 * 12 // 2
    assert figure.picture.count(">1 pair<") == view.BARS_SHOWN
    assert f"{13 * 12 // 2 - view.BARS_SHOWN} more pairings are in the tables only" in figure.remark


@pytest.mark.parametrize("kind", ["swiss", "knockout", "match", "roundrobin"])
def test_every_kind_of_tournament_has_its_page(tmp_path: Path, kind: str) -> None:
    text_ = synthetic.TEXT.replace("games = 8", f'games = 2\nkind = "{kind}"')
    if kind == "match":
        text_ = text_.replace("[variants.tt-off]\nTT = false", "")
    found = synthetic.plan(tmp_path, text_)
    games = [synthetic.record(job, "1-0") for job in schedule.jobs(found, {})]
    synthetic.journal(tmp_path, found, games)
    page = report.write(tmp_path)[0].read_text()
    assert ('<ul class="standings">' in page) == (kind in ("swiss", "knockout", "league"))


def test_curves_end_where_the_summary_stands(run: Path) -> None:
    found = facts.read(run)
    for index, pairing in enumerate(found.summary.pairings):
        last = series.progress(found.pairs[index], Sprt(0.0, 5.0))[-1]
        assert last.pairs == sum(pairing.pentanomial) and last.elo == pairing.elo
        assert pairing.sprt is not None and last.llr == pytest.approx(pairing.sprt.llr)


def test_the_llr_of_a_factorial_is_that_of_whole_rounds_in_order(run: Path) -> None:
    """As the test is; Elo is of all pairs."""
    row = facts.read(run).pairs[0][0]
    told = [(1, 2.0), (2, 2.0), (2, 1.0), (1, 0.0), (3, 2.0)]  # (round, points): two matches
    pairs = [replace(row, number=number, points=points) for number, points in told]
    steps = series.progress(pairs, Sprt(0.0, 5.0), matches=2)
    both_rounds = stats.llr((1, 0, 1, 0, 2), 0.0, 5.0)
    assert [step.llr for step in steps] == pytest.approx([0.0, 0.0, 0.0, both_rounds, both_rounds])
    assert steps[-1].elo == stats.estimate((1, 0, 1, 0, 3)).elo


def test_crosstable_counts_every_game_from_both_sides(run: Path) -> None:
    found = facts.read(run)
    table = series.crosstable(found)
    games = sum(sum(white) for row in table for cell in row if cell for white in cell[:1])
    assert games == found.summary.played
    for i, row in enumerate(table):
        for j, cell in enumerate(row):
            other = table[j][i]
            assert (cell is None) == (other is None)
            if cell and other:
                assert cell[0] == other[1][::-1]


def test_opening_gains_are_about_the_mean(run: Path) -> None:
    pairs = facts.read(run).pairs[0]
    gains = series.opening_gains(pairs)
    assert sum(one.gain * one.pairs for one in gains) == pytest.approx(0.0, abs=1e-9)
    assert sum(one.pairs for one in gains) == len(pairs)


def test_a_scan_goes_on_where_it_left_off(run: Path) -> None:
    with Reader(run) as reader:
        whole, again = facts.Scan(3), facts.Scan(3)
        whole.read(reader)
        again.read(reader)
        again.read(reader)
    assert again.digest() == whole.digest() and again.players == whole.players
    assert whole.players[0].cutoffs == 50 * whole.players[0].moves == 50 * whole.players[0].reported


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(1, 12))
@settings(max_examples=50)
def test_ticks_lie_inside_their_scale(low: float, width: float, count: int) -> None:
    scale = svg.Scale(low, low + width, 0, 100)
    ticks = scale.ticks(count)
    assert len(ticks) <= 2 * count + 2
    for tick in ticks:
        assert low - 1e-6 * width - 1e-9 <= tick <= low + width * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("value", [0.0, 1e9, -1e17, 1e300])
def test_a_scale_of_one_value_has_room_however_large_it_is(value: float) -> None:
    scale = svg.Scale(*svg.padded([value, value], 0.04, 1e-9), 0.0, 100.0)
    assert scale(value) == pytest.approx(50.0, abs=0.1) and scale.ticks(3)


def test_faults_come_with_their_transcripts(tmp_path: Path) -> None:
    found = facts.read(hostile(tmp_path, "said <this>"))
    cards, more = evidence.faults(found)
    assert len(cards) == 5 and more == 0
    assert all("said <this>" in card.transcript for card in cards)
    sent = evidence._card("", {"transcript": ["> position startpos\ngo depth 1", "< bestmove e2e4"]}).transcript
    assert sent == "> position startpos\n> go depth 1\n< bestmove e2e4"


# The command ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["{none}"], "no such folder"),
        (["{run}", "--out", "{none}/x.html"], "cannot be written"),
        (["{run}", "--out", "{run}"], "is a directory"),
        (["{run}", "--format", "pdf"], "html"),
        ([], "DIR"),
    ],
)
def test_mistakes_end_in_one_plain_line(run: Path, tmp_path: Path, words: list[str], expected: str) -> None:
    filled = [word.format(run=run, none=tmp_path / "none") for word in words]
    assert expected in refusal("report", *filled)


def test_the_command_says_what_it_wrote(run: Path, tmp_path: Path) -> None:
    done = gauntlet("report", run, "--out", tmp_path / "a b.html")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'a b.html'}\n"), done.stderr
    assert not list(tmp_path.glob(".*"))


def test_the_file_may_be_below_the_home_folder(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    done = gauntlet("report", str(run), "--out=~/page.html")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'page.html'}\n"), done.stderr


def test_a_file_is_written_whole_or_not_at_all(run: Path, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")
    with pytest.raises(BadInput):
        report.write(run, tmp_path / "x" / "y.html")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


# In a browser ---------------------------------------------------------------------------------------------------------


@pytest.mark.peers
def test_the_page_in_a_browser(run: Path, tmp_path: Path) -> None:
    report.write(run)
    wild = tmp_path / "wild"
    wild.mkdir()
    (evil,) = report.write(hostile(wild, HOSTILE.replace("\u202e", "")))
    with browser.chromium() as tab:
        tab.open((run / "report.html").as_uri())
        assert tab.run("return [...document.querySelectorAll('section')].map(s => s.id)") == SECTIONS
        at = "document.getElementById('viewer').dataset"
        end = int(tab.run(f"return {at}.ply"))
        assert end == len(FRENCH)
        before = tab.run("return document.getElementById('g-board').innerHTML")
        tab.press("left", "left")
        assert int(tab.run(f"return {at}.ply")) == end - 2
        assert tab.run("return document.getElementById('g-board').innerHTML") != before
        tab.press("right", "right")
        assert tab.run("return document.getElementById('g-board').innerHTML") == before
        first = tab.run(f"return {at}.game")
        tab.press("n")
        assert tab.run(f"return {at}.game") != first
        tab.run("document.getElementById('viewer').focus()")
        tab.press("home")
        assert tab.run("return document.querySelectorAll('#g-board use').length") == 32
        tip = "document.getElementById('tip')"
        tab.run("document.querySelector('#tradeoff [data-tip]').focus()")
        assert "Elo" in tab.wait(f"{tip}.hidden ? '' : {tip}.textContent")
        assert tab.run("return document.getElementById('copy').hidden") is False
        assert tab.errors() == []

        tab.open(evil.as_uri())
        assert tab.run("return document.querySelectorAll('img, section script:not([type])').length") == 0
        assert "<script>alert(1)" in tab.run("return document.querySelector('h1').textContent")
        assert "<script>alert(1)</script>" in tab.run("return document.getElementById('g-about').textContent")
        tab.press("n", "left")
        assert tab.errors() == []


def test_sections_that_say_nothing_stay_away(tmp_path: Path) -> None:
    folder = made_up(tmp_path, stats=None)
    (folder / SCREEN_FILE).unlink()
    page = report.write(folder)[0].read_text()
    shown = re.findall(r'<section id="([a-z]+)"', page)
    assert "tradeoff" not in shown  # no node screen
    assert "LLR" not in page.split("<script>")[0].split("</style>")[1]  # no sequential test
    assert "# stats" not in page and "Cutoffs" not in page
    assert re.findall(r'<a href="#([a-z]+)"', page) == shown


def test_headings_are_the_words_of_the_links_to_them(page: str) -> None:
    links = dict(re.findall(r'<a href="#([a-z]+)">([^<]+)</a>', page))
    headings = dict(re.findall(r'<section id="([a-z]+)">\n<h2>([^<]+)</h2>', page))
    assert links == headings and list(links) == SECTIONS


def test_an_llr_stands_between_its_marked_bounds(page: str) -> None:
    tests = re.findall(r'<div class="test">(.*?)</div>', page, re.DOTALL)
    assert len(tests) == 2
    for test in tests:
        words = re.sub(r"<[^>]+>", " ", test)
        assert re.search(r"LLR -?\d+\.\d\d, (undecided|H[01] accepted)", words)
        assert re.search(r"H0 -2\.94 +0 +H1 2\.94", words)


SMALL = """
const found = [];
for (const text of document.querySelectorAll("svg[viewBox] text")) {
  const svg = text.closest("svg"), size = parseFloat(getComputedStyle(text).fontSize), box = svg.getBoundingClientRect();
  if (!box.width || getComputedStyle(text).display === "none") continue;
  const shown = size * box.width / svg.viewBox.baseVal.width;
  if (shown < 9) found.push(text.textContent + " " + shown.toFixed(1));
}
return found;
"""
CUT = """
return [...document.querySelectorAll("main *")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width && box.right > innerWidth + 1 && !one.closest(".scroll, svg");
}).map((one) => one.tagName + " " + one.className + " " + one.textContent.slice(0, 40));
"""
UNHINTED = """
return [...document.querySelectorAll(".scroll")].filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 1)
  .filter((box) => !getComputedStyle(box, "::before").content.includes("scroll sideways")).length;
"""


@pytest.mark.peers
@pytest.mark.parametrize("width", [390, 768, 1100])
def test_nothing_is_cut_off_or_too_small_to_read(run: Path, width: int) -> None:
    report.write(run)
    with browser.chromium() as tab:
        tab.resize(width)
        tab.open((run / "report.html").as_uri())
        tab.run("for (const one of document.querySelectorAll('details')) one.open = true")
        tab.wait("document.querySelector('.scroll') !== null")
        assert tab.run(CUT) == []
        assert tab.run(SMALL) == []
        tab.wait(f"(() => {{ {UNHINTED} }})() === 0")
        wide = tab.run("return document.querySelectorAll('.scroll.wide').length")
        assert wide if width == 390 else True
        letters = "return [...document.querySelectorAll('#g-board text')].map((one) => one.textContent).join('')"
        assert sorted(tab.run(letters)) == sorted("12345678abcdefgh")
        assert tab.run(letters).startswith("a8b7")
        tab.press("f")
        assert tab.run(letters).startswith("h1g2")


@pytest.mark.peers
def test_the_page_on_a_phone_is_not_wider_than_it(run: Path) -> None:
    report.write(run)
    with browser.chromium() as tab:
        tab.resize(390)
        tab.open((run / "report.html").as_uri())
        assert tab.run("return document.documentElement.scrollWidth") <= 390
        scheme = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        light = tab.run("return getComputedStyle(document.body).backgroundColor")
        tab.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": scheme})
        assert tab.run("return getComputedStyle(document.body).backgroundColor") != light
        assert tab.errors() == []
