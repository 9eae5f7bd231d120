"""Parameters: every margin, divisor, limit and bonus of the modern search in one table, which fills the struct it reads.

A row is (name, default, least, most, step, meaning). Its place is the field's place in `Tuning`; its step is the change whose
effect a tuner can still tell from noise. The numbers of the old engines come from their texts and are in the code of their forms.
Centipawns, plies and milliseconds unless the meaning says otherwise; reductions in hundredths of a ply.
"""

import cython

from engine.model import Value


class Parameter(Value):
    """One number of the search: its bounds, and by how much a tuner moves it at a time."""

    __slots__ = ()
    name: str
    default: int
    least: int
    most: int
    step: int
    meaning: str


# Thirty of these were tuned together by gauntlet spsa. With static_worsening, lmr_threatened, reductions from the second move
# on in PV nodes, and smaller ones after late moves of the enemy, which are not in, +18.3 +- 13.7 Elo, 1,139 games at 40,000 nodes.
# Tuned on, under the ninth network, +6.3 +- 5.0 Elo, 9,734 games at 20,000 nodes.
# fmt: off
ROWS = (
    # Pruning before the moves. How often it is wrong depends on the margin, hardly on the depth, so margins grow little with
    # depth where a search checks them (+39.2 +- 24.6 Elo, 338 games at 40,000 nodes); nothing checks static null move.
    ("razor_base", 260, 50, 900, 40, "razoring: centipawns below alpha at depth 0"),
    ("razor_slope", 220, 20, 600, 30, "razoring: added to that, times the square of the depth"),
    ("razor_depth", 4, 0, 10, 1, "razoring: greatest depth"),
    ("static_base", 7, 0, 300, 12, "static null move: centipawns above beta at depth 0"),
    ("static_margin", 116, 5, 200, 8, "static null move: added to that for each ply"),
    ("static_improving", 60, 0, 200, 8, "static null move: taken off when the evaluation improves"),
    ("static_worsening", 25, 0, 200, 8, "static null move: taken off when the opponent's last move lost something"),
    ("static_erred", 5, 0, 100, 4, "static null move: ... that is, when both sides' evaluations add up to more than this"),
    ("static_depth", 8, 2, 16, 1, "static null move: greatest depth"),
    ("null_base", 250, 100, 600, 20, "null move: reduction, hundredths of a ply"),
    ("null_slope", 41, 10, 60, 4, "null move: added to that for each ply of depth, hundredths"),
    ("null_margin", 81, 30, 500, 10, "null move: centipawns above beta that add a ply to the reduction"),
    ("null_surplus", 6, 0, 8, 1, "null move: most plies added in that way"),
    ("null_static", 180, 0, 500, 30, "null move: centipawns the static evaluation may lie below beta, at depth 8 and more"),
    ("null_static_slope", 22, 0, 60, 4, "null move: ... less by this for each ply below depth 8"),
    ("null_verify", 10, 3, 40, 2, "null move: least depth at which a cutoff is verified"),
    ("probcut_margin", 128, 20, 400, 12, "ProbCut: centipawns above beta that a capture must reach"),
    ("probcut_improving", 35, 0, 200, 10, "ProbCut: taken off when the evaluation improves"),
    ("probcut_moves", 4, 1, 16, 1, "ProbCut: most captures tried"),
    ("probcut_plies", 4, 2, 8, 1, "ProbCut: plies by which its search is reduced"),
    ("probcut_depth", 5, 4, 12, 1, "ProbCut: least depth"),
    ("internal_depth", 4, 2, 12, 1, "internal reduction: least depth at which a node without a hash move loses a ply"),
    # Pruning of moves.
    ("late_base", 9, 0, 16, 1, "late moves: moves at depth 0 before the remaining quiet ones are skipped"),
    ("late_slope", 212, 30, 300, 10, "late moves: added to that, times the square of the depth, hundredths"),
    ("late_depth", 9, 3, 20, 1, "late moves: greatest depth"),
    ("futility_base", 7, 0, 400, 15, "futility: centipawns below alpha at reduced depth 0"),
    ("futility_slope", 37, 5, 250, 5, "futility: added to that for each ply of reduced depth"),
    ("futility_history", 137, 32, 1024, 16, "futility: history score worth a centipawn"),
    ("futility_depth", 8, 2, 16, 1, "futility: greatest depth after reduction"),
    ("record_slope", 2926, 500, 12000, 300, "bad history: quiet moves with less than minus this for each ply are skipped"),
    ("record_depth", 4, 1, 10, 1, "bad history: greatest depth after reduction"),
    ("see_quiet", 15, 5, 80, 3, "SEE pruning: centipawns a quiet move may lose, times the square of the reduced depth"),
    ("see_noisy", 88, 20, 250, 8, "SEE pruning: centipawns a capture may lose for each ply"),
    ("see_check", 140, 20, 400, 12, "SEE pruning: centipawns a move that gives check may lose for each ply"),
    ("see_history", 64, 16, 512, 8, "SEE pruning: capture history worth a centipawn"),
    ("see_depth", 9, 2, 16, 1, "SEE pruning: greatest depth"),
    # Singular extension.
    ("singular_depth", 6, 4, 12, 1, "singular extension: least depth"),
    ("singular_slack", 3, 1, 6, 1, "singular extension: plies by which the table entry may be shallower than the node"),
    ("singular_margin", 118, 20, 400, 15, "singular extension: for each ply, hundredths of a centipawn below the table score"),
    ("double_margin", 22, 0, 100, 4, "singular extension: centipawns below that margin for a second ply"),
    ("double_limit", 6, 0, 20, 1, "singular extension: most second plies on one line"),
    # Reductions.
    ("lmr_base", 101, -100, 250, 10, "reductions of quiet moves: constant"),
    ("lmr_divisor", 200, 120, 500, 10, "reductions of quiet moves: hundredths under ln depth * ln number"),
    ("lmr_noisy_base", 35, -100, 200, 10, "reductions of captures: constant"),
    ("lmr_noisy_divisor", 330, 150, 700, 15, "reductions of captures: hundredths under ln depth * ln number"),
    ("lmr_good_capture", 300, 0, 600, 20, "reductions: less for a capture that loses nothing"),
    ("lmr_cut_node", 126, 0, 300, 15, "reductions: more at an expected cut node"),
    ("lmr_worsening", 91, 0, 250, 12, "reductions: more when the evaluation does not improve"),
    ("lmr_was_pv", 75, 0, 250, 12, "reductions: less at a node that is or was on a principal variation"),
    ("lmr_threatened", 60, 0, 250, 12, "reductions: less for a piece that the opponent attacks, at a node far from the leaves"),
    ("lmr_threatened_depth", 6, 0, 16, 1, "reductions: depth above which a node is far from the leaves"),
    ("lmr_refutation", 87, 0, 250, 12, "reductions: less for killers and counter moves"),
    ("lmr_no_table_move", 100, 0, 300, 12, "reductions: more at an expected cut node without a hash move"),
    ("lmr_check", 180, 0, 250, 12, "reductions: less for a move that gives check"),
    ("lmr_in_check", 40, 0, 250, 12, "reductions: less for an evasion"),
    ("lmr_table_noisy", 41, 0, 250, 12, "reductions: more when the hash move is a capture"),
    ("lmr_child_cutoffs", 80, 0, 250, 12, "reductions: more when the replies to the moves here have cut off often"),
    ("lmr_many_cutoffs", 3, 1, 12, 1, "reductions: ... that is, more than this many times"),
    ("lmr_history", 10083, 2000, 30000, 500, "reductions: history score worth a ply"),
    ("lmr_capture_history", 6034, 2000, 30000, 500, "reductions: capture history worth a ply"),
    ("deeper_base", 45, 0, 200, 8, "re-search a ply deeper: centipawns above the best score"),
    ("deeper_slope", 3, 0, 20, 1, "re-search a ply deeper: added to that for each ply"),
    ("shallower_margin", 8, 0, 60, 3, "re-search a ply less deep: at less than this many centipawns above the best score"),
    ("hindsight_plies", 3, 1, 6, 1, "hindsight: least reduction that may prove too much, in plies"),
    ("hindsight_margin", 80, 0, 400, 10, "hindsight: sum of both sides' evaluations above which the reduced move was a mistake"),
    ("raise_plies", 1, 0, 2, 1, "raised alpha: plies taken off the moves after one that raised it"),
    ("raise_least", 3, 3, 10, 1, "raised alpha: least depth"),
    ("raise_most", 12, 6, 30, 1, "raised alpha: greatest depth"),
    # Histories.
    ("bonus_slope", 155, 40, 500, 12, "history: bonus for a cutoff, for each ply"),
    ("bonus_base", 90, -100, 400, 15, "history: taken off that bonus"),
    ("bonus_most", 1700, 500, 4000, 80, "history: largest bonus"),
    ("malus_slope", 192, 40, 500, 12, "history: malus for moves tried in vain, for each ply"),
    ("malus_base", 90, -100, 400, 15, "history: taken off that malus"),
    ("malus_most", 1500, 400, 4000, 80, "history: largest malus"),
    ("quiet_rate", 250, 50, 400, 20, "history: bonus and malus in the from-to table, hundredths of those in the other tables"),
    ("quiet_weight", 66, 50, 400, 15, "history: weight of the from-to table in the order of quiet moves, hundredths"),
    ("pawn_weight", 100, 0, 400, 15, "history: weight of the pawn-structure table, hundredths"),
    ("older_weight", 50, 0, 200, 10, "history: weight of continuations four and six plies back, hundredths"),
    ("check_bonus", 5000, 0, 20000, 500, "history: what is added for a quiet move that gives check"),
    ("early_moves", 3, 1, 8, 1, "history: moves of a node that count as early when a reply to one cuts off from the table"),
    ("good_capture", 32, 8, 512, 4, "captures: capture history that lets a good capture lose one more centipawn"),
    # Correction of the evaluation, and what is added to it.
    ("correction_pawn", 60, 0, 200, 8, "correction: weight of the pawn structure, hundredths of 1/16 centipawn"),
    ("correction_men", 60, 0, 200, 8, "correction: weight of each side's pieces"),
    ("correction_minor", 50, 0, 200, 8, "correction: weight of knights and bishops"),
    ("correction_major", 30, 0, 200, 8, "correction: weight of rooks, queens and kings"),
    ("correction_moves", 60, 0, 200, 8, "correction: weight of the last two moves"),
    ("correction_rate", 12, 2, 64, 2, "correction: learning rate: depth times this many hundredths of a centipawn of error"),
    ("optimism", 30, 0, 150, 5, "optimism: most that is added for the side ahead at the root, with all men on the board"),
    # Quiescence.
    ("delta_margin", 125, 50, 400, 15, "quiescence: margin of delta pruning, centipawns"),
    ("evasions", 2, 1, 8, 1, "quiescence: evasions tried before the quiet ones are skipped"),
    # Windows.
    ("window_growth", 150, 110, 300, 10, "aspiration: factor by which a failed window grows, hundredths"),
    # Time.
    ("stable_most", 150, 100, 250, 8, "time: factor on the share of time for a new best move, hundredths"),
    ("stable_step", 13, 0, 40, 2, "time: taken off for each iteration it has stayed best"),
    ("stable_least", 70, 30, 100, 4, "time: least value of that factor"),
    ("falling_slope", 100, 0, 300, 10, "time: added for each centipawn that the score has fallen, hundredths of a per cent"),
    ("falling_most", 60, 10, 200, 8, "time: largest fall that counts, centipawns"),
    ("effort_base", 150, 100, 250, 8, "time: factor on the share of time if the best move had no nodes, hundredths"),
    ("effort_slope", 115, 20, 200, 8, "time: taken off if it had all nodes"),
)
# fmt: on
PARAMETERS = tuple(Parameter(*row) for row in ROWS)
PLACE = {row.name: place for place, row in enumerate(PARAMETERS)}
PREFIX = "tune."

assert cython.sizeof(Tuning) == len(PARAMETERS) * cython.sizeof(cython.int), "one field a row"


def fill(t):
    """Write the defaults."""
    field = cython.cast(cython.p_int, t)
    place: cython.int
    for place in range(len(PARAMETERS)):
        field[place] = PARAMETERS[place].default


def whole_number(text):
    """The number in decimal digits with an optional minus sign, None for any other text."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None


def read(name, value):
    """(place, number) of a parameter and its new value; ValueError with one plain sentence."""
    place = PLACE.get(name)
    if place is None:
        import difflib

        close = difflib.get_close_matches(name, list(PLACE), n=1, cutoff=0.5)
        hint = f": did you mean {PREFIX + close[0]!r}?" if close else ", sortie options --tunable lists them"
        raise ValueError(f"no parameter is called {PREFIX + name!r}{hint}")
    row = PARAMETERS[place]
    number = whole_number(value)
    if number is None or not row.least <= number <= row.most:
        raise ValueError(f"{PREFIX}{name} is a whole number from {row.least} to {row.most}, not {value!r}")
    return place, number


def tunable():
    """Every parameter as `sortie options --tunable --json` lists it; it is set as option tune.NAME."""
    return [row.as_dict() for row in PARAMETERS]
