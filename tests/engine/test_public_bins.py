"""Public bins: a value on an edge begins its bin, values outside count as the nearest, missing ones nowhere."""

import math
from fractions import Fraction

import ibis
import pyarrow as pa
import pytest

from privet.engine._engine_results import fetch
from privet.engine._public_bins import Categories, EvenBins, UnevenBins, placed
from privet.engine._relation import ColumnKind, Relation
from privet.errors import BadAggregate, BadKeys

BACKEND = ibis.duckdb.connect()


def places(values, bins, kind=None):
    table = BACKEND.create_table(
        "values_", pa.table({"n": range(len(values)), "a": pa.array(values, kind)}), overwrite=True
    )
    found = placed(table, "at", "a", bins, Relation(table, "duckdb"))
    rows = fetch(found, "duckdb").to_pylist()
    return [row["at"] for row in sorted(rows, key=lambda row: row["n"])]


def test_even_bins():
    bins = EvenBins(0, 60, 3)
    assert bins.edges() == pytest.approx((0, 20, 40, 60))
    assert places([-1.0, 0.0, 19.9, 20.0, 40.0, 60.0, 1e300, math.nan, None], bins) == [
        0,
        0,
        0,
        1,
        2,
        2,
        2,
        None,
        None,
    ]
    assert bins.said() == "3 EVEN BINS IN [0, 60]"


def test_every_edge_of_uneven_fractions_begins_its_own_bin():
    bins = EvenBins("0.1", "0.8", 7)
    edges = bins.edges()
    assert places(list(edges[:-1]), bins) == list(range(7))
    assert places([math.nextafter(edge, -math.inf) for edge in edges[1:]], bins) == list(range(7))


def test_uneven_bins():
    bins = UnevenBins([0, 18, 65, "99.5"])
    assert bins.count == 3
    assert places([-5.0, 0.0, 17.9, 18.0, 64.9, 65.0, 99.5, 200.0, None, math.nan], bins) == [
        0, 0, 0, 1, 1, 2, 2, 2, None, None,
    ]  # fmt: skip
    assert bins.said() == "BINS BETWEEN 0, 18, 65, 99.5"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: EvenBins(0, 1, 0),
        lambda: EvenBins(0, 1, 2**16 + 1),
        lambda: EvenBins(0, 1, True),
        lambda: EvenBins(0, 1, 2.0),
        lambda: EvenBins(1, 0, 2),
        lambda: EvenBins(1, 1, 2),
        lambda: EvenBins(1, 1 + Fraction(1, 10**17), 2),
        lambda: EvenBins(0, 10**151, 2),
        lambda: EvenBins(0, 10**400, 2),
        lambda: UnevenBins([0]),
        lambda: UnevenBins([0, 0]),
        lambda: UnevenBins([1, 0]),
        lambda: UnevenBins(range(1026)),
    ],
)
def test_edges_rise_and_are_told_apart(wrong):
    with pytest.raises(BadAggregate):
        wrong()


def test_limits_are_allowed():
    assert EvenBins(0, 1, 1).count == 1
    assert EvenBins(0, 1, 2**16).count == 2**16
    assert UnevenBins(range(1025)).count == 1024


def test_listed_values_have_a_bin_each_and_others_one_more():
    listed = Categories(pa.array(["B", "A"]), other=False)
    assert listed.count == 2
    assert places(["A", "B", "C", None], listed) == [1, 0, None, None]
    more = Categories(pa.array(["B", "A"]), other=True)
    assert more.count == 3
    assert places(["A", "B", "C", None], more) == [1, 0, 2, 2]
    assert (listed.said(), more.said()) == ("VALUES 'B', 'A'", "VALUES 'B', 'A' AND OTHERS")


def test_values_are_read_in_the_columns_kind_and_each_once():
    assert Categories(pa.array([1, 2]), other=False).fitted("a", ColumnKind.REAL).to_pylist() == [
        1.0,
        2.0,
    ]  # exact: small whole numbers
    for values in (pa.array(["A", "A"]), pa.array(["x"])):
        with pytest.raises(BadKeys):
            Categories(values, other=False).fitted(
                "a", ColumnKind.INTEGER if len(values) == 1 else ColumnKind.TEXT
            )


def test_the_same_values_are_the_same_bins():
    one, same, other = (Categories(pa.array(values), other=False) for values in (["A"], ["A"], ["B"]))
    assert one == same != other
    assert hash(one) == hash(same)
    assert one != Categories(pa.array(["A"]), other=True)
    assert one != "VALUES 'A'"
