"""What no search can do is said before any begins."""

import numpy as np
import pytest
from tests.protect.anonymize.search.illnesses import coded, ladders_of

from privet.errors import BadSearch, ModelUnfit, Unreachable
from privet.guarantee import DeltaPresence, KMap, RiskThreshold
from privet.guarantee._promise_registry import (
    KAnonymity,
    LDiversity,
)
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import HOW, refuse_unfit, search

# --- refusals ----------------------------------------------------------------------------------


def test_impossible_requests_are_refused_at_once():
    codes = coded([(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 0, 0)])
    with pytest.raises(Unreachable, match="5 rows cannot be made from 3"):
        search(codes, ladders_of(), KAnonymity(5))
    with pytest.raises(Unreachable, match="2 different values, and 3"):
        search(codes, ladders_of(), KAnonymity(2) & LDiversity("ill", 3))
    flat = [Hierarchy.from_paths(name, [(c,) for c in v]).ladder(v) for name, v in (("letter", "abcd"),)]
    with pytest.raises(Unreachable, match="leave out 3 rows"):
        search(codes, flat, KAnonymity(2), max_suppressed="0.5")


FITS = [(KAnonymity(2), how, missing) for how in HOW for missing in ("own value", "ignored")] + [
    (KAnonymity(2), "optimal", "wildcard"),
    (RiskThreshold(highest="0.5"), "anytime", "wildcard"),
    (KMap(5, "poisson", sampling_fraction="0.1", significance="0.1"), "optimal", "wildcard"),
    (DeltaPresence(0, "0.5"), "optimal", "own value"),
    (KMap(5), "local", "own value"),
]


UNFIT = {
    "no such way": (KAnonymity(2), "fast", "own value"),
    "not a meaning": (KAnonymity(2), "optimal", "zero"),
    "delta-presence has no meaning": (DeltaPresence(0, "0.5"), "mondrian", "own value"),
    "classes overlap": (KAnonymity(2), "local", "wildcard"),
    "classes overlap,": (KAnonymity(2) & LDiversity("ill", 2), "optimal", "wildcard"),
    "classes overlap, and": (RiskThreshold(highest="0.5", average="0.2"), "optimal", "wildcard"),
    "who miss a value": (KMap(5), "optimal", "ignored"),
}


@pytest.mark.parametrize(("promise", "how", "missing"), FITS)
def test_what_has_a_meaning_is_let_through(promise, how, missing):
    refuse_unfit(promise, how, missing, population=True)


@pytest.mark.parametrize("words", UNFIT)
def test_what_has_none_is_refused(words):
    promise, how, missing = UNFIT[words]
    with pytest.raises((BadSearch, ModelUnfit), match=words) as refused:
        refuse_unfit(promise, how, missing, population=True)
    assert refused.value.hint


@pytest.mark.parametrize("promise", [KMap(5), DeltaPresence(0, "0.5"), KAnonymity(2) & KMap(3)])
def test_a_comparison_needs_a_population(promise):
    with pytest.raises(ModelUnfit, match="none is given"):
        refuse_unfit(promise, "optimal", "own value", population=False)
    estimated = KMap(5, "poisson", sampling_fraction="0.1", significance="0.1")
    refuse_unfit(estimated, "optimal", "own value", population=False)


def test_a_table_that_may_be_left_out_whole_is_not_refused():
    codes = coded([(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 0, 0)])
    assert search(codes, ladders_of(), KAnonymity(5), max_suppressed=1).suppressed_rows == 3
    with pytest.raises(Unreachable, match="no rows"):
        search(coded(np.zeros((0, 4), np.int32)), ladders_of(), KAnonymity(2))
