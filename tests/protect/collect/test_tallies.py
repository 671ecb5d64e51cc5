"""Tallies: the same whether reports are counted one by one, in groups, or by their definition."""

from fractions import Fraction

import numpy as np
import pytest
from tests.protect.collect.specifications import collection, values_for

from privet.errors import InternalError
from privet.guarantee.oracles import LocalHashing, hashed, oracle_class
from privet.mechanism import WordStream, respond
from privet.protect.collect._report_validation import numpy_columns, read_reports
from privet.protect.collect._tallies import column_sums, counted


def test_hashing_supports_the_values_that_have_the_hash() -> None:
    oracle = LocalHashing.made(Fraction(2), 40, {})
    columns = respond(oracle, np.arange(40).repeat(25), WordStream.seeded(1), 0)
    direct = (
        hashed(columns["seed"][:, None], np.arange(40)[None, :], oracle.range) == columns["value"][:, None]
    )
    assert counted(oracle, columns).tolist() == direct.sum(axis=0).tolist()


@pytest.mark.parametrize("width", [1, 7, 64])
@pytest.mark.parametrize("rows", [0, 1, 254, 255, 256, 1000])
def test_sums_by_column(rows: int, width: int) -> None:
    bits = (np.arange(rows * width).reshape(rows, width) * 7919 % 5 < 3).astype(np.uint8)
    assert column_sums(bits).tolist() == bits.sum(axis=0, dtype=int).tolist()


@pytest.mark.parametrize("kind", ["grr", "flh", "hadamard", "hcms", "oue", "subset", "piecewise", "hybrid"])
def test_groups_of_equal_reports_count_as_often_as_they_are(kind: str) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 300))
    columns = numpy_columns(read_reports(table, made).table, made.protocol.columns())
    weights = np.arange(300) % 4
    many = {
        name: (np.concatenate([[0], np.cumsum(np.repeat(np.diff(values[0]), weights))]),
               np.concatenate([np.tile(values[1][values[0][i] : values[0][i + 1]], weights[i]) for i in range(300)]))
        if isinstance(values, tuple) else np.repeat(values, weights)
        for name, values in columns.items()
    }  # fmt: skip
    oracle = made.protocol.oracle
    assert counted(oracle, columns, weights).tolist() == counted(oracle, many).tolist()


def test_rows_of_bits_are_added_by_row() -> None:
    oracle = oracle_class("cms").made(Fraction(1), 9, {"rows": 5, "width": 24})
    columns = respond(oracle, np.arange(40_000) % 9, WordStream.seeded(2), 0)
    bits = np.unpackbits(columns["bits"], axis=1, bitorder="little").astype(int)
    cells = counted(oracle, columns)
    for row in range(5):
        assert cells[row, :24].tolist() == bits[columns["row"] == row].sum(axis=0).tolist()
        assert cells[row, 24] == (columns["row"] == row).sum()


def test_what_cannot_be_grouped_says_so() -> None:
    for kind in ("olh", "sue", "cms"):
        made = collection(kind)
        columns = numpy_columns(
            read_reports(made.randomize(values_for(kind, 5)), made).table, made.protocol.columns()
        )
        with pytest.raises(InternalError):
            counted(made.protocol.oracle, columns, np.ones(5, np.int64))
