"""The dealer: which slot plays which game next, whatever happens to the slots."""

from __future__ import annotations

import random

import pytest

from harness.model import Job, Opening
from harness.schedule.dealer import Dealer


def job(number: int) -> Job:
    pair, leg = divmod(number - 1, 2)
    return Job(number, pair % 2, pair // 2 + 1, leg + 1, leg, 1 - leg, Opening("startpos"))


def test_the_dealer_gives_both_games_of_a_pair_to_one_slot() -> None:
    dealer = Dealer(map(job, range(1, 9)), {3}, lambda one: False)
    order = [(slot, dealer.next(slot)) for slot in (0, 1, 0, 1, 0, 1)]
    assert [(slot, one.id) for slot, one in order if one] == [(0, 1), (1, 4), (0, 2), (1, 5), (0, 7), (1, 6)]


def test_the_dealer_lets_an_idle_slot_take_over_at_the_end() -> None:
    dealer = Dealer(map(job, range(1, 3)), (), lambda one: False)
    first, second = dealer.next(0), dealer.next(1)
    assert first and second and (first.id, second.id) == (1, 2)
    assert dealer.next(0) is None and dealer.next(1) is None


def test_the_dealer_finishes_pairs_that_were_begun() -> None:
    stopped: set[int] = set()
    dealer = Dealer(map(job, range(1, 9)), (), lambda one: one.pairing in stopped)
    assert dealer.next(0) == job(1)
    stopped.add(0)
    assert dealer.next(0) == job(2)
    assert dealer.next(0) == job(3)
    dealer.again(job(3))
    assert dealer.next(1) == job(3)
    assert dealer.next(0) == job(4)
    assert dealer.next(0) == job(7)


def test_a_slot_stays_with_its_engines_for_a_while_and_nobody_waits_for_ever() -> None:
    dealer = Dealer(map(job, range(1, 41)), (), lambda one: False, window=4)
    dealt = [(slot, one) for _ in range(20) for slot in (0, 1) if (one := dealer.next(slot))]
    assert sorted(one.id for _, one in dealt) == list(range(1, 41))
    # Two pairings by turns in the schedule: each slot finds its own among the next four pairs.
    assert [{one.pairing for slot, one in dealt if slot == number} for number in (0, 1)] == [{0}, {1}]
    alone = Dealer(map(job, range(1, 41)), (), lambda one: False, window=4)
    pairs = [(one.pairing, one.pair) for _ in range(40) if (one := alone.next(0)) and one.leg == 1]
    late = max(
        pair - 1 - max((p for q, p in pairs[:place] if q != pairing), default=0)
        for place, (pairing, pair) in enumerate(pairs)
    )
    assert len(pairs) == 20 and late <= 8


def test_a_pair_in_the_window_that_is_no_longer_wanted_is_not_dealt() -> None:
    stopped: set[int] = set()
    dealer = Dealer(map(job, range(1, 17)), (), lambda one: one.pairing in stopped, window=8)
    assert dealer.next(0) == job(1) and dealer.next(0) == job(2)
    stopped.add(0)
    assert [one.id for _ in range(20) if (one := dealer.next(0))] == [3, 4, 7, 8, 11, 12, 15, 16]


@pytest.mark.parametrize("seed", range(40))
def test_the_dealer_has_every_game_played_once_whatever_happens_to_the_slots(seed: int) -> None:
    """The loop of a run, with slots that end games, die in them or fail to start an engine, in any order."""
    rng = random.Random(seed)
    games, slots = 2 * rng.randrange(1, 15), rng.randrange(1, 6)
    done = {number for number in range(1, games + 1) if rng.random() < 0.2}
    dealer = Dealer(map(job, range(1, games + 1)), frozenset(done), lambda one: False, rng.randrange(1, 5))
    playing: dict[int, Job] = {}
    played: list[int] = []
    while True:
        for slot in range(slots):
            if slot not in playing and (found := dealer.next(slot)) is not None:
                playing[slot] = found
        if not playing:
            break
        slot = rng.choice(sorted(playing))
        ended = playing.pop(slot)
        if rng.random() < 0.4:
            dealer.again(ended)
            continue
        played.append(ended.id)
        if rng.random() < 0.5 and (found := dealer.next(slot)) is not None:
            playing[slot] = found
    assert sorted([*played, *done]) == list(range(1, games + 1))
