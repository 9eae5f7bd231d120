"""The command line: `sortie` alone speaks XBoard or UCI, `sortie TOOL` does one thing and ends."""

from __future__ import annotations

import _signal as signal  # without the enums that `signal` adds: they slow the start
import gc
import os
import sys

from engine import __version__
from engine.built import complaint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.play.options import Settings

TOOLS = ("perft", "bench", "see", "eval", "options", "trace", "selfplay", "score")
HELP = """\
usage: sortie [--option NAME=VALUE]... [--log FILE] [--config FILE] [--version] [--help]
       sortie TOOL ... (sortie TOOL --help tells more)

Without a tool Sortie speaks XBoard or UCI on standard input and output; the first line decides which.

  --option NAME=VALUE  set an option (sortie options lists them), or memory=MIB, cores=N
  --log FILE           log both directions of the protocol to FILE, with times
  --config FILE        read options from FILE, one NAME=VALUE a line; default: sortie.ini beside the program
  --version            print the version, the bench (node count of sortie bench) and the compiler
  --help               print this help

tools: perft    count the legal move sequences of a position, or check a suite of such counts
       bench    search a fixed set of positions; the node total is the engine's signature
       see      print the value of an exchange
       eval     print the static evaluation and its terms
       options  list every option with its values, meaning and source
       trace    print how often each evaluation weight counts in positions, for tuning
       selfplay play games against itself and write their positions, for training a network
       score    write static scores for such positions, for training too
"""
LESSER_PROCESSOR = (
    "this build needs a processor with SSE4.2 and POPCNT, this one lacks them; make native builds for the one at hand"
)


class BadInput(Exception):
    """A user's mistake: one plain line, exit status 2."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status is 0 done, 1 found a failure, 2 bad usage or bad input."""
    _open_missing_streams()
    arguments = sys.argv[1:] if arguments is None else arguments
    if (stale := complaint()) is not None:
        sys.stderr.write(f"sortie: {stale}\n")
        return 2
    try:
        status = _tool(arguments) if arguments and not arguments[0].startswith("-") else _protocol(arguments)
        sys.stdout.flush()
        return status
    except BadInput as error:
        sys.stderr.write(f"sortie: {error}\n")
        return 2
    except BrokenPipeError:
        _give_up_output()
        return 0
    except OSError as error:
        if error.filename is not None:
            raise
        _give_up_output()
        sys.stderr.write(f"sortie: standard output: {error.strerror or error}\n")
        return 2
    except ImportError as error:
        if "CPU ISA level" not in str(error):  # the C library's words
            raise
        sys.stderr.write(f"sortie: {LESSER_PROCESSOR}\n")
        return 2


def _open_missing_streams() -> None:
    """Fill the places of closed standard streams, or the next file opened would be taken for one of them.

    Reading from one then finds the end of input, and writing to one fails.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
    sys.stdin = sys.stdin or open(0)
    sys.stdout = sys.stdout or open(1, "w")
    sys.stderr = sys.stderr or open(2, "w")


def _give_up_output() -> None:
    """Discard what is still to be written: Python would try again at exit, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _tool(arguments: list[str]) -> int:
    if arguments[0] not in TOOLS:
        from engine.variant.features import nearest

        hint = nearest(arguments[0], list(TOOLS)) or f", expected one of {', '.join(TOOLS)}"
        sys.stderr.write(f"sortie: unknown tool '{arguments[0]}'{hint}\n")
        return 2
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an interrupt while the modules load is no reason for a traceback
    from engine.tools import commands as tools

    return tools.run(arguments)


def _protocol(arguments: list[str]) -> int:
    options: list[str] = []
    log_path = config_path = None
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in ("--option", "--log", "--config"):
            value = value if equals else next(rest, "")
            if not value:
                raise BadInput(f"{name} needs a value, {'NAME=VALUE' if name == '--option' else 'FILE'}")
            if name == "--log":
                log_path = value
            elif name == "--config":
                config_path = value
            else:
                options.append(value)
        elif argument == "--version":
            print(_version())
            return 0
        elif argument in ("--help", "-h"):
            print(HELP, end="")
            return 0
        else:
            from engine.variant.features import nearest

            known = ["--option", "--log", "--config", "--version", "--help"]
            raise BadInput(f"unknown argument '{argument}'{nearest(argument, known) or ', see sortie --help'}")
    return _serve(options, log_path, config_path)


def _version() -> str:
    """The version, the engine's signature, and the compiler and processor that this build is for."""
    from engine.compiled import compiled_by
    from engine.tools.bench import SIGNATURE

    return f"Sortie {__version__}, bench {SIGNATURE}, compiled by {compiled_by()}"


def _bench(settings: Settings) -> str:
    """The bench's summary line for these settings, for a protocol that asks for it."""
    from engine.model import Limits
    from engine.tools import bench

    return bench.summary(bench.run(list(bench.POSITIONS), Limits(depth=bench.DEFAULT_DEPTH), settings))


def _serve(options: list[str], log_path: str | None, config_path: str | None) -> int:
    """Settings from the file, then from the command line (the GUI comes last), then the protocol until its end."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as for a tool
    gc.disable()  # objects made at import stay: to scan them again and again would take a twentieth of the start-up
    from engine.play.options import Settings, name_and_value
    from engine.protocol.config import apply_ini, beside_program
    from engine.protocol.output import Log
    from engine.protocol.serve import serve

    settings, log = Settings(), Log()
    try:
        path = config_path if config_path is not None else beside_program()
        if path is not None:
            apply_ini(path, settings)
        for text in options:
            settings.set(*name_and_value(text))
        settings.require()
    except ValueError as error:
        raise BadInput(str(error)) from None
    if log_path is not None:
        settings.set("LogFile", log_path)
    if settings.get("LogFile"):
        try:
            log.open(settings.get("LogFile"))
        except ValueError as error:
            raise BadInput(str(error)) from None
    serve(settings, log, _bench)
    return 0
