"""PGN of cutechess, fastchess, xboard and lichess read as results: pairs, reasons, faults, scores, names merged."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.analysis.summary import read
from harness.errors import BadInput
from harness.journal.foreign import rename_rule, results, take
from harness.journal.journal import Reader
from harness.report.pgn import TERMINATION

HEAD = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n'
SHUFFLED = '[Variant "fischerandom"]\n[FEN "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1"]\n'
CUTECHESS = """[Event "?"]
[Round "1"]
[White "A 1.0"]
[Black "B"]
[Result "1-0"]
[TimeControl "8+0.08"]

1. e4 {book} e5 {book} 2. Bc4 {+0.31/12 0.50s} Nc6 {-0.20/11 0.40s} 3. Qh5 {+1.00/9 0.10s}
Nf6 {-M2/9 0.10s} 4. Qxf7# {+M1/3 0.010s, White mates} 1-0

[Event "?"]
[Round "2"]
[White "B"]
[Black "A 1.1"]
[Result "0-1"]
[TimeControl "8+0.08"]

1. e4 {book} e5 {book} 2. Nf3 {+0.31/12 0.50s, n=12345} Nc6 {-0.20/11 0.40s, White loses on time} 0-1

"""
LICHESS = """[Event "Rated bullet game"]
[White "B"]
[Black "A 1.1"]
[Result "1/2-1/2"]
[Termination "Normal"]
[TimeControl "60+0"]

1. e4 { [%eval 0.2] [%clk 0:01:00] } e5 { [%clk 0:00:59] } 1/2-1/2

[Event "unfinished"]
[White "B"]
[Black "A 1.1"]
[Result "*"]

1. e4 *

"""


def written(folder: Path, text: str, name: str = "games.pgn") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("draw", ["1/2-1/2", "1/2", "½-½"])
def test_a_draw_counts_however_it_is_written(tmp_path: Path, draw: str) -> None:
    file = written(tmp_path, CUTECHESS + LICHESS.replace("1/2-1/2", draw))
    with results([str(file)]) as folders:
        assert sum(pairing.draws for pairing in read(folders[0])[1].pairings) == 1


def test_pairs_reasons_and_faults(tmp_path: Path) -> None:
    file = written(tmp_path, CUTECHESS + LICHESS)
    with results([str(file)], [rename_rule(r"A \d.*=A")]) as folders:
        experiment, summary, _ = read(folders[0])
        with Reader(folders[0]) as reader:
            games = list(reader.games())
    assert [player.name for player in experiment.players] == ["A", "B"]
    (pairing,) = summary.pairings
    assert (pairing.wins, pairing.draws, pairing.losses) == (2, 1, 0)
    assert list(pairing.pentanomial) == [0, 0, 0, 0, 1] and pairing.unpaired == 1
    assert [game.reason for game in games] == ["mate", "time", "agreement"]
    assert games[1].fault is not None and games[1].fault.player == 1
    assert games[0].job.opening.moves == ("e2e4", "e7e5")
    first = games[0].moves[0]
    assert (first.move, first.score, first.depth, first.ms) == ("f1c4", 31, 12, 500.0)
    assert games[0].moves[-1].score == 100_001 and games[0].moves[-2].score == -100_002
    assert games[1].moves[0].nodes == 12345


def test_our_own_reasons_are_read_back(tmp_path: Path) -> None:
    won = ["time", "stall", "crash", "illegal", "claim", "protocol", "resign", "adjudicated-win"]
    drawn = ["repetition", "fifty", "material", "stalemate", "agreement", "adjudicated-draw", "move-limit"]
    text = "".join(
        f'{HEAD.strip().replace("1-0", result)}\n[Termination "{TERMINATION[reason]}"]\n[Reason "{reason}"]\n\n1. e4 {result}\n\n'
        for result, reasons in (("1-0", won), ("1/2-1/2", drawn))
        for reason in reasons
    )
    with results([str(written(tmp_path, text))]) as (folder,), Reader(folder) as reader:
        assert [game.reason for game in reader.games()] == won + drawn


def test_a_time_without_a_score_is_a_time(tmp_path: Path) -> None:
    """So write cutechess and gauntlet where an engine has told no score."""
    moves = (
        "1. e4 {0.050s} e5 {1.5s, n=77} 2. Nf3 {+0.31/12 0.50s} Nc6 {0.021s, tl=1.234s} 3. Bb5 {+0.50} a6 {2s} 1-0\n"
    )
    with results([str(written(tmp_path, HEAD + moves))]) as (folder,), Reader(folder) as reader:
        (game,) = reader.games()
    assert [move.score for move in game.moves] == [None, None, 31, None, 50, None]
    assert [move.ms for move in game.moves] == [50, 1500, 500, 21, 0, 2000]


def test_numbers_beyond_sense_count_as_not_given(tmp_path: Path) -> None:
    huge = "9" * 25
    moves = f"1. e4 {{+0.1/{huge} 1.0s}} e5 {{+0.10/5 1.0s, n={huge}}} 2. Nf3 {{+M{huge}/5 {'9' * 400}s}} Nc6 "
    moves += f"{{+{'9' * 400}.0/3 1s}} 1-0\n"
    with results([str(written(tmp_path, HEAD + moves))]) as (folder,), Reader(folder) as reader:
        (game,) = reader.games()
    assert [move.score for move in game.moves] == [10, 10, None, None]
    assert [move.depth for move in game.moves] == [None, 5, 5, 3]
    assert [move.nodes for move in game.moves] == [None] * 4
    assert [move.ms for move in game.moves] == [1000, 1000, 0, 1000]


def test_a_time_of_a_minute_and_more_as_xboard_writes_it(tmp_path: Path) -> None:
    moves = "1. e4 {+0.34/9 1:30} e5 {-0.20/10 12:05} 2. Nf3 {+0.31/12 7} Nc6 {+0.10/4 0.5} 1-0\n"
    with results([str(written(tmp_path, HEAD + moves))]) as (folder,), Reader(folder) as reader:
        (game,) = reader.games()
    assert [move.ms for move in game.moves] == [90_000, 725_000, 7_000, 500]


def test_another_game_than_chess_is_refused(tmp_path: Path) -> None:
    text = HEAD.replace("[White", '[Variant "Crazyhouse"]\n[White', 1) + "1. e4 d5 2. exd5 Qxd5 3. Nc3 P@e4 1-0\n"
    with pytest.raises(BadInput, match=r"games\.pgn: round .*: variant Crazyhouse, expected chess or Chess960"):
        with results([str(written(tmp_path, text))]):
            pass


def test_a_name_with_quotes_is_the_name_that_was_written(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(CUTECHESS.replace('"B"', r'"the \"B\" of C:\\engines"'))
    with results([str(path)], []) as (folder,):
        assert r'the "B" of C:\engines' in [player.name for player in read(folder)[1].players]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_draw_may_be_written_with_halves_and_names_in_latin_1(tmp_path: Path, encoding: str) -> None:
    text = HEAD.replace("1-0", "½-½").replace('"b"', '"Jörg"') + "1. e4 e5 ½-½\n\n"
    text += HEAD.replace('"b"', '"Järg"') + "1. e4 e5 1-0\n"
    (tmp_path / "games.pgn").write_text(text, encoding=encoding)
    with results([str(tmp_path / "games.pgn")]) as (folder,):
        players = read(folder)[1].players
    assert [(one.name, one.points) for one in players] == [("a", 1.5), ("Jörg", 0.5), ("Järg", 0.0)]


def test_names_in_the_code_page_of_windows(tmp_path: Path) -> None:
    """In Latin-1 these letters are control characters, and all such players were one."""
    text = HEAD.replace('"a"', '"Šarić"').replace('"b"', '"O’Kelly"').replace("ć", "c") + "1. e4 e5 1-0\n\n"
    (tmp_path / "games.pgn").write_text(text + text.replace("Š", "Ž"), encoding="cp1252")
    with results([str(tmp_path / "games.pgn")]) as (folder,):
        assert [player.name for player in read(folder)[1].players] == ["Šaric", "O’Kelly", "Žaric"]


def test_games_of_joined_files_are_all_read(tmp_path: Path) -> None:
    """Nothing parts two games but the tags of the second; empty lines may be missing, or stand where none belongs."""
    game = HEAD + "1. e4 {[%clk 0:01:00]\n[%eval 0.1]} e5 1-0\n"
    odd = HEAD.rstrip("\n") + "\n1. d4\n\n1... d5 {a\n\nb} 1-0 {resigns}\n"
    with results([str(written(tmp_path, game + game + odd + game))]) as (folder,), Reader(folder) as reader:
        games = list(reader.games())
    assert [[move.move for move in game.moves] for game in games] == [
        ["e2e4", "e7e5"],
        ["e2e4", "e7e5"],
        ["d2d4", "d7d5"],
        ["e2e4", "e7e5"],
    ]


def test_what_stands_between_two_games_is_of_neither(tmp_path: Path) -> None:
    """A remark, a comment, or nothing, not even the end of a line."""
    game = HEAD + "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0"
    text = (
        game
        + game
        + " Mate\n"
        + game
        + "\nBlack was mated\n\n{ Game 4: White lost on time }\n\n"
        + game
        + " {White mates}\n"
    )
    with results([str(written(tmp_path, text))]) as (folder,), Reader(folder) as reader:
        games = list(reader.games())
    assert [(len(one.moves), one.reason) for one in games] == [(7, "mate")] * 4


def test_tags_in_one_line_or_indented_or_with_odd_names(tmp_path: Path) -> None:
    text = ' [White "a"] [Black "b \\"c\\""]\n  [White-Elo "1"] [Größe "2"] [_x "3"] [Result "1-0"]\n1. e4 e5 1-0\n'
    with results([str(written(tmp_path, text))]) as (folder,):
        found = read(folder)[1]
    assert [player.name for player in found.players] == ["a", 'b "c"'] and found.plies == 2


@pytest.mark.parametrize("clock", ["0/60", "5000000/60", "60+100000000", "0/0.0000000001", "9" * 20, "sudden death"])
def test_a_clock_that_no_experiment_can_have_is_no_reason_to_refuse(tmp_path: Path, clock: str) -> None:
    text = HEAD.replace("[White", f'[TimeControl "{clock}"]\n[White', 1) + "1. e4 e5 1-0\n"
    with results([str(written(tmp_path, text))]) as (folder,):
        assert read(folder)[1].played == 1


def test_more_players_than_can_be_paired_are_refused(tmp_path: Path) -> None:
    """Every pair of names is a pairing: 3,000 players took gigabytes."""
    text = "".join(HEAD.replace('"a"', f'"a{n}"').replace('"b"', f'"b{n}"') + "1. e4 e5 1-0\n\n" for n in range(501))
    with pytest.raises(BadInput, match=r"games of 1002 players, expected 1000 at most \(--rename"):
        with results([str(written(tmp_path, text))]):
            pass
    with results([str(written(tmp_path, text))], [rename_rule("b.*=others")]) as (folder,):
        assert read(folder)[1].played == 501


def test_a_rule_that_leaves_nothing_of_a_name_makes_it_unknown(tmp_path: Path) -> None:
    rule = rename_rule(r"(?i)(x)?B=\1")
    with results([str(written(tmp_path, CUTECHESS))], [rule]) as (folder,):
        assert [player.name for player in read(folder)[1].players] == ["A 1.0", "?", "A 1.1"]


def test_the_folder_of_a_file_is_gone_afterwards(tmp_path: Path) -> None:
    with results([str(written(tmp_path, CUTECHESS))]) as folders:
        assert folders[0].exists()
    assert not folders[0].exists()


def test_a_file_named_twice_is_not_counted_twice(tmp_path: Path) -> None:
    file = str(written(tmp_path, CUTECHESS))
    (tmp_path / "link.pgn").symlink_to(file)
    with pytest.raises(BadInput, match="link.pgn: is named twice"), results([file, str(tmp_path / "link.pgn")]):
        pass


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "games.pgn: no finished game"),
        (HEAD + "1. e4 Ke4 1-0\n", 'games.pgn:5: "Ke4" is not a legal move'),
        (HEAD + "1. e4 e5 1-0\n\n" + HEAD + "1. e4 e5\n2. Ke5 1-0\n", 'games.pgn:12: "Ke5" is not a legal move'),
        ('[FEN "xx"]\n' + HEAD + "1. e4 1-0\n", 'games.pgn:1: "xx" is not a position'),
        ("\ufeff" + HEAD + "1. e4 Ke4 1-0\n", 'games.pgn:5: "Ke4" is not a legal move'),
        (SHUFFLED + HEAD + "1. O-O g6\n2. Ke4 1-0\n", 'games.pgn:8: "Ke4" is not a legal move'),
        (HEAD + "1. e4 { oh e5 1-0\n\n" + HEAD + "1. d4 d5 0-1\n", "games.pgn:5: a comment { is never closed"),
    ],
)
def test_a_file_without_games_is_one_plain_line(
    tmp_path: Path, text: str, expected: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadInput) as refused:
        take([written(tmp_path, text)], tmp_path)
    assert expected in str(refused.value) and "\n" not in str(refused.value)
    assert capfd.readouterr() == ("", "")  # nor does python-chess say anything of its own


@pytest.mark.parametrize("text", ["A", "=A", "A=", "(=A", r"(A)=\2", r"A=\q", r"(A)=\g<x>", r"(A)=\g<x"])
def test_a_rule_is_a_pattern_and_a_name(text: str) -> None:
    with pytest.raises(BadInput, match="--rename"):
        rename_rule(text)
