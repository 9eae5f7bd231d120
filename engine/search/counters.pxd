"""Counters: what a search did, for '# stats {json}'. Every technique that is on leaves a trace here."""

from engine.types cimport *
from engine.ordering.picker cimport PickerCounters
from engine.variant.features cimport STAGES

ctypedef struct Counters:
    PickerCounters picker
    U64 cut_index[16]          # place of the cutting move; the last slot holds 15 and later
    U64 cut_stage[16]
    U64 history_credits[5]     # by form of history
    # Plain numbers, in the order of NAMES in counters.py.
    U64 main_nodes
    U64 q_nodes
    U64 searched               # moves made
    U64 cutoffs
    U64 first_move_cutoffs
    U64 pv_moves               # moves of the last iteration's line tried first
    U64 table_probes
    U64 table_hits
    U64 table_cutoffs
    U64 pvs_researches
    U64 aspiration_fails
    U64 null_tried
    U64 null_cutoffs
    U64 null_verified
    U64 threats
    U64 lmr_reduced
    U64 lmr_researches
    U64 check_extensions
    U64 q_checks
    U64 q_evasions
    U64 delta_pruned
    U64 fractional_moves
    U64 mate_distance_cutoffs
    U64 iid_searches
    U64 iir_reductions
    U64 improving_nodes
    U64 corrections
    U64 razored
    U64 static_null_cutoffs
    U64 futility_pruned
    U64 late_pruned
    U64 see_pruned
    U64 probcut_cutoffs
    U64 singular_extensions
    U64 alpha_raise_credits
    U64 cont_credits
    U64 capture_credits
    U64 killer_credits
    U64 counter_credits
    U64 combo_credits
    U64 pawn_credits
    U64 fail_low_credits
    U64 table_credits
    U64 reduced_credits
    U64 record_pruned
    U64 double_extensions
    U64 multicuts
    U64 searched_deeper
    U64 searched_shallower
    U64 upcoming_draws
    U64 fifty_damped
    U64 optimistic
    U64 older_continuations
    U64 tablebase_hits
    U64 hindsights
    U64 exchange_deltas

cdef void add_counters(Counters* total, const Counters* more) noexcept nogil
cdef dict counted(const Counters* counters)
