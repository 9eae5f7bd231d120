"""The tools behind `sortie TOOL`."""

from __future__ import annotations

import io
import json
import sys
import time
from typing import Any

import click

from engine.board.game import STARTPOS, Game
from engine.evaluation.network import Network, shipped
from engine.evaluation.report import evaluation_lines, evaluation_of
from engine.evaluation.terms import coefficients, layout
from engine.evaluation.weights import WEIGHTS
from engine.model import Limits
from engine.play.clock import parse_whole
from engine.play.options import ALIASES, Settings, name_and_value, network_of, offered
from engine.tools import bench as benchmark
from engine.tools import listing, selfplay
from engine.tools.packed import RECORD
from engine.tools.suites import MOST_DEPTH, open_position, read_counts, read_positions
from engine.tools.teacher import Teacher
from engine.variant import parameters
from engine.variant.features import nearest

FORMS = ("swap", "early-exit", "linear")
BLOCK = 1024  # positions scored at a time


class Whole(click.ParamType):
    """A whole number within limits; the message says which."""

    name = "whole number"

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; fails in one plain sentence."""
        try:
            number = parse_whole(str(value))
        except ValueError:
            number = self.least - 1
        if not self.least <= number <= self.most:
            self.fail(f"expected a whole number from {self.least} to {self.most}, not '{value}'", param, ctx)
        return number


def run(arguments: list[str]) -> int:
    """Run a tool; a user's mistake becomes one line on standard error and status 2."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # the name of a file may be no text
    try:
        with group.make_context("sortie", arguments) as context:  # main() would exit with status 1 if nobody reads the output
            return group.invoke(context) or 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.NoSuchOption as error:
        if error.option_name[1:].isdecimal():
            return _mistake(error, f"expected a whole number that is not negative, not '{error.option_name}'")
        close = nearest(error.option_name, list(error.possibilities or []))
        return _mistake(error, f"unknown option '{error.option_name}'{close}")
    except click.ClickException as error:
        return _mistake(error, " ".join(error.format_message().split()))
    except MemoryError as error:
        click.echo(f"sortie: {str(error) or 'no memory'}", err=True)
        return 2


def _mistake(error: click.ClickException, text: str) -> int:
    context = getattr(error, "ctx", None)
    name = context.command_path if context is not None else "sortie"
    click.echo(f"{name}: {text}", err=True)
    return 2


def _bad(text: object) -> click.UsageError:
    return click.UsageError(str(text), click.get_current_context())


def _game(fen: str, chess960: bool | None = None) -> Game:
    try:
        return open_position(fen, chess960)
    except ValueError as error:
        raise _bad(f"position '{fen}': {error}") from None


def _print_json(value: dict) -> None:
    click.echo(json.dumps(value))


def _only_one(**given: object) -> None:
    names = [f"--{name}" for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise _bad(f"{' and '.join(names)} exclude each other, expected one of them")


def _settings(options: tuple[str, ...]) -> Settings:
    settings = Settings()
    for text in options:
        try:
            settings.set(*name_and_value(text))
        except ValueError as error:
            raise _bad(error) from None
    try:
        settings.require()
    except ValueError as error:
        raise _bad(error) from None
    return settings


@click.group(context_settings={"help_option_names": ["--help", "-h"]})
def group() -> None:
    """Tools of the chess engine Sortie."""


@group.command()
@click.argument("depth", required=False, type=Whole(0, MOST_DEPTH))
@click.option("--fen", help="The position; default: the starting position.")
@click.option("--suite", metavar="FILE", help="Check every count in this file; lines like: FEN ;D1 20 ;D2 400")
@click.option("--max-nodes", type=Whole(0, 10**18), help="Skip counts of the suite above this.")
@click.option("--chess960", is_flag=True, help="Rules of Fischer random chess.")
@click.option("--divide", is_flag=True, help="Print the count for each move.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def perft(
    depth: int | None,
    fen: str | None,
    suite: str | None,
    max_nodes: int | None,
    chess960: bool,
    divide: bool,
    as_json: bool,
) -> int:
    """Count the legal move sequences DEPTH plies long, or check a suite of such counts."""
    if suite is not None:
        if depth is not None or fen is not None or divide:
            raise _bad("--suite takes positions and depths from its file: leave out DEPTH, --fen and --divide")
        return _perft_suite(suite, max_nodes, chess960, as_json)
    if depth is None:
        raise _bad("expected DEPTH or --suite FILE")
    if max_nodes is not None:
        raise _bad("--max-nodes goes with --suite")
    game = _game(fen if fen is not None else STARTPOS, chess960 or None)
    began = time.perf_counter()
    if divide and depth:
        parts = game.divide(depth)
        nodes = sum(count for _, count in parts)
    else:
        parts, nodes = [], game.perft(depth)
    seconds = time.perf_counter() - began
    for move, count in parts:
        click.echo(f"{move}: {count}")
    _counted(nodes, seconds, as_json)
    return 0


def _counted(nodes: int, seconds: float, as_json: bool, **more: int) -> None:
    speed = benchmark.per_second(nodes, seconds)
    if as_json:
        _print_json({**more, "nodes": nodes, "seconds": round(seconds, 6), "nps": speed})
    else:
        click.echo(f"{nodes} nodes  {seconds:.3f} s  {speed} nodes/s")


def _perft_suite(path: str, max_nodes: int | None, chess960: bool, as_json: bool) -> int:
    try:
        entries = read_counts(path, chess960)
    except ValueError as error:
        raise _bad(error) from None
    nodes = counts = mismatches = 0
    began = time.perf_counter()
    for entry in entries:
        game = Game(entry.fen, chess960)
        for depth, expected in entry.counts:
            if max_nodes is not None and expected > max_nodes:
                continue
            found = game.perft(depth)
            nodes += found
            counts += 1
            if found != expected:
                mismatches += 1
                click.echo(f"{path}:{entry.line}: depth {depth}: expected {expected}, counted {found}  {entry.fen}")
    seconds = time.perf_counter() - began
    if as_json:
        _counted(nodes, seconds, True, positions=len(entries), counts=counts, mismatches=mismatches)
    else:
        summary = f"{len(entries)} positions, {counts} counts, {mismatches} mismatches, {nodes} nodes, {seconds:.1f} s"
        click.echo(summary, err=mismatches > 0)
    return 1 if mismatches else 0


@group.command()
@click.option("--depth", type=Whole(1, 100), help=f"Plies to search; default {benchmark.DEFAULT_DEPTH}.")
@click.option("--nodes", type=Whole(1, 10**15), help="Nodes per position.")
@click.option("--movetime", type=Whole(1, 10**9), metavar="MS", help="Milliseconds per position.")
@click.option("--suite", metavar="FILE", help="File of positions (EPD lines or FENs); default: the built-in set.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def bench(
    depth: int | None,
    nodes: int | None,
    movetime: int | None,
    suite: str | None,
    options: tuple[str, ...],
    as_json: bool,
) -> int:
    """Search a fixed set of positions on one core with 16 MiB, all tables emptied before each."""
    _only_one(depth=depth, nodes=nodes, movetime=movetime)
    settings = _settings(options)
    if depth is None and nodes is None and movetime is None:
        depth = benchmark.DEFAULT_DEPTH
    limits = Limits(depth=depth or 0, nodes=nodes or 0, soft_ms=movetime or 0, hard_ms=movetime or 0)
    try:
        fens = [entry.fen for entry in read_positions(suite)] if suite is not None else list(benchmark.POSITIONS)
    except ValueError as error:
        raise _bad(error) from None
    try:
        report = benchmark.run(fens, limits, settings)
    except ValueError as error:
        raise _bad(error) from None
    except OverflowError:
        raise _bad(f"memory: no memory for a hash table of {settings.memory} MiB, expected less") from None
    if as_json:
        _print_json({**report._asdict(), "positions": [line._asdict() for line in report.positions]})
        return 0
    click.echo("stages: " + " ".join(settings.features.program()))
    for line in report.positions:
        click.echo(
            f"depth {line.depth:2}  score {line.score:7}  nodes {line.nodes:10}  {line.seconds:7.3f} s  "
            f"{line.bestmove or '-':6} {line.fen}"
        )
    click.echo(benchmark.summary(report))
    return 0


@group.command()
@click.argument("fen")
@click.argument("move")
@click.option("--form", default="swap", help=f"How to value the exchange: {', '.join(FORMS)}; default: swap.")
@click.option("--chess960", is_flag=True, help="Rules of Fischer random chess.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def see(fen: str, move: str, form: str, chess960: bool, as_json: bool) -> int:
    """Print what the exchange that MOVE starts is worth (P 100, N 300, B 300, R 500, Q 900)."""
    if form not in FORMS:
        hint = nearest(form, list(FORMS)) or f", expected one of {', '.join(FORMS)}"
        raise _bad(f"--form: unknown form '{form}'{hint}")
    game = _game(fen, chess960 or None)
    code = game.parse(move)
    if not code:
        raise _bad(f"move '{move}' is not legal in '{fen}', expected a move like e2e4 or Nf3")
    value = game.see(code, form)
    if as_json:
        _print_json({"value": value})
    else:
        click.echo(str(value))
    return 0


@group.command(name="eval")
@click.argument("fen")
@click.option("--chess960", is_flag=True, help="Rules of Fischer random chess.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def evaluate(fen: str, chess960: bool, options: tuple[str, ...], as_json: bool) -> int:
    """Print the static evaluation of FEN in centipawns for the side to move, its terms, and what each piece is worth to a network.

    The score is the network's, unless --option Evaluation=classical says otherwise. The network is the one that NetworkFile
    names, else the shipped one.
    """
    settings = _settings(options)
    game = _game(fen, chess960 or None)
    chosen = settings.get("Evaluation")
    network: Network | None = None
    if chosen == "network" or settings.chosen("NetworkFile") or shipped():
        try:
            network = Network(settings.get("NetworkFile"))
        except ValueError as error:
            raise _bad(error) from None
    found = evaluation_of(game, network, chosen == "network")
    if as_json:
        _print_json(found)
    else:
        click.echo("\n".join(evaluation_lines(game.fen(), found)))
    return 0


@group.command()
@click.argument("file", metavar="FILE")
def trace(file: str) -> int:
    """Print how often each evaluation weight counts in the positions of FILE (EPD lines or FENs), one JSON object a line.

    The first line is {"layout": [[table, length], ...], "weights": [[middlegame, endgame], ...]}. `gauntlet tune` reads this.
    """
    tables = layout()
    weights = [pair for name, _ in tables for pair in flat(WEIGHTS[name])]
    try:
        entries = read_positions(file)
    except ValueError as error:
        raise _bad(error) from None
    click.echo(json.dumps({"layout": tables, "weights": weights}))
    for entry in entries:
        row = coefficients(open_position(entry.fen))
        sys.stdout.write(json.dumps(row, separators=(",", ":")) + "\n")
    return 0


@group.command(name="selfplay")
@click.option("--nodes", type=Whole(1, 10**9), default=5000, show_default=True, help="Nodes after which no new iteration begins.")
@click.option("--random-plies", default="8-10", show_default=True, metavar="LEAST-MOST", help="Random plies that open a game.")
@click.option(
    "--seed", type=Whole(0, 10**9), default=1, show_default=True, help="Seed of all random choices, with a game's number."
)
@click.option("--strays", type=Whole(0, 100), default=0, show_default=True, help="Stray positions to try per 100 moves.")
@click.option("--book", default="", metavar="BOOK.bin", help="Polyglot book to follow before the random plies.")
@click.option(
    "--balance",
    type=Whole(1, 2000),
    default=selfplay.BALANCE,
    show_default=True,
    help="Highest score of an opening, for either side.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option; may be repeated.")
def play_games(
    nodes: int, random_plies: str, seed: int, strays: int, book: str, balance: int, options: tuple[str, ...]
) -> int:
    """Play games against itself and write their positions for training. Each line of the input is the number of a game.

    Each game gives a line {"game", "plies", "nodes", "result", "reason", "positions"}, then the positions, 32 bytes each
    (docs/network.md). The result is White's: 2 won, 1 drawn, 0 lost. Strays are positions a few random moves away from the
    game. `gauntlet data` reads this.
    """
    settings = _settings(options)
    for name in ("memory", "cores"):
        if settings.chosen(name):
            raise _bad(f"--option {name} means nothing here: a game has a table of {selfplay.MEMORY} MiB and one thread")
    least, dash, most = random_plies.partition("-")
    try:
        plies = parse_whole(least), parse_whole(most if dash else least)
    except ValueError:
        plies = 1, 0
    if not 0 <= plies[0] <= plies[1] <= 60:
        raise _bad(f"--random-plies: expected LEAST-MOST with numbers from 0 to 60, not '{random_plies}'")
    wanted = selfplay.Settings(nodes, plies, seed, strays, book, balance)
    try:
        player = selfplay.Player(wanted, settings.features, network_of(settings))
    except ValueError as error:
        raise _bad(error) from None
    for line in sys.stdin.buffer:
        word = line.strip()
        if not word.isdigit() or len(word) > 30:
            raise _bad(f"expected the number of a game on each line, not '{word.decode(errors='backslashreplace')}'")
        try:
            played = player.play(int(word))
        except ValueError as error:
            raise _bad(error) from None
        head = {**played._asdict(), "positions": len(played.records) // RECORD}
        del head["records"]
        sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + played.records)
        sys.stdout.buffer.flush()
    return 0


@group.command(name="score")
@click.option(
    "--network",
    "networks",
    multiple=True,
    metavar="NET",
    help="File of a network, may be repeated; default: the shipped one.",
)
@click.option("--terms", default="0", metavar="SHARE", help="Share of the hand-written terms in the score, from 0 to 1.")
def score_positions(networks: tuple[str, ...], terms: str) -> int:
    """Read packed positions and write the static score of each in centipawns: a mean of the networks and the terms.

    A position has 32 bytes (docs/network.md). A score has eight: a little-endian float, for the side to move. `gauntlet data
    --blend` reads this.
    """
    try:
        share = float(terms)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise _bad(f"--terms: expected a number from 0 to 1, not '{terms}'")
    try:
        teacher = Teacher([Network(name) for name in networks or ("",)], share)
    except ValueError as error:
        raise _bad(error) from None
    while block := sys.stdin.buffer.read(RECORD * BLOCK):
        if len(block) % RECORD:
            raise _bad(f"expected positions of {RECORD} bytes, not {len(block) % RECORD} more at the end")
        try:
            sys.stdout.buffer.write(teacher.scores(block))
        except ValueError as error:
            raise _bad(error) from None
    return 0


def flat(table: tuple[Any, ...]) -> list[tuple[int, int]]:
    """The (middlegame, endgame) pairs of a weight table, nested or not, in order."""
    if isinstance(table[0], int):
        return [(table[0], table[1])]
    return [pair for part in table for pair in flat(part)]


@group.command()
@click.option(
    "--preset", metavar="NAME", help="List the switches that a preset sets, and the order in which it tries moves."
)
@click.option(
    "--tunable", is_flag=True, help="List the search's numbers instead; set one with --option tune.NAME=VALUE."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def options(preset: str | None, tunable: bool, as_json: bool) -> int:
    """List every option with its values, default, meaning and source."""
    if tunable:
        if preset is not None:
            raise _bad("--preset and --tunable exclude each other, expected one of them")
        if as_json:
            _print_json({"tunable": parameters.tunable()})
        else:
            click.echo("\n".join(listing.parameter_lines(parameters.PARAMETERS)))
    elif preset is not None:
        features = _settings((f"Preset={preset}",)).features
        if as_json:
            programs = {"program": features.program(), "quiescence_program": features.quiescence_program()}
            _print_json({"preset": preset, "switches": features.settings(), **programs})
        else:
            click.echo("\n".join(listing.preset_lines(features, offered())))
    elif as_json:
        _print_json({"options": [listing.described(option) for option in offered()], "aliases": ALIASES})
    else:
        click.echo("\n".join(listing.option_lines(offered())))
    return 0
