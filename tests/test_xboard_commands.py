"""Each command of the protocol reference, section 3: good and bad argument, in the states it belongs to."""

import json
import re

import pytest
from engine_process import EngineProcess

MATE_IN_TWO = "k7/8/8/2K5/8/8/8/7R w - - 0 1"  # Kb6 and Rh8
FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")
ILLEGAL_FEN = "8/8/8/8/8/8/8/8 w - - 0 1"


@pytest.fixture
def engine():
    with EngineProcess() as process:
        process.send("new", "st 0.1", "easy", "nopost")
        yield process


def forced(engine, *moves):
    engine.send("force", *(f"usermove {move}" for move in moves))


def side_to_move(engine):
    """Read off by a legal pawn step: 'white', 'black' or None (no position)."""
    for move, colour in (("a2a3", "white"), ("a7a6", "black")):
        engine.send(f"usermove {move}")
        if not engine.sync():
            engine.send("undo")
            return colour
    return None


# ---- handshake


def test_features_are_complete_framed_and_in_time(engine):
    lines = engine.features
    assert lines[0] == "feature done=0" and lines[-1] == "feature done=1"
    text = " ".join(lines)
    for feature in (
        "ping=1 setboard=1 playother=1 usermove=1 san=0 time=1 draw=1 reuse=1 analyze=1 colors=0 sigint=0 ics=0 name=1 "
        "pause=1 nps=1 debug=1 memory=1 smp=1 exclude=1"
    ).split():
        assert f" {feature} " in text + " ", feature
    assert 'variants="normal,fischerandom"' in text
    assert re.search(r'myname="Sortie \d[^",{}]*"', text)
    assert "setscore" not in text and "highlight" not in text and "sigterm=0" not in text
    assert all(line.count('"') % 2 == 0 and len(line) < 500 for line in lines)


def test_option_names_have_no_blanks_and_none_contains_another(engine):
    values = [re.fullmatch(r'feature option="(.*)"', line) for line in engine.features]
    values = [match.group(1) for match in values if match]
    names = [value.split(" -")[0] for value in values]
    assert len(names) == len(set(names)) > 10
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9]+", name)
        assert name.lower() not in ("memory", "cores", "random", "computer", "ponder")
        assert not any(name != other and name.lower() in other.lower() for other in names), name
    syntax = re.compile(
        r"\w+ -(check [01]|spin -?\d+ -?\d+ -?\d+|combo \S+( /// \S+)*|button|(string|file|path) .*)", re.ASCII
    )
    for value in values:
        assert syntax.fullmatch(value), value
        if "-combo" in value:
            assert value.count("*") == 1
        if "-spin" in value:
            default, least, most = map(int, value.split()[-3:])
            assert least <= default <= most


@pytest.mark.parametrize("version", ["2", "3", "99", "x", ""])
def test_protover_accepts_any_number(version):
    with EngineProcess(handshake=False) as engine:
        engine.send(f"protover {version}")
        engine.until("feature done=1")


def test_silent_commands_stay_silent_in_every_state(engine):
    silent = ["accepted x", "rejected y", "name Kasparov, Garry", "rating 2000 2100", "rating", "ics chess.org"]
    silent += [
        "computer",
        "random",
        ".",
        "exit",
        "draw",
        "?",
        "resume",
        "lift e2",
        "put e4",
        "hover e4",
        "partner",
        "xboard",
    ]
    silent += ["ptell hello", "holding [] []", "nopost", "easy", "result", "result nonsense", "exit"]
    assert engine.sync() == []
    engine.send(*silent)
    assert engine.sync() == []
    forced(engine, "e2e4")
    engine.send(*silent)
    assert engine.sync() == []
    engine.send("setboard " + ILLEGAL_FEN)
    engine.sync()
    engine.send(*silent)
    assert engine.sync() == []


@pytest.mark.parametrize(
    "line", ["foobar", "foobar 1 2", "Quit", "e2e9", "setscore 1 2", "\x00\x00", "depth", "movee2e4"]
)
def test_unknown_command_is_one_error_line(engine, line):
    engine.send(line)
    shown = line.replace("\x00", "?")
    assert engine.sync() == [f"Error (unknown command): {shown}"]


@pytest.mark.parametrize(
    "line",
    ["level", "level 40", "level x 5 0", "level 40 x 0", "level 40 5 x", "level -1 5 0", "st", "st 0", "st -1", "st x"]
    + ["sd", "sd x", "nps", "nps x", "time", "time x", "otim", "otim x", "memory", "memory x", "cores", "cores x"]
    + ["cores 0", "ping", "usermove", "variant", "option", "option Level=0", "option Level=21", "option OwnBook=maybe"]
    + ["option Level", "exclude", "include", "option Preset=nonsense", "option MoveOverhead=x"],
)
def test_bad_argument_is_one_error_line_and_changes_nothing(engine, line):
    engine.send(line)
    answer = [text for text in engine.sync() if not text.startswith("# ")]
    assert answer == [f"Error (bad argument): {line}"]
    engine.send("go")  # st 0.1 is still the time control
    engine.move(3)


def test_unknown_option_is_named(engine):
    engine.send("option NoSuch=1", "option memory=5")
    assert engine.sync() == ["Error (unknown option): option NoSuch=1", "Error (unknown option): option memory=5"]


def test_ping_echoes_its_argument_unchanged(engine):
    engine.send("ping  7 x")
    engine.until("pong 7 x$")


def test_debug_lines_wait_for_accepted_debug():
    with EngineProcess(handshake=False) as engine:
        engine.send("xboard", "protover 2")
        engine.until("feature done=1")
        engine.send("memory 0")
        assert engine.sync() == []
        engine.send("accepted debug", "memory 0")
        notes = engine.sync()
        assert len(notes) == 1 and notes[0].startswith("# memory")


# ---- the game


def test_new_leaves_force_and_the_engine_is_black(engine):
    engine.send("force", "new", "usermove e2e4")
    engine.move()
    engine.send("new", "usermove d2d4")
    engine.move()


def test_start_up_is_the_same_as_new():
    with EngineProcess(handshake=False) as engine:
        engine.send("st 0.1", "e2e4")
        engine.move()


def test_new_clears_sd_nps_exclusions_and_history(engine):
    engine.send("force", "usermove e2e4", "sd 1", "nps 1", "exclude all", "new")
    engine.send("undo")
    assert engine.sync() == ["Error (command not legal now): undo"]
    engine.send("post", "st 0.3", "usermove e2e4")
    lines = engine.until("move ")
    assert max(int(line.split()[0]) for line in lines if "\t" in line) > 1


def test_force_go_playother(engine):
    engine.send("force", "usermove e2e4", "usermove e7e5")
    assert engine.sync() == []
    engine.send("go")
    engine.move()
    engine.send("force", "new", "force", "playother")  # engine Black, White to move
    assert engine.sync() == []
    engine.send("usermove e2e4")
    engine.move()
    engine.send("force", "new", "force", "go")
    engine.move()


def test_playother_while_thinking_gives_the_search_up(engine):
    engine.send("st 60", "go", "playother", "st 0.1")
    assert engine.sync() == []
    engine.send("usermove e2e4")
    engine.move()


def test_obsolete_colours(engine):
    engine.send("black")  # Black to move, the engine plays White
    assert engine.sync() == []
    engine.send("usermove e7e5")
    assert re.fullmatch("[a-h][12][a-h][34]", engine.move())
    engine.send("new", "white")
    engine.send("usermove e2e4")
    engine.move()


def test_go_in_an_ended_game_prints_the_result_and_no_move(engine):
    forced(engine, *FOOLS_MATE)
    assert engine.sync() == []
    engine.send("go")
    assert engine.sync() == ["0-1 {Black mates}"]
    engine.send("setboard 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go")
    assert engine.sync() == ["1/2-1/2 {Stalemate}"]
    engine.send("setboard 7k/8/6K1/8/8/8/8/8 b - - 0 1", "go")
    assert engine.sync() == ["1/2-1/2 {Insufficient material}"]
    engine.send("setboard 7k/8/6K1/8/8/8/8/R7 w - - 100 90", "go")
    assert engine.sync() == ["1/2-1/2 {50-move rule}"]
    engine.send("new")
    forced(engine, *SHUFFLE, *SHUFFLE)
    engine.send("go")
    assert engine.sync() == ["1/2-1/2 {Draw by repetition}"]


def test_a_move_that_mates_us_is_answered_with_the_result(engine):
    engine.send("force", "setboard k7/8/1K6/8/8/8/8/7R w - - 0 1", "playother", "usermove h1h8")
    assert engine.sync() == ["1-0 {White mates}"]


def test_our_mating_move_is_followed_by_the_result(engine):
    engine.send("force", "setboard k7/8/1K6/8/8/8/8/7R w - - 0 1", "go")
    engine.until("move h1h8")
    assert engine.sync() == ["1-0 {White mates}"]


def test_illegal_moves_are_named_and_nothing_starts(engine):
    for move in ("e2e5", "e7e5", "e1e2", "Ke2", "O-O", "a1a1", "e2e4q"):
        engine.send(f"usermove {move}")
        assert engine.sync() == [f"Illegal move: {move}"]
        engine.send(move)
        assert engine.sync() == [f"Illegal move: {move}"]
    engine.send("usermove nonsense")
    assert engine.sync() == ["Illegal move: nonsense"]
    engine.send("usermove e2e4")
    engine.move()


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", ["a7a8n", "a7a8Q", "a7a8=R", "a8=B", "a8Q+", "a8=q"]),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["e1g1", "O-O", "0-0", "o-o", "e1c1", "O-O-O", "0-0-0"]),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", ["Nbd2", "Nfd2", "N1d2", "Nb1d2", "b1d2", "Nbd2!?"]),
        ("3nk3/4P3/8/8/8/8/8/4K3 w - - 0 1", ["e7d8n", "exd8=N", "exd8=N#", "exd8Q+"]),
    ],
)
def test_moves_in_every_spelling(engine, fen, moves):
    for form in ("usermove {}", "{}"):
        for move in moves:
            engine.send("force", f"setboard {fen}", form.format(move))
            assert engine.sync() == [], move
            engine.send("undo")
            assert engine.sync() == [], move
    engine.send(f"setboard {fen}", "usermove a7a8")  # a promotion must name its piece
    assert engine.sync() == ["Illegal move: a7a8"]


def test_en_passant_is_legal_at_once_and_never_later(engine):
    forced(engine, "e2e4", "a7a6", "e4e5", "d7d5", "e5d6")
    assert engine.sync() == []
    engine.send("undo", "usermove a2a3", "usermove a6a5", "usermove e5d6")
    assert engine.sync() == ["Illegal move: e5d6"]


def test_null_move_only_in_force_and_analysis(engine):
    engine.send("usermove @@@@")
    assert engine.sync() == ["Illegal move: @@@@"]
    forced(engine, "@@@@")
    assert side_to_move(engine) == "black"
    engine.send("undo")
    assert side_to_move(engine) == "white"


def test_fischerandom_castles_by_name_and_by_rook(engine):
    fen = "4k3/p6p/8/8/8/8/P6P/1R1K1R2 w KQ - 0 1"
    for move in ("O-O", "O-O-O", "d1f1", "d1b1"):
        engine.send("new", "variant fischerandom", "force", f"setboard {fen}", f"usermove {move}")
        assert engine.sync() == [], move
    engine.send("new", "variant fischerandom", "force", "setboard 4k3/8/8/8/8/8/P6P/5KR1 w G - 0 1")
    engine.send("usermove O-O")
    assert engine.sync() == []


def test_fischerandom_is_played_with_castling_as_o_o(engine):
    # every move but castling loses the rook or is excluded, so castling is what comes out
    engine.send("new", "variant fischerandom", "force", "setboard 7k/8/8/8/8/8/8/5KR1 w G - 0 1")
    engine.send("exclude all", "include O-O", "go")
    assert engine.move() == "O-O"


def test_unsupported_variant_refuses_moves_until_new(engine):
    engine.send("variant atomic")
    assert engine.sync() == ["Error (unsupported variant): variant atomic"]
    engine.send("usermove e2e4")
    assert engine.sync() == ["Illegal move: e2e4"]
    engine.send("go")
    assert engine.sync() == ["Error (illegal position): go"]
    engine.send("new", "usermove e2e4")
    engine.move()


def test_move_now(engine):
    engine.send("st 60", "go")
    assert engine.quiet(0.1) == []
    engine.send("?")
    engine.move(2)


def test_undo_and_remove(engine):
    forced(engine, "e2e4", "e7e5", "g1f3")
    engine.send("undo")
    assert engine.sync() == []
    engine.send("remove")
    assert side_to_move(engine) == "white"
    engine.send("undo", "remove")
    assert engine.sync() == ["Error (command not legal now): undo", "Error (command not legal now): remove"]
    forced(engine, "e2e4")
    engine.send("remove")  # fewer than two
    assert engine.sync() == ["Error (command not legal now): remove"]


def test_undo_while_thinking_forces(engine):
    engine.send("st 60", "usermove e2e4", "undo")
    assert engine.sync() == []
    engine.send("st 0.1", "usermove d2d4")
    assert engine.sync() == [] and engine.quiet(0.3) == []


def test_remove_keeps_the_engines_colour_and_does_not_move(engine):
    engine.send("usermove e2e4")
    engine.move()
    engine.send("remove")
    assert engine.sync() == [] and engine.quiet(0.3) == []
    engine.send("usermove d2d4")
    engine.move()


def test_result_stops_everything(engine):
    engine.send("st 60", "go", "result 1-0 {White resigns}")
    assert engine.sync() == [] and engine.quiet(0.2) == []
    engine.send("new", "st 0.1", "usermove e2e4")
    engine.move()


def test_draw_is_declined_in_silence_when_winning_and_accepted_when_lost(engine):
    engine.send("force", "setboard k7/8/8/8/8/8/8/KQ5R w - - 0 1", "draw", "go")
    assert "offer draw" not in engine.until("move ")
    engine.send("force", "setboard k7/p7/8/8/8/8/8/K6R b - - 0 1", "draw", "go")
    assert engine.until("move ")[-2] == "offer draw"


def test_resign_is_off_by_default_and_needs_its_count(engine):
    lost = "setboard k7/p7/8/8/8/8/8/KQ5R b - - 0 1"
    engine.send("force", lost, "go")
    assert "resign" not in engine.until("move ")
    engine.send("option Resign=1", "option LossScore=500", "option LossMoves=1", "force", lost, "go")
    engine.until("resign")
    assert engine.sync() == []
    engine.send("option ResignThreshold=9000", "option ResignMoves=2", "force", lost, "go")  # usual names of the two
    engine.move()


def test_setboard_clears_history_and_refuses_the_impossible(engine):
    forced(engine, "e2e4")
    engine.send("setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "undo")
    assert engine.sync() == ["Error (command not legal now): undo"]
    engine.send("setboard 4k3/8/8/8/8/8/8/4K2R w K -", "usermove O-O")  # four fields
    assert engine.sync() == []
    for fen in (ILLEGAL_FEN, "nonsense", "", "k7/8/8/8/8/8/8/8 w - - 0 1"):
        engine.send(f"setboard {fen}")
        answer = [line for line in engine.sync() if not line.startswith("# ")]
        assert answer == ["tellusererror Illegal position"]
        engine.send("usermove e2e4", "go")
        assert engine.sync() == ["Illegal move: e2e4", "Error (illegal position): go"]
    engine.send("new", "usermove e2e4")
    engine.move()


def test_edit_builds_a_position(engine):
    engine.send("force", "edit", "#", "Ke1", "Rh1", "Pa2", "c", "Ke8", "Ra8", "xa2", ".")
    assert engine.sync() == []
    engine.send("usermove O-O", "usermove O-O-O")  # both kings and rooks stand at home
    assert engine.sync() == []
    engine.send("edit", "Zz9", "usermove e2e4", "go", ".")
    assert engine.sync() == [
        "Error (unknown command): Zz9",
        "Error (command not legal now): usermove e2e4",
        "Error (command not legal now): go",
    ]


def test_edit_with_the_black_to_move_kludge(engine):
    engine.send("new", "force", "a2a3", "edit", "#", "Ke1", "c", "Ke8", "Pe7", ".")
    assert engine.sync() == []
    engine.send("usermove e7e5")
    assert engine.sync() == []


def test_edit_answers_ping_and_knows_an_illegal_board(engine):
    engine.send("force", "edit", "#")
    assert engine.sync() == []
    engine.send(".")
    answer = [line for line in engine.sync() if not line.startswith("# ")]
    assert answer == ["tellusererror Illegal position"]
    engine.send("edit", "quit")
    assert engine.gone(1.5)


def test_hint_in_every_state(engine):
    engine.send("force", "hint")
    assert len(engine.until("Hint: ")) == 1
    engine.send("go")
    engine.move()
    engine.send("hint")
    engine.until("Hint: ")
    engine.send("force", "new")
    forced(engine, *FOOLS_MATE)
    engine.send("hint")
    assert engine.sync() == []
    engine.send("new", "analyze")
    engine.quiet(0.2)
    engine.send("hint")
    engine.until("Hint: ")


def test_bk_outside_the_book_is_one_empty_line(engine):
    engine.send("bk")
    *lines, end = engine.sync()
    assert end == "" and all(line.startswith(" ") for line in lines)
    engine.send("option BookFile=/no/such.bin", "bk")
    assert [line for line in engine.sync() if not line.startswith("# ")] == [""]


# ---- thinking output and analysis


def test_thinking_lines_have_the_exact_form(engine):
    engine.send("post", "st 0.3", "force", f"setboard {MATE_IN_TWO}", "go")
    lines = engine.until("move ")[:-1]
    assert lines
    for line in lines:
        assert re.fullmatch(r"\d+ -?\d+ \d+ \d+ \d+ \d+ 0\t[^\t(]+", line)
    assert lines[-1].split()[1] == "100002"
    engine.send("force", "setboard k7/8/1K6/8/8/8/8/7R b - - 0 1", "go")  # the mated side sees it coming
    assert engine.until("move ")[-2].split()[1] == "-100001"


def test_black_winning_is_a_positive_score(engine):
    engine.send("post", "force", "setboard kq6/8/8/8/8/8/8/K7 b - - 0 1", "go")
    assert int(engine.until("move ")[-2].split()[1]) > 300


def test_post_and_nopost_work_while_thinking(engine):
    engine.send("st 60", "go")
    assert engine.quiet(0.2) == []
    engine.send("post")
    engine.send("?")
    assert "\t" in engine.until("move ")[-2]
    engine.send("force", "new", "force", "post", "st 60", "go")
    engine.until(r"\d+ ")
    engine.send("nopost")
    engine.quiet(0.2)
    assert engine.quiet(0.3) == []


def test_analysis_moves_undo_new_setboard_exclude_and_exit(engine):
    engine.send("post", "analyze")
    engine.until(r"\d+ ")
    for command in (
        "usermove e2e4",
        "e7e5",
        "undo",
        "remove",
        "new",
        f"setboard {MATE_IN_TWO}",
        "force",
        "include all",
    ):
        engine.send(command)
        if command == "remove":
            assert "Error (command not legal now): remove" in engine.sync()
        else:
            engine.until(r"\d+ ")
    engine.send("setboard 6k1/8/8/8/8/8/8/K6R w - - 0 1", "exclude all")
    engine.sync()
    assert engine.quiet(0.2) == []  # nothing left to search
    engine.send("include h1h8")
    assert "\tRh8+" in engine.until(r"\d+ ")[-1]
    engine.send("exclude e2e4")
    assert "Illegal move: e2e4" in engine.sync()
    engine.send("go", "playother")
    lines = engine.sync()
    assert "Error (command not legal now): go" in lines and "Error (command not legal now): playother" in lines
    engine.send("exit")
    engine.sync()
    assert engine.quiet(0.2) == []
    assert not any(line.startswith("< move") for line in engine.transcript)
    engine.send("st 0.1", "go")
    engine.move()


def test_analysis_of_a_mate_is_silent_and_alive(engine):
    forced(engine, *FOOLS_MATE)
    engine.send("post", "analyze", ".")
    assert engine.sync() == ["stat01: 0 0 0 0 0"]
    engine.send("undo")
    engine.until(r"\d+ ")


def test_status_line_only_in_analysis(engine):
    engine.send(".")
    assert engine.sync() == []
    engine.send("analyze")
    engine.quiet(0.2)
    engine.send(".")
    line = engine.until("stat01: ")[-1]
    time, nodes, depth, left, total = map(int, line.split()[1:6])
    assert nodes > 0 and depth > 0 and total == 20 and 0 <= left <= 20 and 0 < time < 1000


def test_exclusions_bind_go_and_end_with_the_next_move(engine):
    engine.send("force", "exclude all", "include a2a3", "go")
    assert engine.move() == "a2a3"
    engine.send("force", "new", "force", "exclude all", "go")
    assert engine.sync() == []  # nothing to play yet
    engine.send("include h2h3")
    assert engine.move() == "h2h3"


def test_pause_freezes_search_and_clock(engine):
    engine.send("st 0.3", "go", "pause")
    assert engine.quiet(0.8) == []
    engine.send("usermove e2e4", "?")
    assert engine.sync() == ["Error (command not legal now): usermove e2e4"]
    engine.send("resume")
    engine.move(3)
    engine.send("pause", "usermove e7e5")
    assert engine.sync() == ["Error (command not legal now): usermove e7e5"]
    engine.send("resume", "resume")
    assert engine.sync() == []
    engine.send("pause", "new", "usermove e2e4")  # a new game is no longer paused
    engine.move()


# ---- settings


def test_memory_and_cores_in_every_state(engine):
    engine.send("memory 8", "cores 2", "memory 8", "cores 1")
    assert engine.sync() == []
    engine.send("st 0.3", "go", "memory 4", "cores 2")
    engine.move()
    engine.send("analyze", "memory 5", "cores 1")
    assert engine.sync() == []
    engine.send("exit", "memory 1")
    assert engine.sync() == []
    engine.send("memory -5")
    assert len(engine.sync()) == 1


def test_memory_that_cannot_be_had_keeps_the_old_tables(engine):
    for lines in (["memory 99999999999999"], ["memory 8", "memory 99999999"], ["memory 2147483647"]):
        engine.send(*lines)
        assert any(line.startswith("# no memory") for line in engine.sync())
        engine.send("force", "go")
        engine.move()


def test_egtpath_is_tolerated(engine):
    engine.send("egtpath syzygy /no/such directory", "egtpath", "egtpath nonsense x")
    assert all(line.startswith("# ") for line in engine.sync())


def test_every_offered_option_takes_its_own_default(engine):
    for line in engine.features:
        match = re.fullmatch(r'feature option="(\w+) -(\w+) ?(.*)"', line)
        if not match:
            continue
        name, kind, rest = match.groups()
        if kind == "button":
            engine.send(f"option {name}")
        elif kind == "combo":
            for level in rest.replace("*", "").split(" /// "):
                if name != "Preset":
                    engine.send(f"option {name}={level}")
            engine.send(f"option {name}=" + re.search(r"\*(\S+)", rest).group(1))
        elif kind == "check":
            for value in ("1", "0", "on", "off", "true", "false", rest):
                engine.send(f"option {name}={value}")
        elif kind == "spin":
            default, least, most = rest.split()
            engine.send(f"option {name}={least}", f"option {name}={most}", f"option {name}={default}")
            engine.send(f"option {name}={int(most) + 1}")
            assert [x for x in engine.sync() if not x.startswith("# ")][-1].startswith("Error (bad argument)")
        else:
            engine.send(f"option {name}={rest}")
        assert not any(text.startswith("Error") for text in engine.sync()), line
    engine.send("go")
    engine.move()


def test_level_plays_on_every_step(engine):
    for level in ("1", "5", "10", "19"):
        engine.send("new", f"option Level={level}", "usermove e2e4")
        engine.move()


def test_stats_after_each_search(engine):
    engine.send("option Stats=1", "go")
    lines = engine.until("move ")
    stats = [line for line in lines if line.startswith("# stats ")]
    assert len(stats) == 1 and isinstance(json.loads(stats[0][len("# stats ") :]), dict)


def test_stats_are_held_back_from_a_gui_that_did_not_agree():
    with EngineProcess(handshake=False) as engine:
        engine.send("xboard", "protover 2", "option Stats=1", "st 0.1", "go")
        lines = engine.until("move ")
        assert not any(line.startswith("#") for line in lines)
    with EngineProcess(handshake=False) as engine:  # nobody parses a session without protover
        engine.send("option Stats=1", "st 0.1", "go")
        assert any(line.startswith("# stats {") for line in engine.until("move "))


def test_log_file_holds_both_directions_with_milliseconds(engine, tmp_path):
    path = tmp_path / "debug log.txt"
    engine.send(f"option LogFile={path}", "go")
    engine.move()
    engine.send("option LogFile=")
    engine.sync()
    lines = path.read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [<>=] ", line) for line in lines)
    assert any(line.endswith(" > go") for line in lines)
    assert any(re.search(r" < move \w+$", line) for line in lines)
    engine.send(f"option LogFile={tmp_path}")
    assert [x for x in engine.sync() if not x.startswith("# ")] == [f"Error (bad argument): option LogFile={tmp_path}"]


def test_quit_and_end_of_input_in_every_state():
    for number, state in enumerate(
        (["go"], ["hard", "st 0.1", "go"], ["analyze"], ["edit"], ["go", "pause"], ["force"])
    ):
        for by_quit in (True, False) if number < 2 else (number % 2 == 0,):
            with EngineProcess(handshake=False) as engine:
                engine.send("st 60", *state)
                if by_quit:
                    engine.send("quit")
                else:
                    engine.process.stdin.close()
                assert engine.gone(1.5), (state, by_quit)
