"""Special uniques: published toys, adult, and search by brute force."""

import numpy as np
import pytest
from hypothesis import given
from tests.disclosure.adult import adult
from tests.disclosure.tables import class_of, coded, in_order, minimal_uniques, rows, subsets

from privet.disclosure import Codes
from privet.disclosure import _column_set_lattice as lattice
from privet.disclosure._column_set_lattice import walk
from privet.disclosure._suda import suda
from privet.errors import BadCodes

BOOK = [
    (0, 0, 0, 0),
    (0, 0, 0, 0),
    (0, 0, 1, 0),
    (0, 0, 1, 0),
    (0, 1, 1, 1),
    (0, 1, 1, 0),
    (0, 1, 1, 2),
    (1, 0, 1, 1),
]
GUIDELINE = [
    (0, 0, 0, 0),
    (0, 0, 0, 0),
    (0, 0, 1, 1),
    (0, 1, 2, 0),
    (1, 0, 2, 2),
    (0, 1, 2, 0),
    (0, 0, 3, 1),
    (0, 1, 4, 2),
    (0, 0, 0, 1),
    (0, 0, 0, 1),
]


@pytest.mark.parametrize(
    ("lines", "scores"),
    [(BOOK, [0, 0, 0, 0, 4, 2, 6, 8]), (GUIDELINE, [0, 0, 6, 0, 12, 0, 6, 10, 0, 0])],
)
def test_the_published_toys_have_their_scores(lines, scores):
    codes = coded(lines)
    found = suda(walk(codes))
    assert found.exact
    assert in_order(codes, found.scores, lines) == scores


def test_the_published_toy_has_its_contributions():
    found = suda(walk(coded([(2, 0, 0), (1, 3, 6), (1, 0, 0)])))
    assert found.contributions() == pytest.approx({"a": 0.5, "b": 0.375, "c": 0.375})


@pytest.mark.real_data(twin="test_minimal_uniques_are_those_of_brute_force")
def test_adult_has_the_published_minimal_uniques():
    found = suda(walk(adult()))
    assert found.exact
    assert found.by_size == (2, 1_204, 14_890, 26_029, 15_983, 4_172, 498, 31, 0)
    assert found.scores.sum() == 20_402_731
    assert found.scores.max() == 40_326
    assert sum(each.rows for each in found.sets) == 62_809


@given(rows(width=4, most=12))
def test_minimal_uniques_are_those_of_brute_force(lines):
    codes = coded(lines)
    found, expected = suda(walk(codes)), minimal_uniques(lines)
    for size in range(1, 5):
        numbers = in_order(codes, found.number[size - 1], lines)
        assert numbers == [sum(len(at) == size for at in each) for each in expected]
    assert in_order(codes, found.smallest, lines) == [min(map(len, each), default=0) for each in expected]
    sets = {each.columns: each.rows for each in found.sets}
    names = codes.columns
    assert sets == {
        tuple(names[j] for j in at): number
        for at in subsets(4)
        if (number := sum(at in each for each in expected))
    }


@given(rows(width=4, most=12))
def test_every_set_is_counted_as_by_brute_force(lines):
    found = walk(coded(lines))
    for each in found.sets():
        sizes = class_of(lines, each.at)
        assert each.uniques == sizes.count(1)
        assert each.classes == pytest.approx(sum(1 / size for size in sizes))
        assert each.agreeing == sum(size - 1 for size in sizes)


@given(rows(width=4, most=12))
def test_sets_beyond_the_walk_are_counted_alike(lines):
    whole, short = walk(coded(lines)), walk(coded(lines), largest=2)
    assert (short.searched, len(short.levels)) == (2, 2)
    for level in whole.levels[2:]:
        for each in level:
            beyond = short.beyond(each.at)
            assert (beyond.classes, beyond.uniques, beyond.agreeing) == (
                each.classes,
                each.uniques,
                each.agreeing,
            )


def test_a_limit_caps_the_size_and_says_so():
    rng = np.random.default_rng(3)
    codes = Codes.from_rows("abcdef", rng.integers(0, 4, (400, 6)))
    whole, capped = walk(codes), walk(codes, limit=25 * len(codes))
    assert whole.searched == 6
    assert (capped.searched, capped.complete) == (2, False)
    assert not suda(capped).exact
    assert (capped.number == whole.number[:2]).all()
    # Scores count only what was looked at: the weight of a size is that of SUDA2 with M = 2.
    assert [suda(capped).weight(size) for size in (1, 2, 3)] == [20, 4, 0]


def test_pruned_rows_do_not_count_towards_the_limit():
    """All rows are unique on the first column, so that larger sets cost next to nothing."""
    rng = np.random.default_rng(3)
    lines = np.column_stack([np.arange(500), rng.integers(0, 5, (500, 7))])
    found = walk(Codes.from_rows("abcdefgh", lines), limit=10**9)
    assert found.levels[0][0].uniques == 500
    only_open = sum(500 for level in found.levels for each in level if each.at[0] != 0)
    capped = walk(Codes.from_rows("abcdefgh", lines), limit=only_open + 9 * 500 + 256 * 8)
    assert capped.searched == 8


def test_very_many_columns_are_capped(monkeypatch):
    monkeypatch.setattr(lattice, "MOST_SETS", 100)
    found = walk(Codes.from_rows([f"c{j}" for j in range(30)], np.eye(30, dtype=int)))
    assert found.searched == 1
    assert found.levels[0][0].uniques == 1


def test_dis_scores_average_to_the_chance_of_a_correct_match():
    """Where all scores are equal, each is U f / (U f + P (1 - f))."""
    lines = [(0, 0), (0, 0), (1, 1), (1, 1), (2, 2), (3, 3)]
    found = suda(walk(coded(lines)))
    assert (found.uniques, found.pairs) == (2, 2)
    expected = 2 * 0.1 / (2 * 0.1 + 2 * 0.9)
    assert sorted(found.dis_scores(0.1)) == pytest.approx([0, 0, expected, expected])
    assert suda(walk(coded([(0,), (0,)]))).dis_scores().tolist() == pytest.approx([0])
    with pytest.raises(BadCodes):
        found.dis_scores(0)


def test_dis_scores_follow_their_formula():
    found = suda(walk(coded(BOOK)))
    scores = found.scores
    uniques, pairs, power = 4, 2, 1 + (8 - 4) / 20
    overall = uniques * 0.01 / (uniques * 0.01 + pairs * 0.99)
    level = sum(score**-power for score in (4, 2, 6, 8))
    expected = [
        1 / (1 + (uniques / overall - uniques) / (score**power * level)) if score else 0 for score in scores
    ]
    assert found.dis_scores() == pytest.approx(expected)


def test_an_empty_table_has_no_uniques():
    found = suda(walk(Codes.from_rows("ab", [])))
    assert found.by_size == (0, 0)
    assert len(found.scores) == 0
