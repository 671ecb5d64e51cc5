"""Hierarchies made from values: every path is right, and what cannot be made is refused."""

import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import HierarchyUnmakeable
from privet.protect.anonymize.hierarchies import (
    by_frequency,
    calendar,
    categories,
    intervals,
    optimal_intervals,
    prefixes,
    quantiles,
    suggest,
)


def test_intervals_of_growing_width():
    made = intervals("age", [3, 7, 12, None], (5, 10))
    assert made.paths() == [
        ("3", "[0, 5[", "[0, 10[", "*"),
        ("7", "[5, 10[", "[0, 10[", "*"),
        ("12", "[10, 15[", "[10, 20[", "*"),
        ("", "", "", "*"),
    ]
    assert intervals("x", ["0.3"], ("0.1",)).paths()[0][1] == "[0.3, 0.4["
    assert intervals("x", [-1], (5,)).paths()[0][1] == "[-5, 0["


@pytest.mark.parametrize("widths", [(), (0,), (5, 12), (10, 5)])
def test_widths_that_do_not_nest_are_refused(widths):
    with pytest.raises(HierarchyUnmakeable):
        intervals("age", [1, 2], widths)


def test_values_of_the_wrong_kind_are_named_by_place():
    with pytest.raises(HierarchyUnmakeable, match="number 2, 3") as refusal:
        intervals("age", ["1", "secret", "also"], (5,))
    assert "secret" not in str(refusal.value)
    with pytest.raises(HierarchyUnmakeable, match="a date"):
        calendar("born", ["2020-01-01", "soon"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 500), min_size=16, max_size=80, unique=True))
def test_quantiles_hold_about_the_same_number_of_rows(values):
    made = quantiles("x", values, parts=(8, 4))
    sizes = np.bincount(made.levels[:, 1])
    assert sizes.max() - sizes.min() <= 1 + len(values) % 8
    assert [len(labels) for labels in made.labels[1:]] == [8, 4, 1]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 60), min_size=10, max_size=40), st.integers(2, 5))
def test_optimal_intervals_are_narrowest(rows, least):
    values, counts = np.unique(rows, return_counts=True)
    made = optimal_intervals("x", values.tolist(), counts.tolist(), least=least, levels=1)
    groups = made.levels[:, 1] if made.height > 1 else made.levels[:, 0]
    cost = 0
    for group in set(groups.tolist()):
        inside = groups == group
        assert counts[inside].sum() >= least
        cost += (values[inside].max() - values[inside].min()) * counts[inside].sum()
    assert cost == pytest.approx(cheapest(values, counts, least), abs=1e-6)


def cheapest(values, counts, least):
    best = {0: 0.0}
    for end in range(1, len(values) + 1):
        for begin in range(end):
            if begin in best and counts[begin:end].sum() >= least:
                cost = best[begin] + (values[end - 1] - values[begin]) * counts[begin:end].sum()
                best[end] = min(best.get(end, np.inf), cost)
    return best[len(values)]


def test_prefixes_hide_the_end():
    assert prefixes("zip", ["02139", "02142"], keep=(4, 3)).paths() == [
        ("02139", "0213*", "021**", "*"),
        ("02142", "0214*", "021**", "*"),
    ]
    with pytest.raises(HierarchyUnmakeable):
        prefixes("zip", ["02139"], keep=(3, 4))


def test_a_calendar_from_day_to_decade():
    made = calendar("born", [datetime.date(1987, 5, 3), datetime.date(1991, 12, 24), None])
    assert made.paths()[0] == ("1987-05-03", "1987-05", "1987-Q2", "1987", "1980s", "*")
    assert made.paths()[2] == ("", "", "", "", "", "*")
    timed = calendar("seen", [datetime.datetime(2020, 1, 2, 3, 4)])  # noqa: DTZ001
    assert timed.paths()[0][1] == "2020-01-02"


def test_category_trees():
    made = categories("pet", ["cat", "carp"], {"cat": "mammal", "carp": "fish"}, {"mammal": "m", "fish": "f"})
    assert made.paths()[0] == ("cat", "mammal", "m", "*")
    with pytest.raises(HierarchyUnmakeable, match="1 values"):
        categories("pet", ["cat", "dog"], {"cat": "mammal"})
    rare = by_frequency("pet", ["cat", "emu", "dog"], [90, 2, 8], shares=(0.05, 0.1))
    assert rare.paths() == [
        ("cat", "cat", "cat", "*"),
        ("emu", "other", "other", "*"),
        ("dog", "dog", "other", "*"),
    ]


@pytest.mark.parametrize(
    ("values", "label"),
    [
        ([datetime.date(2020, 1, day) for day in range(1, 9)], "2020-01"),
        (["02139", "10001"], "0213*"),
        ([17, 39, 90], "[15, 20["),
        (["red", "blue"], "red"),
        ([5, 5.5], "[5, 6["),
    ],
)
def test_suggestions_follow_the_look_of_values(values, label):
    assert suggest("x", values, [10] * len(values)).labels[1][0] == label
