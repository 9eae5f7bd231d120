"""The players of an experiment: [base], [variants.*] and [engines.*] checked and turned into values."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from harness.engines import builds, sortie
from harness.engines.children import why_not_found
from harness.engines.options import OF_UCI
from harness.errors import BadInput, nearest, suggestion
from harness.files import named
from harness.model import Limit, Player
from harness.spec import keys
from harness.spec.toml_table import LIMIT_KEYS, Table, section_name, show
from harness.terminal.numbers import noun

SORTIE_KEYS = keys.section("base").names()
ENGINE_KEYS = keys.section("engines.NAME").names()
PROTOCOLS = ("xboard", "uci", "auto")
# Debian installs chess engines here, which is not in the search path of root and of service accounts.
EXTRA_PATH = "/usr/games"


@dataclass(frozen=True, slots=True)
class PlayerReader:
    """Reads the players of one file; see `reader.load` for `check` and `ask`."""

    label: str
    folder: Path
    data: Mapping[str, object]
    check: bool
    ask: sortie.Ask

    def players(self, limit: Limit, least: int = 2) -> tuple[Player, ...]:
        """Variants, engines, base: in this order a comes before b. Refuses fewer than `least`."""
        top = Table(f"{self.label}:", self.data)
        base, variants, engines = top.table("base"), top.table("variants"), top.table("engines")
        # The base is read first, so that a mistake in its table is not reported for a variant that inherits it.
        own = self.sortie("base", "base", base, {"base": {}}, limit) if "base" in self.data or variants else None
        found = [self.sortie(name, section_name("variants", name), base, variants, limit) for name in variants]
        found += [self.engine(name, engines, limit) for name in engines]
        found += [own] if own is not None else []
        names = [player.name for player in found]
        for name in names:
            if names.count(name) > 1:
                raise BadInput(f'{self.label}: two players are called "{name}": each needs a name of its own')
        if len(found) < least:
            raise BadInput(
                f"{self.label}: {len(found)} {noun(len(found), 'player')}: add [variants.NAME] or [engines.NAME]"
            )
        return tuple(replace(player, index=index) for index, player in enumerate(found))

    def sortie(
        self, name: str, section: str, base: Mapping[str, object], tables: Mapping[str, object], limit: Limit
    ) -> Player:
        """The base (no table of its own) or a variant of it (the base's keys, overridden by its own)."""
        own = self.named(section, name, tables)
        merged: dict[str, object] = {key: value for key, value in base.items() if key not in LIMIT_KEYS}
        merged.update({key: value for key, value in own.values.items() if key not in LIMIT_KEYS})
        layers = [Table(f"{self.label}: [{section}]", part) for part in (base, own.values)]
        merged["env"] = {key: value for layer in layers for key, value in layer.table("env").items()}
        table = Table(f"{self.label}: [{section}]", merged)
        command = table.text("command")
        words = self.command(table, command) if command is not None else (sortie.beside() if self.check else "sortie",)
        if self.check and command is not None:
            self.ask(words)  # detects a program that is not Sortie, even if no option is set
        harness_keys = {key: value for key, value in merged.items() if not key[:1].isupper()}
        for key in harness_keys:
            if key not in SORTIE_KEYS and not key.startswith(sortie.TUNE):
                names = [*SORTIE_KEYS, *(self.ask(words) if self.check else ())]
                raise table.fail(f'unknown key "{key}"{nearest(key, names) or "; gauntlet keys lists them"}')
        # An option can be written in several ways: the base's, in any of them, yields to the variant's in any other.
        given = {key: value for layer in layers for key, value in self.given(layer).items()}
        commands = {key: str(given[key]) for key in ("memory", "cores") if key in given}
        options = {key: value for key, value in given.items() if key not in commands}
        base_limit = Table(f"{self.label}: [base]", base).limit(limit)
        return Player(
            index=0,
            name=name,
            command=words,
            protocol="xboard",
            limit=own.limit(base_limit),
            options=(*commands.items(), *self.sortie_options(table, words, options)),
            init=table.strings("init"),
            directory=self.directory(table),
            env=self.environment(table),
            sortie=True,
            hidden=tuple(name for name in options if name.startswith(sortie.TUNE)),
            margin=table.number("margin", None, 0),
            io_log=table.flag("io_log"),
        )

    def given(self, table: Table) -> dict[str, object]:
        """The options in one table of Sortie: keys with a capital, parameters of the search, the table `options`."""
        # TOML reads `tune.margin = 3` as a table in a table, but `"tune.margin" = 3` as one name.
        names = {key: value for key, value in table.values.items() if key[:1].isupper() or key.startswith(sortie.TUNE)}
        tuned = {sortie.TUNE + key: value for key, value in table.table("tune").items()}
        found: dict[str, object] = {}
        for part in (names, tuned, self.values(table, "xboard")):
            for key, value in part.items():
                if key in found:
                    raise table.fail(f"{key} is given twice, in two ways to write it")
                found[key] = value
        return found

    def named(self, section: str, name: str, tables: Mapping[str, object]) -> Table:
        """The table of one player; its name must be printable and valid in PGN."""
        if not name.strip() or any(ord(letter) < 32 for letter in name):
            raise BadInput(f"{self.label}: [{section}] needs a name that can be seen")
        value = tables.get(name)
        if not isinstance(value, Mapping):
            raise BadInput(f"{self.label}: [{section}] must be a table, not {show(value)}")
        return Table(f"{self.label}: [{section}]", value)

    def sortie_options(
        self, table: Table, words: tuple[str, ...], given: Mapping[str, object]
    ) -> list[tuple[str, str]]:
        """The options as sent, with Preset first because it sets all the others."""
        if not given:
            return []
        order = sorted(given, key=lambda key: key != "Preset")
        if not self.check:
            return [(key, _plain_option(given[key])) for key in order]
        known = self.ask(words)
        if any(key.startswith(sortie.TUNE) for key in given):
            known = {**known, **sortie.tunables(words)}
        pairs = []
        for key in order:
            if key not in known:
                hint = nearest(key, sortie.alike(key, known)) or "; sortie options lists them"
                if own := OF_UCI.get(key.lower()):
                    hint = f": did you mean options = {{ {own} = {given[key]} }}?"
                raise table.fail(f'unknown option "{key}"{hint}')
            try:
                pairs.append((key, known[key].normalise(given[key])))
            except ValueError as error:
                raise table.fail(f"{key} {error}") from None
        network = dict(pairs).get(sortie.NETWORK)
        if network and (fault := sortie.network_fault(words, network, self.directory(table))):
            raise table.fail(f"{sortie.NETWORK}: {fault}")
        return pairs

    def from_git(self, table: Table, command: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """The command of an engine built from a repository, and the source it was built from."""
        git, ref, build = table.text("git"), table.text("ref", "HEAD"), table.text("build") or ""
        if git is None:
            for key in ("ref", "build"):
                if key in table:
                    raise table.fail(f"{key} needs git: the repository that the engine is built from")
            return self.command(table, command), ()
        if git.startswith("-") or ref.startswith("-"):
            raise table.fail("git and ref must not begin with -")
        local = self.folder / named(git)
        git = str(local.resolve()) if os.path.isdir(local) else git
        words = _split(table, command)
        if not self.check:
            return words, (("git", git), ("ref", ref), ("build", build), ("command", command))
        try:
            source = builds.find(git, ref, build)
            tree = builds.built(source)
        except BadInput as error:
            raise table.fail(str(error)) from None
        program = tree / words[0]
        if not shutil.which(str(program)):
            raise table.fail(f"command {show(command)}: no program {words[0]} in the tree that was built ({tree})")
        return (str(program), *words[1:]), (
            ("git", git),
            ("ref", source.commit),
            ("build", build),
            ("command", command),
        )

    def engine(self, name: str, tables: Mapping[str, object], limit: Limit) -> Player:
        table = self.named(section_name("engines", name), name, tables)
        table.only(ENGINE_KEYS)
        command = table.text("command")
        if command is None:
            raise table.fail('command is missing: the program to run, e.g. command = "stockfish"')
        program, git = self.from_git(table, command)
        protocol = table.choice("protocol", PROTOCOLS, "auto")
        options, hidden = self.values(table, protocol), table.strings("hidden")
        for option in hidden:
            if option not in options:
                raise table.fail(
                    f"hidden names {show(option)}, which is not among its options{suggestion(option, options)}"
                )
        return Player(
            index=0,
            name=name,
            command=program,
            protocol=protocol,
            limit=table.limit(limit),
            options=tuple(options.items()),
            init=table.strings("init"),
            directory=self.directory(table),
            env=self.environment(table),
            hidden=hidden,
            git=git,
            margin=table.number("margin", None, 0),
            io_log=table.flag("io_log"),
        )

    def values(self, table: Table, protocol: str) -> dict[str, str]:
        """The `options` table as text; a flag is 1/0 for XBoard and true/false for UCI."""
        words = ("0", "1") if protocol == "xboard" else ("false", "true")
        found = {}
        for key, value in table.table("options").items():
            if not key.strip() or not key.isprintable():
                raise table.fail(f"options: {show(key)} cannot be the name of an option")
            if not isinstance(value, str | int | float) or any(ord(letter) < 32 for letter in str(value)):
                raise table.fail(f"options.{key} must be a line of text, a number or true/false, not {show(value)}")
            text = words[value] if isinstance(value, bool) else str(value)
            command = key in ("memory", "cores") and protocol != "uci"
            if command and (isinstance(value, bool) or not text.isdecimal() or len(text) > 12 or int(text) < 1):
                raise table.fail(f"options.{key} must be a whole number above 0 (at most 12 digits), not {show(value)}")
            found[key] = text
        return found

    def command(self, table: Table, text: str) -> tuple[str, ...]:
        """The words of a command, with its program found as by a shell, beside the file, or where Debian keeps games."""
        words = _split(table, text)
        if not self.check:
            return words
        program = os.path.expanduser(words[0])
        places: list[Path] = []
        if os.path.dirname(program):
            places = [Path(program), self.folder / program]
            if (directory := self.directory(table)) is not None:
                places.append(Path(directory) / program)
            found = next((str(place.absolute()) for place in places if shutil.which(str(place.absolute()))), None)
        else:
            found = shutil.which(program) or shutil.which(program, path=EXTRA_PATH)
        if found is None:
            raise table.fail(f"command {show(program)}: {why_not_found(program, places)}")
        return (found, *words[1:])

    def environment(self, table: Table) -> tuple[tuple[str, str], ...]:
        """The `env` table: environment variables in addition to the harness's own."""
        found = []
        for key, value in table.table("env").items():
            if not key or "=" in key or "\0" in key:
                raise table.fail(f"env: {show(key)} cannot be the name of a variable")
            if isinstance(value, bool) or not isinstance(value, str | int | float) or "\0" in str(value):
                raise table.fail(f"env.{key} must be a string or a number, not {show(value)}")
            found.append((key, str(value)))
        return tuple(found)

    def directory(self, table: Table) -> str | None:
        """The working directory, relative to the TOML file."""
        text = table.text("directory")
        if text is None:
            return None
        path = self.folder / named(text)
        if self.check and not os.path.isdir(path):
            raise table.fail(f"directory {show(text)}: no such folder")
        return str(path)


def _split(table: Table, text: str) -> tuple[str, ...]:
    """The words of a command, as a shell splits them."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise table.fail(f"command {show(text)} cannot be split into words: {error}") from None
    if not words:
        raise table.fail("command is empty")
    return tuple(words)


def _plain_option(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
