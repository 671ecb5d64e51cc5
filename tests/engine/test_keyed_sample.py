"""Samples of whole persons: all rows of some values, the same on every engine and in every order."""

import numpy as np
import pyarrow as pa
import pytest

from privet.engine._keyed_sample import Share, keyed_sample
from privet.source import open_table

PEOPLE, ROWS = 2_000, 5


def stays() -> pa.Table:
    draw = np.random.default_rng(1)
    who = np.repeat(np.arange(PEOPLE), ROWS)
    return pa.table({"who": who, "town": [f"t{n}" for n in who % 40], "day": draw.integers(0, 365, len(who))})


def rows_of(found, name, flag):
    at, mark = found.columns.index(name), found.columns.index(flag)
    labels = found.labels[at].to_pylist()
    truth = found.labels[mark].to_pylist()
    return [
        labels[line[at]]
        for line, count in zip(found.codes, found.counts, strict=True)
        for _ in range(count)
        if truth[line[mark]]
    ]


def test_a_chosen_person_has_all_rows_and_about_the_share_is_chosen() -> None:
    found, (flag,) = keyed_sample(open_table(stays()).relation, ["town", "day", "who"], {"who": Share(0.1)})
    who, counts = np.unique(rows_of(found, "who", flag), return_counts=True)
    assert set(counts) == {ROWS}
    # Binomial with 2,000 and 0.1: five standard deviations are 67, false alarms below one in a million.
    assert abs(len(who) - 200) < 67


def test_two_samples_in_one_scan_are_told_apart() -> None:
    shares = {"who": Share(0.02), "town": Share(0.2)}
    found, (people, towns) = keyed_sample(open_table(stays()).relation, ["town", "day", "who"], shares)
    for flag, name, most in ((people, "who", 200), (towns, "town", 30)):
        chosen = set(rows_of(found, name, flag))
        assert 0 < len(chosen) < most
        whole = [value for value in stays()[name].to_pylist() if value in chosen]
        assert sorted(rows_of(found, name, flag)) == sorted(whole)


def test_few_values_of_very_many_rows_are_thinned_out() -> None:
    relation = open_table(stays()).relation
    found, (flag,) = keyed_sample(relation, ["who", "day", "town"], {"town": Share(1.0, 0.1)})
    kept = rows_of(found, "town", flag)
    assert set(kept) == {f"t{n}" for n in range(40)}
    # Binomial with 10,000 and 0.1: five standard deviations are 150.
    assert abs(len(kept) - 1_000) < 150


def test_the_order_of_rows_decides_nothing() -> None:
    table = stays()
    mixed = table.take(pa.array(np.random.default_rng(2).permutation(len(table))))
    first, second = (
        keyed_sample(open_table(one).relation, ["town", "day", "who"], {"who": Share(0.05)})[0]
        for one in (table, mixed)
    )
    assert (first.codes == second.codes).all()
    assert (first.counts == second.counts).all()


def test_rows_of_nobody_are_left_out() -> None:
    table = pa.table({"who": pa.array([None] * 50 + [1, 1], pa.int64()), "x": list(range(52))})
    found, (flag,) = keyed_sample(open_table(table).relation, ["x", "who"], {"who": Share(1.0)})
    assert rows_of(found, "who", flag) == [1, 1]


@pytest.mark.parametrize("name", ["who", "town"])
def test_every_engine_chooses_the_same(engine, name) -> None:
    from tests.conftest import Engine

    def chosen(relation):
        found, (flag,) = keyed_sample(relation, ["day", "town", "who"], {name: Share(0.1, 0.5)})
        return sorted(rows_of(found, "day", flag))

    assert chosen(engine.load(stays())) == chosen(Engine("duckdb", None).load(stays()))
