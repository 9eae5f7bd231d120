"""The faults that tests/ordeals/mutants.py puts into the core of the harness, each with the test that must catch it."""

from __future__ import annotations

from fault import Fault

JOURNAL = "tests/harness/journal/test_journal.py::"
REPAIR = "tests/harness/journal/test_repair.py::"
ROUNDS = "tests/harness/schedule/test_schedule.py::"
RESUME = "tests/harness/run/test_resume.py::"
FAULTY = "tests/harness/game/test_faults.py::"
ELO = "tests/harness/stats/test_elo.py::"

HARNESS_FAULTS = (
    # The journal.
    Fault(
        "a-game-takes-the-place-of-another",
        "harness/journal/journal.py",
        '_INSERT_ROW = f"INSERT INTO games',
        '_INSERT_ROW = f"INSERT OR REPLACE INTO games',
        JOURNAL + "test_the_same_id_is_refused_and_changes_nothing",
        "one game an id: what comes a second time overwrites the first",
    ),
    Fault(
        "checksums-are-not-looked-at",
        "harness/journal/repair.py",
        "return bool(row_checksum(fields) == row_crc and moves_checksum(moves, evidence) == moves_crc)",
        "return True",
        JOURNAL + "test_a_changed_result_is_found_by_its_checksum",
        "damage: a result that was changed in the file counts",
    ),
    Fault(
        "repair-believes-the-schedule",
        "harness/journal/repair.py",
        "spans = [(1, _greatest_id(db))]",
        "spans = [(1, 10)]",
        REPAIR + "test_games_are_found_by_their_ids_and_not_by_the_schedule",
        "repair: tie-breaks of a knockout lie beyond the schedule",
    ),
    Fault(
        "a-broken-off-repair-stays-so",
        "harness/journal/repair.py",
        "unfinished = int(finish_repair(path))",
        "unfinished = 0",
        REPAIR + "test_a_folder_left_between_two_renames_is_put_right",
        "repair: nobody ends what a killed process began",
    ),
    Fault(
        "a-run-elsewhere-works-for-ever",
        "harness/journal/journal.py",
        "time.time() - max(self.began, heard) < SILENCE",
        "True",
        JOURNAL + "test_a_run_that_was_killed_on_another_host_can_be_gone_on_with",
        "resume: a folder that came from another host is never let go",
    ),
    # Statistics.
    Fault(
        "variance-of-a-sample",
        "harness/stats/elo.py",
        "sum(n * (a - mean) ** 2 for a, n in law) / total",
        "sum(n * (a - mean) ** 2 for a, n in law) / (total - 1)",
        ELO + "test_pentanomial_oracle",
        "error bars: n - 1 in place of n",
    ),
    Fault(
        "bounds-change-places",
        "harness/stats/elo.py",
        "return math.log(beta / (1.0 - alpha)), math.log((1.0 - beta) / alpha)",
        "return math.log(alpha / (1.0 - beta)), math.log((1.0 - alpha) / beta)",
        ELO + "test_unequal_error_rates_have_their_own_bounds",
        "SPRT: alpha and beta mixed up, unseen while they are equal",
    ),
    # The schedule.
    Fault(
        "both-games-with-one-colour",
        "harness/schedule/pairing.py",
        "Job(first_id + 1, pairing.index, pair, 2, black, white, opening)",
        "Job(first_id + 1, pairing.index, pair, 2, white, black, opening)",
        ROUNDS + "test_static_schedule",
        "pairs: the colours are not swapped",
    ),
    Fault(
        "opponents-meet-again",
        "harness/schedule/rounds.py",
        "if (min(top, other), max(top, other)) in met:",
        "if False:",
        ROUNDS + "test_swiss",
        "Swiss: nobody meets the same opponent twice",
    ),
    Fault(
        "the-second-game-goes-to-anyone",
        "harness/schedule/dealer.py",
        "self._second.setdefault(slot, deque()).extend(pair[1:])",
        "self.again(*pair[1:])",
        "tests/harness/schedule/test_dealer.py::test_the_dealer_gives_both_games_of_a_pair_to_one_slot",
        "the dealer: a pair is torn between two slots",
    ),
    # The game.
    Fault(
        "a-clock-grows",
        "harness/game/game.py",
        "self.left - seconds if seconds > 0.0 else self.left",
        "self.left - seconds",
        "tests/harness/game/test_game.py::test_a_clock_gains_no_more_than_the_limit_grants",
        "clocks: a negative time is given to the engine",
    ),
    Fault(
        "a-move-may-come-before-its-turn",
        "harness/engines/xboard.py",
        "        self.process.sift(self._too_early)\n",
        "",
        FAULTY + "test_a_second_line_with_the_same_move_is_a_warning[xboard]",
        "moves: a second line with the same move loses the game",
    ),
    Fault(
        "no-margin",
        "harness/game/game.py",
        "if clock.clocked and spent > clock.left + margin:",
        "if clock.clocked and spent > clock.left:",
        FAULTY + "test_a_move_within_the_margin_stands[xboard]",
        "clocks: the margin is not granted",
    ),
    Fault(
        "the-innocent-loses",
        "harness/game/game.py",
        'return _Verdict(("0-1", "1-0")[seat], reason, detail, seat)',
        'return _Verdict(("1-0", "0-1")[seat], reason, detail, seat)',
        FAULTY + "test_f4_illegal_move_loses_with_position_and_move[xboard]",
        "faults: the opponent of the one at fault loses",
    ),
    # Resuming.
    Fault(
        "a-game-counts-for-whoever-has-its-number",
        "harness/schedule/rounds.py",
        "elif game.belongs_to(job):",
        "elif True:",
        RESUME + "test_a_lost_game_that_ends_otherwise_this_time_takes_the_rounds_after_it_along[swiss]",
        "rounds: results go to other players",
    ),
    Fault(
        "what-was-given-up-is-forgotten",
        "harness/run/session.py",
        "        if jobs:\n            self._give_up()",
        "        if jobs:\n            pass",
        RESUME + "test_an_engine_that_starts_again_after_a_stop_changes_no_round_that_was_played",
        "rounds: games that were given up are played after all, and the rounds after them change",
    ),
    Fault(
        "no-test-on-resume",
        "harness/run/session.py",
        "self._test(pairing)  # a process",
        "pass  # a process",
        RESUME + "test_a_verdict_that_was_not_written_down_is_found_again",
        "SPRT: a verdict that was not kept is lost",
    ),
    Fault(
        "rounding-doubles-its-errors",
        "harness/training/rounding.py",
        "left[i + 1 :] -= np.outer(",
        "left[i + 1 :] += np.outer(",
        "tests/harness/training/test_rounding.py::test_an_error_is_made_up_for_by_the_next_weight",
        "training: the weights still to be rounded add to an error instead of making up for it",
    ),
    Fault(
        "down-counts-as-up",
        "harness/schedule/spsa.py",
        "self.pentanomials[index][2 + result * coin] += 1",
        "self.pentanomials[index][2 + result] += 1",
        "tests/harness/analysis/test_tuned.py::test_what_moving_a_parameter_up_is_worth",
        "tuning: a parameter's worth is told without regard to which side had it moved up",
    ),
    Fault(
        "same-games-twice",
        "harness/claims/repeats.py",
        "tuple(row.line.split())) not in known",
        "tuple(row.line.split())) is not known",
        "tests/harness/claims/test_record.py::test_at_fixed_nodes_only_games_from_other_openings_are_added",
        "claims: a further run's games from openings played before count again",
    ),
)
