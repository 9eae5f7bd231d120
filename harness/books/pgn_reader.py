"""Splits PGN text into games, tags and main-line moves, each with its line number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TAG = re.compile(r'\[\s*(\w[\w+#=:-]*)\s+"((?:\\.|[^"\\])*)"\s*\]')
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>\{[^}]*\}?|;[^\n]*|<[^>]*>)
    |(?P<result>1-0|0-1|1/2-1/2|1/2(?![\w-])|½-½|\*)
    |(?P<number>\d+\.*(?=[\s.A-Za-z({;$]|$)|\.+)
    |(?P<glyph>\$\d*|[!?]+|e\.p\.|\+\+)
    |(?P<open>\()|(?P<close>\))
    |(?P<move>[A-Za-z0O](?:(?!e\.p\.|\+\+)[\w=+\#\-])*)
    |(?P<other>.)""",
    re.VERBOSE,
)


class Unclosed(Exception):
    """A comment or side line that never ends, and would hide all that follows; `line` is where it begins."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"{what} is never closed")
        self.line = line


@dataclass(slots=True)
class PgnGame:
    """One game: where it begins, its tags, and its main-line moves as (line number, text).

    text[begin:end] is what follows the tags, up to the result; a side line, comment or glyph is still in it.
    """

    line: int
    begin: int
    end: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[int, str]] = field(default_factory=list)


def games(text: str) -> Iterator[PgnGame]:
    """The games of a PGN text, without comments, glyphs and side lines; moves are not checked here. Raises Unclosed."""
    game: PgnGame | None = None
    in_tags = False
    depth = opened = 0
    position, line = 0, 1
    while position < len(text):
        at_start = position == 0 or text[position - 1] == "\n"
        if at_start and text[position] == "%":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
            continue
        if text[position] == "[" and (depth == 0 or at_start) and (match := _TAG.match(text, position)):
            if depth:
                raise Unclosed(opened, "a side line (")
            if game is not None and not in_tags:
                game.end = position
                yield game
                game = None
            game = game or PgnGame(line, position)
            in_tags = True
            game.tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
            line += match[0].count("\n")
            game.begin = position = match.end()
            continue
        token = _TOKEN.match(text, position)
        assert token is not None
        kind, word = token.lastgroup, token[0]
        if kind == "comment":
            if word[0] == "{" and (word[-1] != "}" or "\n[Event " in word):
                raise Unclosed(line, "a comment {")
        elif kind == "open":
            opened = opened if depth else line
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "result" and depth == 0:
            if game is not None:
                game.end = token.end()
                yield game
            game, in_tags = None, False
        elif kind in ("move", "other") and depth == 0:
            game = game or PgnGame(line, position)
            in_tags = False
            game.moves.append((line, word.replace("0-0-0", "O-O-O").replace("0-0", "O-O")))
        line += word.count("\n")
        position = token.end()
    if depth:
        raise Unclosed(opened, "a side line (")
    if game is not None:
        game.end = len(text)
        yield game
