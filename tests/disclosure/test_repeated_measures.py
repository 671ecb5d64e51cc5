"""Marks of a key, held against counting row by row and against chance."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.disclosure._repeated_measures import (
    RepeatedWitness,
    common_multiple,
    distinct,
    joined,
    locality,
    measures,
    restarts,
    unique_share,
)

codes = st.lists(st.integers(-1, 4), min_size=1, max_size=40)


def marks(key, **columns):
    return measures(
        np.array(key), {name: RepeatedWitness.of(np.array(values)) for name, values in columns.items()}
    )


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 3)), min_size=1, max_size=40))
def test_constant_shares_by_counting(rows) -> None:
    inside = defaultdict(list)
    for key, value in rows:
        inside[key] += [value] if value >= 0 else []
    several = [values for values in inside.values() if len(values) > 1]
    found = marks([key for key, _ in rows], x=[value for _, value in rows])
    if not several:
        assert "x" not in found.constant
    else:
        assert found.constant["x"] == pytest.approx(sum(len(set(v)) == 1 for v in several) / len(several))
    assert found.values == len({key for key, _ in rows})
    assert found.rows == len(rows)


@settings(max_examples=60, deadline=None)
@given(one=codes, data=st.data())
def test_combinations_are_numbered_as_sorting_does(one, data) -> None:
    other = data.draw(st.lists(st.integers(-1, 4), min_size=len(one), max_size=len(one)))
    pairs = sorted(set(zip(one, other, strict=True)))
    expected = [pairs.index(pair) for pair in zip(one, other, strict=True)]
    assert joined([np.array(one), np.array(other)]).tolist() == expected
    assert distinct(np.array(one)) == len(set(one))
    assert unique_share(np.array(one)) == pytest.approx(len(set(one)) / len(one))


def repeated(people=80, rows=4, seed=1):
    draw = np.random.default_rng(seed)
    return draw, np.repeat(draw.permutation(people), rows)


def test_what_does_not_change_is_static_and_what_counts_visits_crosses() -> None:
    draw, who = repeated()
    sex = np.repeat(draw.integers(0, 2, 80), 4)
    found = marks(who, sex=sex, visit=np.tile(range(4), 80), noise=draw.integers(0, 5, 320))
    assert found.static == {"sex": (80, 80)}
    assert found.crossing == pytest.approx({"visit": 1.0})
    assert found.balanced
    assert found.varying == ["noise"]


def test_three_wrong_in_a_hundred_are_forgiven_and_five_are_not() -> None:
    draw, who = repeated(people=100)
    for wrong, static in ((3, True), (5, False)):
        sex = np.repeat(draw.integers(0, 2, 100), 4)
        sex[np.arange(wrong) * 4] ^= 1
        assert ("sex" in marks(who, sex=sex).static) is static


def test_a_column_that_is_nearly_always_the_same_is_no_witness() -> None:
    _, who = repeated()
    rare = (who == 3).astype(int)
    assert marks(who, rare=rare).static == {}


def test_a_function_of_a_measurement_is_not_static_though_constant() -> None:
    draw = np.random.default_rng(2)
    age = draw.integers(18, 80, 400)
    found = marks(age, group=age // 10, squared=age**2, sex=draw.integers(0, 2, 400))
    assert found.constant["group"] == 1
    assert found.constant["squared"] == 1
    assert found.static == {}
    assert found.clustered == []


def test_likeness_is_that_of_people_not_of_neighbours() -> None:
    draw, who = repeated(people=120)
    level = np.argsort(np.argsort(np.repeat(draw.normal(0, 1, 120), 4) + draw.normal(0, 0.7, 480)))
    trend = np.argsort(np.argsort(who + draw.normal(0, 3, 480)))
    found = marks(who, level=level, trend=trend, noise=draw.permutation(480))
    # Persons explain two thirds of the variance; what rises with the number explains nothing that neighbours do not.
    assert found.alike["level"] == pytest.approx(0.67, abs=0.12)
    assert found.alike.get("trend", 0.0) < 0.25
    assert "noise" not in found.alike


def test_rows_that_have_nothing_in_common_are_called_unrelated() -> None:
    draw, who = repeated()
    noise = {f"q{at}": draw.integers(0, 4, 320) for at in range(4)}
    assert marks(who, **noise).unrelated
    assert not marks(who, **noise, sex=np.repeat(draw.integers(0, 2, 80), 4)).unrelated


def test_crossing_needs_collisions_that_chance_would_have_brought() -> None:
    draw = np.random.default_rng(3)
    who = np.repeat(np.arange(20), 2)
    few = marks(who, day=draw.permutation(40) // 2)
    assert few.crossing == {}
    many = np.repeat(np.arange(20), 10)
    assert marks(many, day=np.tile(range(10), 20)).crossing == pytest.approx({"day": 1.0})
    assert marks(many, day=draw.integers(0, 10, 200)).crossing == {}


def test_numbers_that_start_anew() -> None:
    assert restarts(np.array([1, 2, 1, 2]), np.array([0, 0, 1, 1])) == pytest.approx(1)
    assert restarts(np.array([1, 2, 3, 4]), np.array([0, 0, 1, 1])) == pytest.approx(0)


def test_locality() -> None:
    assert locality(range(100)) < 0.05
    assert locality(np.random.default_rng(1).permutation(1000)) == pytest.approx(1, abs=0.1)
    assert locality([1, 1, 1, 1]) == pytest.approx(0)


def test_common_multiples_count_only_beyond_chance() -> None:
    assert common_multiple([14, 21, 7, 70, 35, 49, 28, 7, 42]) == 7
    assert common_multiple([14, 21]) == 1, "two numbers are multiples of seven easily"
    assert common_multiple([14, 21, 7, 70, 35, 49, 28, 7, 43]) == 1
    assert common_multiple([]) == 1


def test_the_order_of_rows_does_not_matter() -> None:
    draw, who = repeated()
    columns = {"a": draw.integers(0, 3, 320), "b": np.repeat(draw.integers(0, 5, 80), 4)}
    mixed = draw.permutation(320)
    first = marks(who, **columns)
    second = marks(who[mixed], **{name: values[mixed] for name, values in columns.items()})
    assert first.static == second.static
    assert first.crossing == second.crossing
    assert first.alike == pytest.approx(second.alike)
