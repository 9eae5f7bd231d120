"""Checks an engine's statements about its move against the board: its line of thinking, its move, its mates."""

from __future__ import annotations

import re
from collections.abc import Sequence

import chess

from harness.model import MATE

_COORDINATES = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_NUMBER = re.compile(r"\d*\.*")  # move numbers and dots in an XBoard line


def faults(board: chess.Board, words: Sequence[str], move: chess.Move, score: int | None, strict: bool) -> list[str]:
    """Returns what is wrong with the line of thinking for a move, in the journal's words for warnings.

    `board` is the position before the move and is left unchanged. `strict`: every word must be a move (UCI); else the line
    ends at the first word that is not a move, because XBoard engines may write anything there.
    """
    line = board.copy(stack=False)
    found: list[str] = []
    moves = 0
    mate = _plies(score)
    for word in words:
        if not strict and _NUMBER.fullmatch(word):
            continue
        try:
            step = _read(line, word, strict)
        except ValueError:
            if strict or _COORDINATES.fullmatch(word):
                found.append("pv")
            break
        if moves == 0 and step != move:
            found.append("bestmove")
        line.push(step)
        moves += 1
        if moves == mate and not line.is_checkmate():
            found.append("mate")
    return found


def _plies(score: int | None) -> int:
    """The number of plies to an announced mate; 0 if none is announced."""
    if score is None or abs(score) <= MATE:
        return 0
    moves = abs(score) - MATE
    return 2 * moves - 1 if score > 0 else 2 * moves


def _read(board: chess.Board, word: str, strict: bool) -> chess.Move:
    try:
        move = board.parse_uci(word)
    except ValueError:
        if strict:
            raise
        move = board.parse_san(word)
    if not move:
        raise ValueError(word)
    return move
