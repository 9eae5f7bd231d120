"""Reads command lines of cutechess-cli and fastchess into a request; what gauntlet does not do is refused by name.

The two programs share most options. Where they differ, a line counts as fastchess's if it has something
that only fastchess has, or an engine without `proto`, which cutechess-cli requires.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.errors import BadInput, nearest
from harness.files import named
from harness.match.engine_options import PATIENCE, read_engine
from harness.match.request import Engine, Request, folder_name
from harness.spec.endings import MODELS

KINDS = {"round-robin": "roundrobin", "roundrobin": "roundrobin", "gauntlet": "gauntlet", "knockout": "knockout"}
FASTCHESS_ONLY = frozenset(
    (
        "-config",
        "-autosaveinterval",
        "-show-latency",
        "-force-concurrency",
        "-report",
        "-log",
        "-quick",
        "-scoreinterval",
    )
)
# Options for what gauntlet does anyway (games are saved one by one, engines always recovered), each with
# the values it may have, as a pattern and in words.
NEEDLESS = {
    "-recover": ("", "no value"),
    "-autosaveinterval": (r"\d+", "a whole number"),
    "-force-concurrency": ("", "no value"),
    "-bookmode": ("ram|disk", "ram or disk"),
    "-crc32": ("|pgn=(true|false)", "pgn=true or pgn=false"),
    "-show-latency": ("", "no value"),
    "-report": ("penta=(true|false)", "penta=true or penta=false"),
    "-strict": ("", "no value"),
}
REFUSED = {
    "-debug": "the last lines of every fault are kept in the results folder",
    "-log": "run.log in the results folder is always written",
    "-config": "gauntlet resume DIR goes on with a stopped run",
    "-noswap": "colours are swapped in every pair",
    "-reverse": "the first engine begins with White",
    "-seeds": "a gauntlet has one seed, the first engine",
    "-wait": "the next game starts when a slot is free",
    "-resultformat": "gauntlet show prints the results",
    "-quick": "gauntlet match ENGINE ENGINE is as short",
    "-testEnv": "it belongs to another program's test rig",
    "-compliance": "gauntlet check tests an engine's protocol",
    "-site": "Site is the machine that played the game",
    "-engines": "gauntlet engines list shows the registered ones",
    "-protocols": "uci and xboard are spoken",
    "-livepgnout": "a file named by -pgnout grows game by game",
    "-tournamentfile": "gauntlet resume DIR goes on with a stopped run",
}
_FLAG = re.compile(r"-{1,2}[A-Za-z]")


def is_foreign(words: Sequence[str]) -> bool:
    """Whether a command line is in the dialect of cutechess-cli and fastchess."""
    return any(word in ("-engine", "-each", "-quick") for word in words)


def read(words: Sequence[str]) -> Request:
    """The request in such a line; raises BadInput, one line, for the first thing that is wrong or not supported."""
    return _Line(words).request()


class _Line:
    """The reading of one command line."""

    def __init__(self, words: Sequence[str]) -> None:
        self.options = _split(words)
        self.result = Request()
        # A mistake in a setting is blamed on the option that made it.
        self.result.options.update(
            games="-games", name="-event", patience="tscale", max_moves="-maxmoves", seed="-srand"
        )
        self.games: int | None = None
        self.rounds: int | None = None
        self.repeat = False
        self.shared: list[str] = []
        self.tablebase: dict[str, object] = {}  # settings of tablebases, used if a path is given
        self.engines: list[list[str]] = []
        self.readers: dict[str, Callable[[str, list[str]], None]] = {
            "-engine": lambda _, values: self.engines.append(values),
            "-each": lambda _, values: self.shared.extend(values),
            "-games": self._games,
            "-rounds": self._rounds,
            "-repeat": self._repeat,
            "-concurrency": self._main_whole("concurrency"),
            "-maxmoves": self._most_moves,
            "-srand": self._main_whole("seed"),
            "-randomseed": self._main_whole("seed"),
            "-event": self._event,
            "-variant": self._variant,
            "-tournament": self._tournament,
            "-openings": self._openings,
            "-sprt": self._sprt,
            "-resign": self._resign,
            "-draw": self._draw,
            "-tb": self._tablebases,
            "-tbadjudicate": self._tablebase_verdicts,
            "-tbpieces": self._tablebase_men,
            "-tbignore50": self._tablebase_draws,
            "-use-affinity": self._affinity,
            "-pgnout": self._pgn,
            "-epdout": self._epd,
            "-output": self._output,
            "-ratinginterval": self._interval("rating_interval"),
            "-outcomeinterval": self._interval("score_interval"),
            "-scoreinterval": self._interval("score_interval"),
            "-out": self._out,
        }

    def request(self) -> Request:
        for name, values in self.options:
            if name in REFUSED:
                raise BadInput(f"{name}: not supported: {REFUSED[name]}")
            if name in NEEDLESS:
                pattern, wanted = NEEDLESS[name]
                if not re.fullmatch(pattern, " ".join(values)):
                    raise BadInput(f"{name}: expected {wanted}, not {shlex.join(values) or 'nothing'}")
                continue
            reader = self.readers.get(name)
            if reader is None:
                raise BadInput(f'unknown option "{name}"{nearest(name, [*self.readers, *NEEDLESS])}')
            reader(name, values)
        result = self.result
        found = [read_engine([*self.shared, *values]) for values in self.engines]
        fastchess = self._is_fastchess()
        if result.style == "gauntlet":
            result.style = "fastchess" if fastchess else "cutechess"
        if fastchess and not any(name == "-ratinginterval" for name, _ in self.options):
            result.rating_interval = 10
        if any(name == "-sprt" for name, _ in self.options):
            # cutechess-cli tests logistic Elo, fastchess normalized Elo unless told otherwise.
            result.sprt.setdefault("model", "normalized" if fastchess else "logistic")
        if "syzygy" in result.adjudication:
            result.adjudication.update(self.tablebase)
        elif self.tablebase:
            raise BadInput("-tbpieces and -tbignore50 need -tb FOLDER")
        if result.pgn is not None and result.pgn == result.epd:
            raise BadInput(f"-pgnout and -epdout name the same file, {result.pgn}")
        self._merge(found)
        self._count(fastchess)
        result.main.setdefault("concurrency", 1)  # the default of both programs
        return result

    def _is_fastchess(self) -> bool:
        if any(name in FASTCHESS_ONLY for name, _ in self.options):
            return True
        if any(
            name in ("-pgnout", "-epdout") and any(value.startswith("file=") for value in values)
            for name, values in self.options
        ):
            return True
        told = [
            any(word.split("=")[0] in ("proto", "conf") for word in [*self.shared, *values]) for values in self.engines
        ]
        return not all(told)

    def _merge(self, found: list[tuple[Engine, dict[str, object]]]) -> None:
        """Merges settings that those programs have for each engine and the experiment file has for all: they must be equal."""
        for key, option, default in (
            ("restart", "restart", False),
            ("ponder", "ponder", False),
            ("patience", "tscale", PATIENCE),
        ):
            values = {engine_keys.get(key, default) for _, engine_keys in found}
            if len(values) > 1:
                raise BadInput(f"{option}: must be the same for every engine (give it with -each)")
            if any(key in engine_keys for _, engine_keys in found):
                self.result.main[key] = values.pop()
        self.result.engines = [engine for engine, _ in found]

    def _count(self, fastchess: bool) -> None:
        """Sets the games of a pairing: games of an encounter times rounds, each opening once or twice."""
        games = self.games if self.games is not None else 2 if fastchess or self.repeat else 1
        if self.repeat and fastchess:
            games = 2
        rounds = self.rounds if self.rounds is not None else 2 if fastchess else 1
        if self.repeat and not fastchess and self.games is None:
            games = 1  # in cutechess-cli a round then has one game, and an opening is played in two rounds
        total = games * rounds
        paired = (self.repeat or (fastchess and games == 2) or not self.result.openings) and total % 2 == 0
        if self.repeat and total % 2:
            raise BadInput(f"-repeat: {total} games are no whole number of pairs; -games times -rounds must be even")
        if self.result.main.get("kind") == "knockout":
            if self.rounds not in (None, 1):
                raise BadInput(
                    "-rounds: a knockout has the rounds that its engines need; -games says how many games a meeting has"
                )
            if self.games is not None:
                self.result.main["games"] = self.games
            return
        self.result.main["games"] = total
        if not paired:
            if self.result.sprt:
                raise BadInput("-sprt: needs -repeat, so that every opening is played with both colours")
            self.result.main["paired"] = False

    # A method for each option; it gets the option's name and values.

    def _games(self, name: str, values: list[str]) -> None:
        self.games = _whole(name, _one(name, values), 1)

    def _rounds(self, name: str, values: list[str]) -> None:
        self.rounds = _whole(name, _one(name, values), 1)

    def _repeat(self, name: str, values: list[str]) -> None:
        if values and _whole(name, _one(name, values), 1) != 2:
            raise BadInput(f"{name} {values[0]}: not supported: an opening is played twice, or once without {name}")
        self.repeat = True

    def _main_whole(self, key: str) -> Callable[[str, list[str]], None]:
        def reader(name: str, values: list[str]) -> None:
            self.result.main[key] = _whole(name, _one(name, values), 0 if key == "seed" else 1)

        return reader

    def _interval(self, field: str) -> Callable[[str, list[str]], None]:
        def reader(name: str, values: list[str]) -> None:
            setattr(self.result, field, _whole(name, _one(name, values), 0))

        return reader

    def _most_moves(self, name: str, values: list[str]) -> None:
        if most := _whole(name, _one(name, values), 0):
            self.result.main["max_moves"] = most

    def _event(self, name: str, values: list[str]) -> None:
        # It also names the results folder.
        self.result.main["name"] = re.sub(r"[/\\]", "-", _one(name, values))

    def _out(self, name: str, values: list[str]) -> None:
        self.result.out = _one(name, values)

    def _variant(self, name: str, values: list[str]) -> None:
        variant = _one(name, values)
        if variant not in ("standard", "fischerandom"):
            raise BadInput(f"{name} {variant}: not supported: expected standard or fischerandom")
        self.result.main["chess960"] = variant == "fischerandom"

    def _tournament(self, name: str, values: list[str]) -> None:
        kind = _one(name, values)
        if kind not in KINDS:
            raise BadInput(f"{name} {kind}: not supported: expected round-robin, gauntlet or knockout")
        self.result.main["kind"] = KINDS[kind]

    def _openings(self, name: str, values: list[str]) -> None:
        given = _pairs(name, values, ("file", "format", "order", "plies", "start", "policy"))
        if not given.get("file"):
            raise BadInput(f"{name}: file=FILE is missing")
        file = Path(given["file"])
        form = given.get("format", "pgn")
        if form not in ("epd", "pgn"):
            raise BadInput(f"{name}: format must be epd or pgn, not {form}")
        suffix = [part.lower() for part in file.suffixes if part.lower() != ".gz"]
        if suffix and suffix[-1] in (".epd", ".pgn") and suffix[-1] != f".{form}" and "format" in given:
            raise BadInput(f"{name}: {file} is not {form}")
        order = given.get("order", "sequential")
        if order not in ("random", "sequential"):
            raise BadInput(f"{name}: order must be random or sequential, not {order}")
        if given.get("policy", "default") not in ("default", "round"):
            raise BadInput(f"{name}: policy={given['policy']}: not supported: all pairings get the same openings")
        self.result.openings = {
            "file": str(named(str(file)).absolute()) if file.exists() else str(file),
            "order": order,
        }
        for key, least in (("plies", 0), ("start", 1)):
            if key in given:
                self.result.openings[key] = _whole(f"{name} {key}", given[key], least)
        if order == "random" and self.result.openings.pop("start", 1) != 1:
            raise BadInput(f"{name}: start={given['start']} needs order=sequential: a random order has no first line")

    def _sprt(self, name: str, values: list[str]) -> None:
        given = _pairs(name, values, ("elo0", "elo1", "alpha", "beta", "model"))
        for key in ("elo0", "elo1", "alpha", "beta"):
            if key in given:
                self.result.sprt[key] = _number(f"{name} {key}", given[key])
        if {"elo0", "elo1"} <= given.keys() and float(given["elo0"]) >= float(given["elo1"]):
            raise BadInput(f"{name}: elo0 must be below elo1, not {given['elo0']} and {given['elo1']}")
        if (model := given.get("model")) is not None:
            if model not in MODELS:
                raise BadInput(f"{name}: model={model}: not supported: expected normalized or logistic")
            self.result.sprt["model"] = model

    def _resign(self, name: str, values: list[str]) -> None:
        given = _pairs(name, values, ("movecount", "score", "twosided"))
        found = self.result.adjudication
        found["resign_moves"] = _whole(f"{name} movecount", given.get("movecount", "1"), 1)
        found["resign_score"] = _whole(f"{name} score", given.get("score", "0"), 1)
        found["resign_sides"] = "both" if _flag(f"{name} twosided", given.get("twosided", "false")) else "loser"

    def _draw(self, name: str, values: list[str]) -> None:
        given = _pairs(name, values, ("movenumber", "movecount", "score"))
        found = self.result.adjudication
        found["draw_from"] = _whole(f"{name} movenumber", given.get("movenumber", "0"), 0)
        found["draw_moves"] = _whole(f"{name} movecount", given.get("movecount", "1"), 1)
        found["draw_score"] = _whole(f"{name} score", given.get("score", "0"), 0)

    def _tablebases(self, name: str, values: list[str]) -> None:
        folder = _one(name, values)
        if ";" in folder or (":" in folder and not Path(folder).is_dir()):
            raise BadInput(f"{name}: several folders are not supported: expected one")
        self.result.adjudication["syzygy"] = folder_name(folder)

    def _tablebase_verdicts(self, name: str, values: list[str]) -> None:
        if _one(name, values) != "BOTH":
            raise BadInput(f"{name} {values[0]}: not supported: expected BOTH")

    def _tablebase_men(self, name: str, values: list[str]) -> None:
        men = _whole(name, _one(name, values), 3)
        if men > 7:
            raise BadInput(f"{name}: expected 3 to 7, not {men}")
        self.tablebase["syzygy_men"] = men

    def _tablebase_draws(self, name: str, values: list[str]) -> None:
        if values:
            raise BadInput(f"{name}: expected no value, not {shlex.join(values)}")
        self.tablebase["syzygy_fifty"] = False

    def _affinity(self, name: str, values: list[str]) -> None:
        if values:
            raise BadInput(f"{name}: a list of processors is not supported: without one each slot gets its own")
        self.result.main["affinity"] = True

    def _pgn(self, name: str, values: list[str]) -> None:
        if not values or values[0] == "" or "file=" in values:
            raise BadInput(f"{name}: expected a file")
        if any(value.startswith("file=") for value in values):
            details = ("nodes", "seldepth", "nps", "hashfull", "tbhits", "timeleft", "latency", "pv")
            given = _pairs(name, values, ("file", "append", "notation", "min", *details))
            if given.get("notation", "san") != "san":
                raise BadInput(f"{name}: notation={given['notation']}: not supported: expected san")
            if not _flag(f"{name} append", given.get("append", "true")):
                raise BadInput(f"{name}: append=false: not supported: games are added to the file")
            wanted = {key for key in details if _flag(f"{name} {key}", given.get(key, "false"))}
            if unknown := wanted - {"nodes", "timeleft", "pv"}:
                raise BadInput(f"{name}: {min(unknown)}: not supported: nodes, timeleft and pv are")
            if "pv" in wanted:
                self.result.main["pv"] = True
            if _flag(f"{name} min", given.get("min", "false")):
                raise BadInput(f"{name}: min: not supported: every move has its score, depth and time")
            self.result.pgn, self.result.pgn_details = given["file"], frozenset(wanted)
            return
        self.result.pgn = values[0]
        for extra in values[1:]:
            if extra == "min":
                raise BadInput(f"{name}: min: not supported: every move has its score, depth and time")
            if extra != "fi":  # gauntlet only writes finished games anyway
                raise BadInput(f"{name}: expected FILE [fi], not {extra}")

    def _epd(self, name: str, values: list[str]) -> None:
        self.result.epd = _one(name, values).removeprefix("file=")
        if not self.result.epd:
            raise BadInput(f"{name}: expected a file")

    def _output(self, name: str, values: list[str]) -> None:
        style = _pairs(name, values, ("format",)).get("format", "fastchess")
        if style not in ("cutechess", "fastchess"):
            raise BadInput(f"{name}: format must be cutechess or fastchess, not {style}")
        self.result.style = style


def _split(words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The options, each with the values that follow it."""
    found: list[tuple[str, list[str]]] = []
    for word in words:
        if _FLAG.match(word) and "=" not in word:
            found.append(("-" + word.lstrip("-"), []))
        elif not found:
            raise BadInput(f'expected an option such as -engine before "{word}"')
        else:
            found[-1][1].append(word)
    return found


def _one(name: str, values: list[str]) -> str:
    if len(values) != 1:
        raise BadInput(f"{name}: expected one value, not {shlex.join(values) or 'nothing'}")
    return values[0]


def _whole(name: str, text: str, least: int) -> int:
    if not text.isdecimal() or len(text) > 12 or int(text) < least:
        raise BadInput(f'{name}: expected a whole number of {least} or more, not "{text}"')
    return int(text)


def _flag(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise BadInput(f'{name}: expected true or false, not "{text}"')
    return text == "true"


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(f'{name}: expected a number, not "{text}"') from None


def _pairs(name: str, values: list[str], known: Sequence[str]) -> dict[str, str]:
    """`key=value` words as a table; raises BadInput for an unknown key."""
    found = {}
    for word in values:
        key, mark, value = word.partition("=")
        if not mark or key not in known:
            raise BadInput(f'{name}: expected {", ".join(f"{k}=" for k in known)}, not "{word}"')
        found[key] = value
    return found
