"""Rules on classes: at the limit they hold, beyond it they do not, and no refinement suppresses less than they say."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.disclosure import cells_of
from privet.disclosure import diversity_measures as diversity
from privet.guarantee import KAnonymity
from privet.protect.anonymize._privacy_rules import (
    AtLeast,
    DistinctAtLeast,
    Group,
    MeasuredRule,
    PeopleAtLeast,
    Presence,
    Recursive,
    Rules,
    TableRule,
    _over_caps,
)

SHARES = np.array([0.5, 0.3, 0.2])


def group(*classes, people=None, shares=SHARES):
    """Classes by how often each value occurs in them."""
    cells = [(at, value, n) for at, counts in enumerate(classes) for value, n in enumerate(counts) if n]
    where, values, counts = (np.array(each, np.int64) for each in zip(*cells, strict=True))
    sizes = np.array([sum(counts) for counts in classes], np.int64)
    known = None if people is None else np.array(people, np.int64)
    return Group(sizes, known, {"s": cells_of(where, values, counts, shares)})


def verdict(rule, found):
    kept = rule.kept(found)
    return kept.tolist(), rule.least(found, kept).tolist()


def test_what_asks_for_enough_loses_every_row_where_there_is_less():
    found = group((2, 0, 0), (1, 1, 1), (4, 0, 0), people=[3, 2, 4])
    assert verdict(AtLeast(3), found) == ([False, True, True], [2, 0, 0])
    assert verdict(PeopleAtLeast(3), found) == ([True, False, True], [0, 3, 0])
    assert verdict(DistinctAtLeast("s", 3), found) == ([False, True, False], [2, 0, 4])


def measured(limit, **how):
    return MeasuredRule("s", diversity.t_equal, limit, **how)


def test_a_class_exactly_at_a_limit_keeps_it_unless_it_must_stay_below():
    found = group((5, 3, 2), (8, 1, 1), (7, 2, 1))  # distances 0, 0.3 and 0.2
    assert measured(0.2).kept(found).tolist() == [True, False, True]
    assert measured(0.2, strict=True).kept(found).tolist() == [True, False, False]
    assert measured(0.199).kept(found).tolist() == [True, False, False]


def test_only_convex_rules_need_a_row_gone_from_a_bad_class():
    found = group((5, 3, 2), (8, 1, 1))
    assert verdict(measured(0.2), found)[1] == [0, 1]
    assert verdict(measured(0.2, convex=False), found)[1] == [0, 0]
    assert verdict(measured(0.2, caps=SHARES, share=0.8), found)[1][1] >= 1


def test_caps_of_groups_of_values_look_at_sums():
    found = group((4, 4, 1))
    merged = np.array([0, 0, 1])
    rule = MeasuredRule("s", lambda cells: np.ones(len(cells)), 0.5, caps=np.array([0.5, 0.5]), merged=merged)
    # One row of the second group stays beside one of the first at most; bisection may find one fewer than the seven.
    assert rule.least(found, np.array([False]))[0] in (6, 7)


def most_that_stay(counts, caps, share):
    """By trying: the largest number of rows with room for enough of them."""
    best = 0
    for kept in itertools.product(*(range(n + 1) for n in counts)):
        rows = sum(kept)
        if rows and sum(min(n, cap * rows) for n, cap in zip(kept, caps, strict=True)) >= share * rows - 1e-9:
            best = max(best, rows)
    return best


@settings(max_examples=60)
@given(
    st.tuples(*[st.integers(0, 5)] * 3).filter(any),
    st.tuples(*[st.sampled_from([0.0, 0.2, 0.34, 0.5, 1.0])] * 3),
    st.sampled_from([0.6, 0.8, 1.0]),
)
def test_no_refinement_suppresses_less_than_caps_say(counts, caps, share):
    found = group(counts).cells["s"]
    least = int(_over_caps(found, np.array(caps), share)[0])
    assert 0 <= least <= sum(counts) - most_that_stay(counts, caps, share)


def test_caps_that_leave_room_ask_for_nothing_and_tight_ones_for_the_most_they_can():
    counts = group((9, 1, 0)).cells["s"]
    assert _over_caps(counts, np.array([0.9, 0.9, 0.9]), 1.0).tolist() == [0]
    assert _over_caps(counts, np.array([0.5, 0.5, 0.5]), 1.0)[0] in (7, 8)


@settings(max_examples=60)
@given(st.tuples(*[st.integers(0, 5)] * 3).filter(any), st.sampled_from([0.5, 1.0, 2.0]), st.integers(2, 3))
def test_no_refinement_suppresses_less_than_a_recursive_rule_says(counts, c, l):  # noqa: E741
    rule = Recursive("s", c, l)

    def good(kept):
        return bool(rule.kept(group(kept))[0])

    _, (least,) = verdict(rule, group(counts))
    if good(counts):
        assert least == 0
        return
    gone = [
        sum(counts) - sum(kept)
        for kept in itertools.product(*(range(n + 1) for n in counts))
        if any(kept) and good(kept)
    ]
    assert 1 <= least <= min(gone, default=sum(counts))


def test_the_share_of_the_population_lies_between_both_bounds():
    found = group((2, 0, 0), (5, 0, 0), (8, 0, 0), (1, 0, 0), people=[10, 10, 10, 0])
    assert verdict(Presence(0.3, 0.5), found) == ([False, True, False, False], [1, 0, 3, 1])
    assert Presence(0.2, 0.8).kept(found).tolist() == [True, True, True, False]


def test_rules_together():
    table = TableRule(lambda sizes: bool(sizes.min() > 1), 2)
    rules = Rules(
        KAnonymity(3), (AtLeast(3), DistinctAtLeast("s", 2)), (table,), ("s",), needs_population=False
    )
    assert rules.convex
    assert rules.least_rows == 3
    assert not rules.only_sizes
    more = rules.with_rows(5)
    assert (more.least_rows, more.table, more.classes[1:]) == (5, (), rules.classes[1:])
    assert rules.with_rows(1).least_rows == 1
    assert Rules(KAnonymity(3), (AtLeast(3),), (), (), needs_population=False).only_sizes
    loose = Rules(KAnonymity(3), (measured(0.2, convex=False),), (), ("s",), needs_population=False)
    assert not loose.convex
