"""People with several rows: what k, l and t mean for an attacker who knows one row, or all of them."""

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.disclosure._equivalence_classes import class_sizes
from privet.disclosure._rows_per_person import all_rows, any_row, people_diversity
from privet.errors import BadCodes

# p1 (30s,X,flu)(30s,Y,flu); p2 (30s,X,hiv)(30s,X,flu); p3 = p1; p4 (40s,X,hiv) twice; p5 (40s,X,flu) twice.
X30, Y30, X40 = 0, 1, 2
FLU, HIV = 0, 1
GOLDEN = [
    (0, X30, FLU), (0, Y30, FLU), (1, X30, HIV), (1, X30, FLU), (2, X30, FLU), (2, Y30, FLU),
    (3, X40, HIV), (3, X40, HIV), (4, X40, FLU), (4, X40, FLU),
]  # fmt: skip


def columns(rows):
    owners, kinds, values = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return owners, kinds, values, np.ones(len(rows), np.int64)


def test_the_golden_example_has_a_different_k_for_each_attacker() -> None:
    owners, kinds, _, counts = columns(GOLDEN)
    assert class_sizes(np.bincount(kinds)).k == 2, "rows"
    one = any_row(owners, kinds)
    assert one.people.tolist() == [3, 2, 2]
    assert one.k == 2
    assert one.alone == 0
    every = all_rows(owners, kinds, counts)
    assert sorted(every.people.tolist()) == [1, 2, 2]
    assert every.k == 1
    assert every.alone == 1


def test_a_value_that_all_people_of_a_class_have_is_certain_though_rows_differ() -> None:
    owners, kinds, values, counts = columns(GOLDEN)
    every = all_rows(owners, kinds, counts)
    found = people_diversity(every, owners, values, counts)
    assert found.distinct_l == 1
    # p1 and p3 have nothing but flu; p2 has hiv for certain, and flu, though the rows show two values.
    assert found.certain_people == 3
    of_p2 = owners == 1
    assert len(set(values[of_p2].tolist())) == 2, "by rows it looks diverse"
    only = people_diversity(
        all_rows(*(a[of_p2] for a in (owners, kinds, counts))), *(a[of_p2] for a in (owners, values, counts))
    )
    assert only.distinct_l == 1


def test_closeness_gives_every_person_weight_one() -> None:
    owners, kinds, values, counts = columns(GOLDEN)
    # All people: p1 0, p2 1/2, p3 0, p4 1, p5 0 have hiv: 3/10. Classes of all rows: {p1,p3} 0, {p2} 1/2, {p4,p5} 1/2.
    found = people_diversity(all_rows(owners, kinds, counts), owners, values, counts)
    assert found.t_equal == pytest.approx(0.3, abs=1e-9)
    # Any row: in (30s,X) people weigh hiv 0, 1/2, 0, so 1/6; (30s,Y) 0; (40s,X) 1/2.
    assert people_diversity(any_row(owners, kinds), owners, values, counts).t_equal == pytest.approx(
        0.3, abs=1e-9
    )
    heavy = counts.copy()
    heavy[owners == 3] = 1000
    again = people_diversity(all_rows(owners, kinds, heavy), owners, values, heavy)
    assert again.t_equal == pytest.approx(0.7, abs=1e-9), (
        "p4 is alone by the number of rows now, with all of hiv"
    )


def brute(rows):
    people = defaultdict(Counter)
    having = defaultdict(set)
    for owner, kind, _ in rows:
        people[owner][kind] += 1
        having[kind].add(owner)
    signature = {owner: frozenset(kinds.items()) for owner, kinds in people.items()}
    alike = Counter(signature.values())
    return having, signature, alike


tables = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=24)


@settings(max_examples=150, deadline=None)
@given(rows=tables)
def test_by_counting_people(rows) -> None:
    used = {kind: at for at, kind in enumerate(sorted({kind for _, kind, _ in rows}))}
    rows = [(owner, used[kind], value) for owner, kind, value in rows]
    owners, kinds, values, counts = columns(rows)
    having, signature, alike = brute(rows)
    one, every = any_row(owners, kinds), all_rows(owners, kinds, counts)
    assert one.k == min(len(whose) for whose in having.values())
    assert one.alone == len({o for o, kind, _ in rows if len(having[kind]) == 1})
    assert every.k == min(alike.values())
    assert every.alone == sum(size == 1 for size in alike.values())
    assert every.k <= one.k, "who knows more finds fewer"
    for classes, members in (
        (one, [(kind, whose) for kind, whose in having.items()]),
        (every, [(None, {o for o, s in signature.items() if s == mark}) for mark in alike]),
    ):
        least, certain = [], set()
        for kind, whose in members:
            inside = [(o, v) for o, k, v in rows if o in whose and (kind is None or k == kind)]
            support = {v: {o for o, w in inside if w == v} for _, v in inside}
            sure = any(people == whose for people in support.values())
            certain |= whose if sure else set()
            least.append(1 if sure else len(support))
        found = people_diversity(classes, owners, values, counts)
        assert found.distinct_l == min(least)
        assert found.certain_people == len(certain)


@settings(max_examples=60, deadline=None)
@given(rows=tables)
def test_closeness_by_fractions(rows) -> None:
    owners, kinds, values, counts = columns(rows)
    _, signature, alike = brute(rows)

    def shares(whose):
        total = Counter()
        for owner in whose:
            mine = [v for o, _, v in rows if o == owner]
            for value in mine:
                total[value] += Fraction(1, len(mine) * len(whose))
        return total

    everybody = shares(set(signature))
    worst = max(
        sum(abs(shares(whose)[v] - everybody[v]) for v in range(3)) / 2
        for whose in ({o for o, s in signature.items() if s == mark} for mark in alike)
    )
    found = people_diversity(all_rows(owners, kinds, counts), owners, values, counts)
    assert found.t_equal == pytest.approx(float(worst), abs=1e-8)


def test_repeated_rows_may_be_given_as_counts() -> None:
    owners, kinds, values, counts = columns(GOLDEN)
    short = [0, 1, 2, 3, 4, 5, 6, 8]
    twice = np.array([1, 1, 1, 1, 1, 1, 2, 2])
    assert (
        all_rows(owners[short], kinds[short], twice).people.tolist()
        == all_rows(owners, kinds, counts).people.tolist()
    )
    assert values[short].tolist() == [0, 0, 1, 0, 0, 0, 1, 0]


def test_rows_without_an_owner_are_refused() -> None:
    with pytest.raises(BadCodes, match="every row has an owner"):
        any_row(np.array([-1, 0]), np.array([0, 0]))
    nobody = np.zeros(0, np.int64)
    empty = any_row(nobody, nobody)
    with pytest.raises(BadCodes, match="without rows"):
        people_diversity(empty, nobody, nobody, nobody)
