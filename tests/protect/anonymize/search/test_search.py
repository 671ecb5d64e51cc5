"""One door to every search: wrong settings are refused."""

from fractions import Fraction

import numpy as np
import pytest
from tests.protect.anonymize.search.illnesses import coded, ladders_of

from privet.errors import BadSearch, ModelUnfit
from privet.guarantee._promise_registry import (
    KAnonymity,
    LDiversity,
    TCloseness,
)
from privet.protect.anonymize.search import search
from privet.protect.anonymize.search._search import _limit


def test_wrong_settings_are_refused():
    codes = coded([(0, 0, 0, 0), (1, 1, 1, 1)])
    for wrong in ({"how": "best"}, {"metric": "beauty"}, {"max_suppressed": 2}, {"weights": {"ill": 2}}):
        with pytest.raises(BadSearch):
            search(codes, ladders_of(), KAnonymity(2), **wrong)
    with pytest.raises(BadSearch):
        search(codes, [], KAnonymity(2))
    with pytest.raises(ModelUnfit):
        search(codes, ladders_of(), KAnonymity(2) & LDiversity("letter", 2))
    with pytest.raises(ModelUnfit):
        search(codes, ladders_of(), KAnonymity(2) & TCloseness("ill", "0.2", "hierarchical"))


def test_the_limit_is_exact_and_rounds_down():
    assert _limit("0.3", 10) == 3
    assert _limit(Fraction(1, 3), 3) == 1
    assert _limit("0.29", 100) == 29
    assert _limit("0.999", 10) == 9
    assert (_limit(0, 10), _limit(1, 10)) == (0, 10)
    for wrong in ("-0.1", "1.0001"):
        with pytest.raises(BadSearch, match="between 0 and 1"):
            _limit(wrong, 10)


def test_weights_shift_what_is_given_up():
    """Twelve rows, each letter with each digit: one of the two columns has to go."""
    rows = [(a, b, 0, 0) for a in range(4) for b in range(3)]
    first = search(coded(rows), ladders_of(), KAnonymity(3), weights={"letter": 10})
    other = search(coded(rows), ladders_of(), KAnonymity(3), weights={"digit": 10, "letter": 0.1})
    assert first.levels[0] == 0
    assert other.levels[1] == 0


@pytest.mark.parametrize("how", ["optimal", "anytime", "local", "mondrian"])
def test_every_way_keeps_the_promise(how):
    rows = [(at % 4, at % 3, at % 2, at % 3) for at in range(30)]
    found = search(coded(rows), ladders_of(), KAnonymity(4), how=how)
    sizes = np.bincount(found.labels, weights=found.counts)
    assert sizes[sizes > 0].min() >= 4
    assert found.counts.sum() == 30
