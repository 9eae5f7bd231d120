"""Every key of the experiment file: type, default, meaning, example. The reader accepts no others.

`gauntlet keys` prints this table, docs/experiment-file.md is made from it, and `gauntlet init` writes its example from it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table. `default` and `example` are TOML; a default in words is in parentheses, "" means none."""

    name: str
    kind: str
    default: str
    meaning: str
    example: str


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the file; `needs` are the keys that it must have, in TOML."""

    name: str
    meaning: str
    keys: tuple[Key, ...]
    needs: str = ""

    def names(self) -> tuple[str, ...]:
        """The names that the reader accepts in this table: its keys and the tables within it."""
        tail = f"{self.name}."
        inner = (each.name.removeprefix(tail).partition(".")[0] for each in SECTIONS if each.name.startswith(tail))
        return (*(key.name for key in self.keys), *inner)


LIMITS = (
    Key("time", "text", "", 'a clock in seconds: "SECONDS+INCREMENT", or "MOVES/SECONDS+INCREMENT"', '"40/60+0.5"'),
    Key("movetime", "number", "", "seconds for each move", "0.1"),
    Key("nodes", "whole number", "", "nodes for each move; beside time or movetime a cap", "2000"),
    Key("depth", "whole number", "", "plies for each move; beside time or movetime a cap", "6"),
)
EXPERIMENT_LIMITS = (
    Key("time", "text", '"2+0.02"', f"{LIMITS[0].meaning}; one limit only", LIMITS[0].example),
    *LIMITS[1:],
)
OF_A_PROCESS = (
    Key("init", "list of text", "", "lines sent as they are after the handshake", '["nopost"]'),
    Key("directory", "text", "(the current one)", "working directory, relative to the file", '"."'),
    Key("env", "table", "", "variables of its environment", '{ LC_ALL = "C" }'),
    Key("margin", "seconds", "(that of [experiment])", "how long its moves may overrun the clock", "0.5"),
    Key("io_log", "flag", "(no)", "keep every line to and from it, in the results folder under io", "true"),
    *LIMITS,
)
OF_SORTIE = (
    Key("command", "text", "(the sortie beside gauntlet)", "another Sortie", '"sortie"'),
    Key("options", "table", "", "memory (MiB of hash table) and cores (threads)", "{ memory = 16 }"),
    Key("tune", "table", "", "parameters of the search: `sortie options --tunable` lists them", "{ razor_base = 260 }"),
    *OF_A_PROCESS,
)
OF_AN_ENGINE = (
    Key("command", "text", "", "the program and its arguments, split as a shell does", '"stockfish"'),
    Key(
        "git",
        "text",
        "",
        "the repository that it is built from; command is then a program in the built tree",
        '"engine.git"',
    ),
    Key("ref", "text", "(HEAD)", "the branch, tag or commit of it", '"v1.2"'),
    Key("build", "text", "(nothing)", "the line that builds it, once: builds are kept by commit", '"make -j2"'),
    Key("protocol", "word", '"auto"', "xboard, uci, or auto: asked once, before the first game", '"uci"'),
    Key(
        "options", "table", "", "its options by name; an XBoard engine has memory (MiB) and cores too", "{ Hash = 16 }"
    ),
    Key("hidden", "list of text", "", "those of its options that it takes without announcing them", '["Hash"]'),
    *OF_A_PROCESS,
)

SECTIONS = (
    Section(
        "experiment",
        "what is played",
        (
            Key("name", "text", "(the file's name)", "shown, and names the results folder", '"evening"'),
            Key(
                "kind",
                "word",
                '"gauntlet"',
                "gauntlet: all against the base; roundrobin: everyone against everyone; match: exactly two players; "
                "factorial: all variants in the same games; swiss, knockout, league: see [tournament]; spsa: see [spsa]",
                '"roundrobin"',
            ),
            Key(
                "base",
                "text",
                "(the base, else the first engine)",
                "the player that all others meet in a gauntlet",
                '"base"',
            ),
            Key(
                "games",
                "even number",
                "100",
                "of each pairing, the most that may be played with [sprt] or [decide]; of each meeting, 2 by default, "
                "where there are rounds; of a factorial in all",
                "200",
            ),
            *EXPERIMENT_LIMITS,
            Key("concurrency", "whole number", "(processor cores)", "games at a time", "2"),
            Key("seed", "whole number", "1", "order of the openings", "7"),
            Key(
                "margin",
                "seconds",
                "0.1",
                "how long a move may overrun its clock before the game is lost on time",
                "0.5",
            ),
            Key(
                "patience", "seconds", "10.0", "for what has no clock: start, ping, a move under nodes or depth", "30.0"
            ),
            Key("max_moves", "whole number", "300", "drawn when each side has made so many moves", "150"),
            Key("ponder", "flag", "false", "think on the opponent's time", "true"),
            Key("chess960", "flag", "false", "Fischer random", "true"),
            Key("restart", "flag", "false", "fresh processes for every game", "true"),
            Key(
                "paired",
                "flag",
                "true",
                "play every opening with both colours; without it once, and games may be odd",
                "false",
            ),
            Key("pv", "flag", "false", "keep the line that each engine expected, for the comments of the PGN", "true"),
            Key(
                "checks",
                "flag",
                "false",
                "warn of illegal lines of thinking, of moves that do not begin them, of mates that are none",
                "true",
            ),
            Key(
                "affinity",
                "flag",
                "false",
                "give each slot physical cores of its own, before its engines start",
                "true",
            ),
            Key("source", "text", "", "where games that were not played here come from", '"games.pgn"'),
        ),
    ),
    Section(
        "base",
        "Sortie with these options; a key with a capital is an option of Sortie (`sortie options` lists them)",
        OF_SORTIE,
    ),
    Section("variants.NAME", "the base with these options changed; keys as in [base]", OF_SORTIE),
    Section(
        "engines.NAME",
        "any engine",
        OF_AN_ENGINE,
        'command = "stockfish"',
    ),
    Section(
        "openings",
        "where games start",
        (
            Key(
                "file",
                "text",
                '"sortie.tsv"',
                "PGN, EPD, TSV or Polyglot, also .gz: relative to the TOML file, else shipped",
                '"sortie.tsv"',
            ),
            Key(
                "order",
                "word",
                '"random"',
                "random or sequential; none comes again before all were used",
                '"sequential"',
            ),
            Key("plies", "whole number", "", "take no more of a line than this", "8"),
            Key("start", "whole number", "1", 'the first opening to play, with order = "sequential"', "1"),
            Key(
                "sha256",
                "text",
                "",
                "refuse the file when its contents are others; a run writes it into its own copy",
                '"1f4e..."',
            ),
        ),
    ),
    Section(
        "adjudication",
        "games ended by the harness; without this table none",
        (
            Key("resign_score", "centipawns", "", "lost at this score, both engines agreeing", "900"),
            Key("resign_moves", "whole number", "4", "for so many moves of each side", "3"),
            Key(
                "resign_sides",
                "word",
                '"both"',
                "whose scores must agree: both, the loser's alone (loser) or the winner's alone (winner)",
                '"loser"',
            ),
            Key("draw_score", "centipawns", "", "drawn within this score", "10"),
            Key("draw_moves", "whole number", "8", "for so many moves of each side", "6"),
            Key("draw_from", "whole number", "40", "from this move on", "30"),
            Key("syzygy", "text", "", "folder of complete win-draw-loss tables (.rtbw)", '"syzygy"'),
            Key("syzygy_men", "whole number", "(the largest there)", "believe tables of so many men at most", "5"),
            Key(
                "syzygy_fifty", "flag", "(yes)", "keep the fifty-move rule: a win that takes longer is a draw", "false"
            ),
        ),
        "resign_score = 900\ndraw_score = 10",
    ),
    Section(
        "sprt",
        "a sequential test of each pairing, on complete pairs",
        (
            Key("elo0", "Elo", "", "the lower hypothesis, H0", "0.0"),
            Key("elo1", "Elo", "", "the upper hypothesis, H1", "5.0"),
            Key("alpha", "probability", "0.05", "of accepting H1 where H0 holds", "0.1"),
            Key("beta", "probability", "0.05", "of accepting H0 where H1 holds", "0.1"),
            Key("model", "word", '"normalized"', "what elo0 and elo1 are: normalized or logistic Elo", '"logistic"'),
        ),
        "elo0 = 0.0\nelo1 = 5.0",
    ),
    Section(
        "decide",
        "each pairing ends when it is settled which is stronger, or that the difference does not matter; not with [sprt]",
        (
            Key(
                "within",
                "Elo",
                "10.0",
                "a difference does not matter when its whole interval lies within so many of zero",
                "5.0",
            ),
            Key(
                "until",
                "word",
                '"all"',
                "what must be settled: all pairings (all); of a round robin also who is best (best) or the order (order)",
                '"all"',
            ),
            Key(
                "confidence",
                "probability",
                "",
                "that nothing said of any pairing is wrong, 0.5 to 0.9999; without it every look has 99.9 %",
                "0.95",
            ),
            Key("least", "whole number", "60", "games of a pairing before anything is settled, 60 or more", "1000"),
        ),
    ),
    Section(
        "screen",
        "a node screen of base and variants to one depth, before the games",
        (
            Key("depth", "whole number", "9", "in plies", "11"),
            Key("positions", "text", "(shipped)", "EPD, TSV or PGN", '"screen.epd"'),
            Key("count", "whole number", "(all)", "take only so many of the positions", "20"),
        ),
    ),
    Section(
        "tournament",
        "of the kinds with rounds",
        (
            Key("rounds", "whole number", "(enough for one winner)", "swiss: how many", "3"),
            Key(
                "tiebreaks",
                "whole number",
                "2",
                "knockout: further pairs after a tie, then the better seed goes on",
                "1",
            ),
            Key(
                "divisions",
                "list of lists",
                "(one of all)",
                "league: the players of each, strongest first",
                '[["a", "b"]]',
            ),
            Key("promote", "whole number", "1", "league: how many change places with the division above", "1"),
            Key("seasons", "whole number", "1", "league: how many", "2"),
        ),
    ),
    Section(
        "sweep",
        "the experiment at each limit, in place of its own; one of the two",
        (
            Key("nodes", "list of whole numbers", "", "nodes a move, growing", "[1000, 4000, 16000]"),
            Key("time", "list of text", "", "clocks, growing", '["0.5+0.005", "2+0.02"]'),
        ),
    ),
    Section(
        "spsa",
        "tuning of one engine's numeric options: `gauntlet spsa`",
        (
            Key("games", "even number", "", "in all", "20000"),
            Key("c_end", "number", "1.0", "how far a parameter is moved to either side in the end, in steps", "0.8"),
            Key("r_end", "number", "0.002", "how far a game moves a value in the end, as a share of c_end", "0.01"),
            Key("alpha", "number", "0.602", "how fast that share falls", "0.7"),
            Key("gamma", "number", "0.101", "how fast the moves to either side fall", "0.15"),
            Key(
                "A",
                "number",
                "(a tenth of the pairs)",
                "pairs added to those played, so that the first steps are not too large",
                "500.0",
            ),
            Key("lag", "whole number", "16", "pairs under way before a result must be in", "64"),
            Key(
                "played",
                "even number",
                "0",
                "games of the same schedule that an earlier run played; its values are the starts",
                "60",
            ),
        ),
        "games = 100",
    ),
    Section(
        "spsa.parameters.NAME",
        "an option that is tuned; numbers that Sortie lists for its own may be left out",
        (
            Key("least", "number", "", "the lower bound", "0"),
            Key("most", "number", "", "the upper bound; where all four are whole, whole numbers are sent", "200"),
            Key("start", "number", "", "where it begins", "80"),
            Key("step", "number", "", "a change whose worth should be seen", "8"),
            Key("hidden", "flag", "", "the engine takes the option without announcing it", "true"),
        ),
        "least = 0\nmost = 200\nstart = 80\nstep = 8",
    ),
    Section(
        "claim",
        "a sentence that the experiment puts to the test",
        (
            Key("id", "text", "", "its number", '"C7"'),
            Key("text", "text", "", "the sentence", '"history saves nodes"'),
            Key("where", "text", "", "who says so", '"Winglet"'),
            Key("measure", "word", '"nodes"', "what answers it: nodes, time, hash, branching, window or elo", '"time"'),
        ),
        'id = "C1"\ntext = "x"',
    ),
)


def section(name: str) -> Section:
    """A table by its name in SECTIONS."""
    return next(each for each in SECTIONS if each.name == name)


def tables() -> tuple[str, ...]:
    """The names of the tables at the top of a file."""
    return tuple(dict.fromkeys(each.name.partition(".")[0] for each in SECTIONS))


def reference() -> str:
    """All tables with all keys, as Markdown."""
    parts = []
    for each in SECTIONS:
        parts += ["", f"## `[{each.name}]`: {each.meaning}", "", "| key | type | default | meaning | example |"]
        parts.append("|---|---|---|---|---|")
        for key in each.keys:
            default = key.default if key.default[:1] in ("", "(") else f"`{key.default}`"
            example = f"`{key.name} = {key.example}`" if key.example else ""
            parts.append(f"| `{key.name}` | {key.kind} | {default.strip('()') or '-'} | {key.meaning} | {example} |")
    return "\n".join(parts).strip() + "\n"


ACTIVE = {("experiment", "games"): "100", ("experiment", "time"): '"2+0.02"'}  # lines that are not commented out
COMMENT_COLUMN = 32


def commented_example() -> str:
    """An experiment to begin with: one variant of Sortie against Sortie, and every other key commented out."""
    lines = [
        "# An experiment: each table and key that gauntlet knows, most of them behind a comment mark.",
        "# gauntlet run FILE plays it, gauntlet show DIR says how it stands, gauntlet keys has this list as a table.",
    ]
    for each in SECTIONS:
        live = each.name == "experiment"
        lines += ["", f"# {each.meaning}"]
        if each.name == "variants.NAME":
            lines += ["[variants.lmr-off]", 'LMR = "off"']
            continue
        lines.append(f"{'' if live else '# '}[{each.name}]")
        for key in each.keys:
            value = ACTIVE.get((each.name, key.name))
            shown = value or (key.default if key.default[:1] not in ("", "(") else key.example)
            line = f"{'' if value else '# '}{key.name} = {shown}"
            lines.append(f"{line:{COMMENT_COLUMN}}  # {key.meaning}")
    return "\n".join(lines) + "\n"
