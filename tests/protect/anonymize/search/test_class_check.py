"""Which classes of a node must be suppressed, judged by hand."""

import numpy as np
import pytest
from tests.protect.anonymize.search.letters import coded, ladders

from privet.guarantee import AlphaK, DeltaPresence, KAnonymity, KMap, LDiversity, RiskThreshold
from privet.protect.anonymize._promise_rules import TableShares, rules_of, sensitive_columns
from privet.protect.anonymize.search._class_check import _threshold, judge
from privet.protect.anonymize.search._distinct_tuples import Tuples

# Classes at the bottom: (a, 1) five rows of two illnesses, (b, 1) three rows of one, (c, 2) one row.
ROWS = [(0, 0, 0)] * 3 + [(0, 0, 1)] * 2 + [(1, 0, 0)] * 3 + [(2, 1, 2)]


def verdict(promise, levels=(0, 0), population=None):
    codes = coded(ROWS)
    shares = np.bincount(codes.codes[:, 2], weights=codes.counts, minlength=3) / codes.rows
    rules = rules_of(promise, TableShares({"ill": shares}))
    tuples = Tuples(codes, ladders(), sensitive_columns(promise), population)
    classes = tuples.classes(levels)
    found = judge(tuples, classes, rules)
    return None if found is None else (found.suppressed.tolist(), found.least.tolist())


@pytest.mark.parametrize(
    ("promise", "suppressed", "least"),
    [
        (KAnonymity(3), [0, 0, 1], [0, 0, 1]),
        (KAnonymity(4), [0, 1, 1], [0, 3, 1]),
        (LDiversity("ill", 2), [0, 1, 1], [0, 3, 1]),
        (KAnonymity(2) & LDiversity("ill", 2), [0, 1, 1], [0, 3, 1]),
        (AlphaK("ill", "0.6", 2), [0, 1, 1], None),
        (AlphaK("ill", "0.5", 2), [1, 1, 1], None),
    ],
)
def test_classes_that_break_a_rule_are_suppressed(promise, suppressed, least):
    found = verdict(promise)
    assert found[0] == [bool(one) for one in suppressed]
    if least is not None:
        assert found[1] == least, "no refinement of them can publish more"


def test_every_refinement_suppresses_at_most_what_the_class_holds():
    for promise in (LDiversity("ill", 2), AlphaK("ill", "0.6", 2), LDiversity("ill", 3, "entropy")):
        for levels in ((0, 0), (1, 1), (2, 2)):
            suppressed, least = verdict(promise, levels)
            assert len(suppressed) == len(least)
            assert min(least) >= 0
            assert sum(least) <= len(ROWS)
    assert verdict(KAnonymity(9), (2, 2)) == ([False], [0])
    assert verdict(KAnonymity(10), (2, 2)) == ([True], [9])


@pytest.mark.parametrize(
    ("average", "least"), [("0.25", 1), ("0.2", 2), ("0.16", 3), ("0.1", 10), ("0.05", 11)]
)
def test_rules_on_the_whole_table_suppress_the_smallest_classes(average, least):
    """Sizes 1, 2, 3 and 10: means of 4/16, 3/15, 2/13 and 1/10, as the small ones go."""
    rules = rules_of(RiskThreshold(average=average), TableShares({}))
    assert _threshold(np.array([10, 2, 1, 3]), rules) == least
    assert _threshold(np.array([], np.int64), rules) == 0


def test_people_outside_of_the_table_decide_about_presence_only_where_it_has_a_floor():
    everybody = coded(ROWS * 2 + [(3, 2, 0)]).only(["letter", "digit"])
    assert verdict(DeltaPresence(0, "0.5"), population=everybody)[0] == [False] * 4
    assert verdict(DeltaPresence("0.1", "0.5"), population=everybody) is None, "suppression cannot help"
    assert verdict(DeltaPresence("0.1", "0.5"), (2, 2), everybody)[0] == [False]
    suppressed, _ = verdict(KMap(6), population=everybody)
    assert suppressed == [False, False, True, False], "ten, six and two people; the last class has no rows"
