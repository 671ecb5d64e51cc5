"""The first words of a question: each begins one about the whole table."""

import pyarrow as pa
import pytest

import privet as pv
from privet import errors


@pytest.fixture
def table():
    return pv.open_table(
        pa.table({"id": [1, 2], "ward": ["A", "B"], "days": [3, 4]}),
        unit=pv.Person("id", max_rows=2),
        bounds={"days": (0, 60)},
    )


def test_each_word_begins_a_question(table):
    plain = table.agg(n=pv.count()).describe()
    assert table.where(pv.col("days") > 3).agg(n=pv.count()).describe() != plain
    assert table.derive(half=pv.col("days") / 2).agg(n=pv.count()).describe() != plain
    grouped = table.group_by("ward", keys={"ward": ["A"]}).agg(n=pv.count())
    assert grouped.public_keys().to_pylist() == [{"ward": "A"}]


def test_a_question_leaves_the_table_as_it_was(table):
    before = table.agg(n=pv.count()).describe()
    table.where(pv.col("days") > 3)
    table.derive(half=pv.col("days") / 2)
    assert table.agg(n=pv.count()).describe() == before


@pytest.mark.parametrize(
    "wrong",
    [
        lambda table: table.agg(),
        lambda table: table.agg(n=3),
        lambda table: table.group_by("nobody").agg(n=pv.count()),
        lambda table: table.where(3),
        lambda table: table.derive(days=pv.col("days")),
    ],
)
def test_what_is_no_question_is_refused(table, wrong):
    with pytest.raises(errors.PrivetError):
        wrong(table)
