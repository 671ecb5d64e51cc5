"""Three meanings of a missing value."""

import pytest
from hypothesis import given
from tests.disclosure.tables import coded, in_order, rows

from privet.disclosure import Codes
from privet.disclosure import _missing_values as module
from privet.disclosure._missing_values import sizes_of_each
from privet.errors import BadCodes, DisclosureTooLarge

GAP = 3
TOY = [[2], [1], [GAP], [2], [0], [GAP], [0], [2]]


def test_the_published_toy_counts_gaps_as_wildcards():
    codes = Codes.from_rows("a", TOY, missing=[GAP])
    assert in_order(codes, sizes_of_each(codes, missing="wildcard"), TOY) == [5, 3, 8, 5, 4, 8, 4, 5]
    assert in_order(codes, sizes_of_each(codes), TOY) == [3, 1, 2, 3, 2, 2, 2, 3]
    assert in_order(codes, sizes_of_each(codes, missing="ignored"), TOY) == [3, 1, 0, 3, 2, 0, 2, 3]


@given(rows())
def test_each_meaning_is_that_of_comparing_all_pairs(lines):
    codes = coded(lines, missing=[GAP] * len(lines[0]))
    wild = [
        sum(all(GAP in (x, y) or x == y for x, y in zip(a, b, strict=True)) for b in lines) for a in lines
    ]
    ignored = [0 if GAP in a else sum(tuple(a) == tuple(b) for b in lines) for a in lines]
    own = [sum(tuple(a) == tuple(b) for b in lines) for a in lines]
    assert in_order(codes, sizes_of_each(codes, missing="wildcard"), lines) == wild
    assert in_order(codes, sizes_of_each(codes, missing="ignored"), lines) == ignored
    assert in_order(codes, sizes_of_each(codes, missing="own value"), lines) == own
    assert all(a >= b >= c for a, b, c in zip(wild, own, ignored, strict=True))


def test_without_gaps_all_meanings_agree():
    codes = Codes.from_rows("ab", [[0, 1], [0, 1], [1, 1]])
    assert len({tuple(sizes_of_each(codes, missing=each)) for each in module.SEMANTICS}) == 1


def test_an_unknown_meaning_is_refused():
    with pytest.raises(BadCodes):
        sizes_of_each(Codes.from_rows("a", [[0]]), missing="dropped")


def test_too_many_patterns_are_refused_rather_than_sampled(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_COMPARISON", 10)
    codes = Codes.from_rows("abc", [[0, 1, 2], [0, 0, 1], [1, 1, 0], [2, 2, 2]], missing=[0, 1, 2])
    with pytest.raises(DisclosureTooLarge) as refusal:
        sizes_of_each(codes, missing="wildcard")
    assert refusal.value.details["patterns"] > 2
