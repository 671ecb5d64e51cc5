"""Bounds on what one unit adds, against every unit that the bounds allow: never too small, and nowhere larger than needed."""

import itertools

import pytest

from privet.engine._contribution_bounds import Contribution
from privet.errors import BadAggregate, BadUnit, PrivetError
from privet.guarantee._privacy_units import Change, Person, Row
from privet.sealed import Sensitivity

CHANGES = list(Change)


def person(change, **caps):
    return Person("id", change=change, **caps)


def rows_of(bound, known):
    """Every way in which one unit can have rows in the known groups."""
    for rows in itertools.product(range(bound.most_rows + 1), repeat=known):
        if sum(count > 0 for count in rows) > bound.groups:
            continue
        if bound.total_rows is None or sum(rows) <= bound.total_rows:
            yield rows


def moved(vectors, change):
    """Entries, the largest and all together by which one unit can move the answer."""
    ways = list(dict.fromkeys(vectors))
    nothing = tuple([0] * len(ways[0]))
    pairs = itertools.product(ways, ways if change is Change.REPLACE else [nothing])
    found = [[abs(a - b) for a, b in zip(*pair, strict=True)] for pair in pairs]
    return (
        max(sum(step > 0 for step in steps) for steps in found),
        max(max(steps) for steps in found),
        max(sum(steps) for steps in found),
    )


BOUNDS = [
    {"groups": 1, "rows": 1},
    {"groups": 1, "rows": 3},
    {"groups": 2, "rows": 2},
    {"groups": 3, "rows": 1},
    {"groups": 2, "total_rows": 2},
    {"groups": 3, "total_rows": 3},
    {"groups": 2, "total_rows": 3},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("caps", BOUNDS, ids=str)
@pytest.mark.parametrize("known", [1, 2, 3, 5])
def test_rows_and_people(caps, change, known):
    bound = Contribution(person(change), **caps)
    ways = list(rows_of(bound, known))
    given = bound.rows_sensitivity(known)
    assert (given.coordinates, given.largest, given.total) == moved(ways, change)
    present = bound.persons_sensitivity(known)
    once = [tuple(min(1, count) for count in way) for way in ways]
    assert (present.coordinates, present.largest, present.total) == moved(once, change)


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("caps", BOUNDS, ids=str)
@pytest.mark.parametrize("known", [1, 2, 3])
def test_sums_of_steps_up_and_down(caps, change, known):
    """A row may add anything from -2 to 2 steps; the ends are what counts."""
    bound = Contribution(person(change), **caps)
    signs = list(itertools.product((-2, 2), repeat=known))
    ways = [
        tuple(count * sign for count, sign in zip(rows, turn, strict=True))
        for rows in rows_of(bound, known)
        for turn in signs
    ]
    given = bound.sum_sensitivity(known, 2)
    real = moved(ways, change)
    assert given.largest == real[1]
    assert given.coordinates == real[0]
    assert given.total >= real[2]
    assert given.total == min(real[2], given.total) or change is Change.REPLACE


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("caps", BOUNDS, ids=str)
@pytest.mark.parametrize("known", [1, 2, 3])
def test_distances_from_both_bounds(caps, change, known):
    """Beside each sum of distances from the lower bound stands the one from the upper bound: a row adds 2 to both."""
    bound = Contribution(person(change), **caps)
    ways = [
        tuple(
            part for count, low in zip(rows, turn, strict=True) for part in (count * low, count * (2 - low))
        )
        for rows in rows_of(bound, known)
        for turn in itertools.product((0, 1, 2), repeat=known)
    ]
    given, real = bound.distances_sensitivity(known, 2), moved(ways, change)
    assert (given.largest, given.block) == (real[1], 2)
    assert (given.coordinates >= real[0], given.total) == (True, real[2])
    assert given.coordinates == 2 * bound.persons_sensitivity(known).coordinates


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("caps", BOUNDS[:6], ids=str)
@pytest.mark.parametrize("bins", [1, 2])
@pytest.mark.parametrize("known", [1, 2])
def test_rows_in_bins(caps, change, bins, known):
    bound = Contribution(person(change), **caps)
    ways = [
        tuple(itertools.chain.from_iterable(cells))
        for rows in rows_of(bound, known)
        for cells in itertools.product(*(list(_spread(count, bins)) for count in rows))
    ]
    for once in (False, True):
        counted = [tuple(min(1, count) for count in way) for way in ways] if once else ways
        given, real = bound.cells_sensitivity(known, bins, once=once), moved(counted, change)
        assert (given.largest, given.coordinates) == (real[1], real[0])
        assert given.total == real[2]


def _spread(count, bins):
    for cells in itertools.product(range(count + 1), repeat=bins):
        if sum(cells) == count:
            yield cells


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("caps", BOUNDS, ids=str)
def test_groups_rolled_up_into_classes(caps, change):
    """Six known groups in two classes, put together in every way."""
    bound = Contribution(person(change), **caps)
    given = bound.rolled_up_sensitivity(6, 2)
    real = [0, 0, 0]
    for classes in itertools.product((0, 1), repeat=6):
        ways = [
            tuple(
                sum(count for count, own in zip(rows, classes, strict=True) if own == one) for one in (0, 1)
            )
            for rows in rows_of(bound, 6)
        ]
        real = [max(one, other) for one, other in zip(real, moved(ways, change), strict=True)]
    assert (given.coordinates, given.largest, given.total) == tuple(real)


def test_without_known_keys_every_group_may_be_new():
    for change, sides in zip(CHANGES, (1, 2), strict=True):
        bound = Contribution(person(change), groups=3, rows=2)
        assert bound.entries(None) == 3
        assert bound.rows_sensitivity(None) == Sensitivity(3 * sides, 2, 6 * sides)
        assert bound.persons_sensitivity(None) == Sensitivity(3 * sides, 1, 3 * sides)
        assert bound.sum_sensitivity(None, 5) == Sensitivity(3 * sides, 10 * sides, 30 * sides)
        spread = Contribution(person(change), groups=5, total_rows=3)
        assert spread.entries(None) == 3
        assert spread.rows_sensitivity(None) == Sensitivity(3 * sides, 3, 3 * sides)
        assert bound.cells_sensitivity(None, 4, once=True) == Sensitivity(6 * sides, 1, 6 * sides)


def test_scores_of_places():
    for change, reach in ((Change.ADD_OR_REMOVE, 3), (Change.REPLACE, 5)):
        bound = Contribution(person(change), groups=2, rows=4)
        changed = 2 if change is Change.ADD_OR_REMOVE else 4
        assert bound.ranks_sensitivity(9, 7, 3, 2) == Sensitivity.per_block(changed, 7, 4 * reach)
        assert bound.ranks_sensitivity(9, 7, 2, 3) == Sensitivity.per_block(changed, 7, 4 * reach)


def test_what_a_unit_allows():
    assert Contribution.for_unit(Row(), grouped=True) == Contribution(Row(), groups=1, rows=1)
    capped = Person("id", max_rows=7)
    assert Contribution.for_unit(capped, grouped=False) == Contribution(capped, groups=1, rows=7)
    assert Contribution.for_unit(capped, grouped=True) == Contribution(capped, groups=7, total_rows=7)
    both = Person("id", max_rows=7, max_groups=3)
    assert Contribution.for_unit(both, grouped=True) == Contribution(both, groups=3, rows=2)
    assert Contribution.for_unit(both, grouped=False) == Contribution(both, groups=1, rows=7)
    with pytest.raises(BadUnit, match="how many rows"):
        Contribution.for_unit(Person("id"), grouped=False)


@pytest.mark.parametrize(
    "caps",
    [
        {"groups": 0, "rows": 1},
        {"groups": 1, "rows": 0},
        {"groups": 1, "total_rows": 0},
        {"groups": 1},
        {"groups": 1, "rows": 1, "total_rows": 1},
    ],
)
def test_what_bounds_nothing_is_refused(caps):
    with pytest.raises(PrivetError):
        Contribution(Person("id"), **caps)


def test_a_row_is_in_one_group_once():
    Contribution(Row(), groups=1, rows=1)
    for caps in ({"groups": 2, "rows": 1}, {"groups": 1, "rows": 2}, {"groups": 1, "total_rows": 1}):
        with pytest.raises(BadAggregate):
            Contribution(Row(), **caps)


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_where_no_key_is_known_something_is_hidden_all_the_same(change):
    """An answer without entries still has a sensitivity that noise can be drawn for."""
    bound = Contribution(person(change), groups=2, rows=3)
    assert bound.entries(0) == 1
    assert bound.persons_sensitivity(0) == Sensitivity(1, 1, 1)
    assert bound.rows_sensitivity(0) == Sensitivity(1, 3, 3)
    assert bound.rolled_up_sensitivity(0, 0) == Sensitivity(1, 3, 3)
    assert bound.cells_sensitivity(0, 4, once=True) == Sensitivity(1, 1, 1)
