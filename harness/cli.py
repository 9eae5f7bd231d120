"""The command `gauntlet`: finds a subcommand by name, runs it, and turns every failure into one line and an exit status.

A subcommand NAME is the attribute `command`, a click command, of a module NAME.py in a folder of `commands`. It is imported
when it is called (or the help is shown), so that no subcommand pays for another's libraries. It may end
with `ctx.exit(status)` or return a status as an int.
"""

from __future__ import annotations

import sys

try:
    import atexit
    import codecs
    import errno
    import io
    import os
    import re
    import signal
    from pathlib import Path
    from typing import Any, NoReturn

    import click

    from harness.errors import BadInput, nearest
    from harness.terminal.words import complain, silence
except KeyboardInterrupt:  # these take a tenth of a second to load, and main() is not there yet to catch it
    sys.exit(130)


def _modules() -> dict[str, str]:
    """The module of each subcommand, which has the name of its file."""
    folder = Path(__file__).resolve().parent / "commands"
    return {path.stem: f"harness.commands.{path.parent.name}.{path.stem}" for path in folder.glob("*/[!_]*.py")}


class Commands(click.Group):
    """A group whose subcommands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _modules().get(cmd_name)
        if module is None:
            return None
        import importlib

        command = importlib.import_module(module).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            hint = nearest(args[0], known) or f"; known are {', '.join(known)}"
            raise BadInput(f'gauntlet: no command "{args[0]}"{hint}')
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from harness.version import version

        click.echo(f"gauntlet {version()}")
        ctx.exit(0)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
def cli() -> None:
    """Play chess engines against each other and find out what each technique is worth, in Elo and in nodes."""


_IN_ASCII = {"\u00a0": " ", "±": "+-"}


def _replace_unencodable(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encodes what the terminal's encoding lacks: bytes of a file's name as they are, our own signs in ASCII, others as `?`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    code = ord(letter)
    return (bytes([code - 0xDC00]) if 0xDC80 <= code <= 0xDCFF else _IN_ASCII.get(letter, "?")), error.start + 1


def _fail(message: str, status: int) -> NoReturn:
    try:
        sys.stdout.flush()
    except OSError:
        silence(sys.stdout)  # or Python would try again at exit, and complain
    # The message may quote any line of a file; bytes of a file's name are printed as they are.
    shown = (c if c.isprintable() or "\udc80" <= c <= "\udcff" else "\ufffd" for c in " ".join(message.split("\n")))
    complain("".join(shown))
    sys.exit(status)


def _open_missing_streams() -> None:
    """Points closed standard streams at nothing, or the next file opened would be taken for one of them."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number else os.O_RDONLY)
    sys.stdin = sys.stdin or open(0)
    sys.stdout = sys.stdout or open(1, "w")
    sys.stderr = sys.stderr or open(2, "w")


def _end_engines() -> None:
    """Kills what a signal has kept from its `finally`: an engine that was only being started."""
    if (children := sys.modules.get("harness.engines.children")) is not None:
        children.kill_all()


def main(args: list[str] | None = None) -> NoReturn:
    """Runs the command line and exits: 0 done, 1 a failure was found, 2 bad input, 130 and 143 stopped."""
    arguments = sys.argv[1:] if args is None else args
    _open_missing_streams()
    codecs.register_error("gauntlet", _replace_unencodable)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="gauntlet")
    atexit.register(_end_engines)
    # As an exception it runs every `finally` on its way out, so that no engine is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if any(not word.strip() for word in arguments):
        # An empty path would mean the current folder; more likely a shell variable was not set.
        _fail(f"{' '.join(['gauntlet', *arguments[:1]]).strip()}: an argument is empty", 2)
    try:
        # Click's own main() would exit with 1 if nobody reads the output to its end.
        with cli.make_context("gauntlet", arguments or ["--help"]) as context:
            result: Any = cli.invoke(context)
        sys.stdout.flush()
        sys.exit(result if isinstance(result, int) else 0)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except BadInput as error:
        _fail(str(error), 2)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "gauntlet"
        _fail(f"{where}: {error.format_message()}", 2)
    except click.ClickException as error:
        _fail(error.format_message(), 2)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("harness", ""):
            raise  # a fault of ours, not of the installation
        extra = "teacher" if package == "torch" else "harness"
        _fail(
            f"gauntlet: the package {package} is not installed; "
            f"pip install 'sortie-chess[{extra}]' (in Sortie's folder: '.[{extra}]')",
            2,
        )
    except ImportError as error:
        if "CPU ISA level" not in str(error):  # the C library's words
            raise
        _fail(
            "gauntlet: this build trains networks on processors with SSE4.2 and POPCNT, this one lacks them; "
            "make native builds for the one at hand",
            2,
        )
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except UnicodeEncodeError as error:
        # A file's name that is not valid text: experiment file, journal and registry can hold only text.
        word = next(w for w in re.split(r'["\s]+', error.object) if error.object[error.start] in w)
        _fail(f"gauntlet: {word}: expected a name in {sys.getfilesystemencoding()}, the encoding of names here", 2)
    except BrokenPipeError:
        # Nobody reads our output any more (`gauntlet pgn DIR | head`).
        silence(sys.stdout)
        sys.exit(0)
    except OSError as error:
        # The user's files are opened, which gives the error a name: what cannot be written without one is standard output.
        where = error.filename or ("standard output" if error.errno in (errno.ENOSPC, errno.EIO) else "")
        _fail(f"gauntlet: {where}{': ' if where else ''}{error.strerror or error}", 2 if error.filename else 1)


if __name__ == "__main__":
    main()
