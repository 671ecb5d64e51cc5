"""What the search for a person key reads: which columns may be one, and how many values fit the budget."""

import numpy as np
import pyarrow as pa
import pytest

from privet.audits import _key_sample as sample
from privet.audits import classify
from privet.engine import ColumnKind, Profile, profile
from privet.source import open_table


def column(
    kind: ColumnKind = ColumnKind.INTEGER,
    *,
    missing: int = 0,
    longest: int | None = None,
    counts=(2,) * 50,
    values=None,
):
    texts = values or [str(at) for at in range(len(counts))]
    rows = sum(counts) + missing
    pairs = tuple(zip(texts, counts, strict=True))
    return Profile(
        kind, "int64", rows, missing, len(counts), exact=True, shortest=None, longest=longest, values=pairs
    )


def test_a_key_repeats_but_not_all_the_time() -> None:
    assert sample._may_be_key(column())
    assert not sample._may_be_key(column(counts=(10,) * 3)), "three values are a group"
    assert sample._may_be_key(column(counts=(10,) * 4))
    assert not sample._may_be_key(column(counts=(1,) * 98 + (2,))), "99 of 100 differ"
    assert not sample._may_be_key(column(counts=(1,) * 91 + (9,))), "nine rows of a hundred repeat"
    assert sample._may_be_key(column(counts=(1,) * 90 + (5, 5)))


def test_a_key_is_there_and_short_and_whole() -> None:
    assert sample._may_be_key(column(missing=11))
    assert not sample._may_be_key(column(missing=12)), "more than one in ten missing"
    assert sample._may_be_key(column(ColumnKind.TEXT, longest=64))
    assert not sample._may_be_key(column(ColumnKind.TEXT, longest=65))
    assert not sample._may_be_key(column(ColumnKind.DATE))
    assert sample._may_be_key(column(ColumnKind.REAL, values=[f"{n}.0" for n in range(50)]))
    assert not sample._may_be_key(column(ColumnKind.REAL, values=[f"{n}.5" for n in range(50)]))


def test_candidates_are_those_whose_names_promise_most_then_the_finest() -> None:
    found = sample._candidates(
        {"x": column(), "finer": column(counts=(2,) * 60), "patient_id": column(counts=(2,) * 9)}
    )
    assert found == ("patient_id", "finer", "x")
    assert len(sample._candidates({f"x{at}": column() for at in range(40)})) == sample.MOST_KEYS


@pytest.mark.parametrize(("size", "values"), [(2, 100_000), (4_000, 1_000), (100_000, 60)])
def test_the_rows_of_a_sample_fit_the_budget(size: int, values: int) -> None:
    """Two rows each: 10,000 values, all their rows. Four thousand each: fifty values, a tenth of their rows."""
    whole = Profile(
        ColumnKind.INTEGER,
        "int64",
        size * values,
        0,
        values,
        exact=True,
        shortest=None,
        longest=None,
        values=(),
    )
    share = sample._share(whole)
    assert share.values * values * share.rows * size == pytest.approx(sample.BUDGET)
    assert share.values * values >= min(values, 50) - 1e-9


def read(**columns) -> sample.Sampled:
    table = open_table(pa.table(columns))
    return sample.sampled(table.relation, classify(table), profile(table.relation))


def test_small_tables_are_read_as_a_whole() -> None:
    found = read(
        who=[1, 1, 1, 2, 2, 3, 3, 4, 4, None], sex=["F", "F", "F", "M", "M", "F", "F", "M", "M", "F"]
    )
    assert found.whole
    assert found.sentence is None
    assert found.keys == ("who",)
    assert found.columns == ("sex", "who")
    assert found.size(("who",)) == (4, 10)
    assert int(found.rows_of("who").sum()) == 9, "nobody's rows are not looked at"
    assert found.distinct("sex") == 2


def test_two_candidates_that_number_the_same_things_are_no_witnesses_of_each_other() -> None:
    who = [at // 3 for at in range(60)]
    found = read(who=who, code=[f"c{one}" for one in who], ward=[at % 5 for at in range(60)])
    assert set(found.keys) >= {"who", "code"}
    assert set(found.witnesses(("who",), np.ones(60, bool))) == {"ward"}


def test_nothing_that_repeats_leaves_nothing_to_sample() -> None:
    found = read(a=[1, 2, 3, 4, 5])
    assert (found.keys, found.columns, found.whole) == ((), (), True)
