"""Records for attacks: every kind of table goes in and comes back as it was."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.attacks._attack_records import matrix, records_of, stacked
from privet.errors import BadAttack

COLUMNS = {"age": [31, 45, 28, 70], "ward": ["a", "b", "a", "c"], "ill": [0, 1, 0, 1]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_tables_keep_their_kind(make) -> None:
    table = make(COLUMNS)
    found = records_of(table, "ill")
    assert found.labels.tolist() == [0, 1, 0, 1]
    assert found.columns == ("age", "ward")
    assert type(found.native) is type(table)
    assert type(found.take(np.array([0, 2])).native) is type(table)
    assert found.take(np.array([False, True, True, False])).column("ward").tolist() == ["b", "a"]
    tried = found.with_value("ward", "c")
    assert tried.column("ward").tolist() == ["c"] * 4
    assert found.column("ward").tolist() == ["a", "b", "a", "c"]
    assert matrix(found).tolist() == [
        [31, 0],
        [45, 1],
        [28, 0],
        [70, 2],
    ]  # exact: numbers as given, and codes


def test_digests_are_of_the_content() -> None:
    first = records_of(pd.DataFrame(COLUMNS), "ill")
    assert first.digest() == records_of(pd.DataFrame(COLUMNS), "ill").digest()
    changed = pd.DataFrame({**COLUMNS, "ward": ["a", "b", "a", "b"]})
    assert first.digest() != records_of(changed, "ill").digest()
    assert first.digest() != records_of(pd.DataFrame(COLUMNS).rename(columns={"age": "born"}), "ill").digest()
    array = np.arange(6.0).reshape(3, 2)
    assert records_of(array).digest() != records_of(array.astype(np.float32)).digest()
    assert records_of((array, [0, 1, 1])).digest() != records_of((array, [0, 1, 0])).digest()


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(BadAttack, match="one label for each"):
        records_of((np.zeros((3, 2)), [0, 1]))
    with pytest.raises(BadAttack, match="records are"):
        records_of([1, 2, 3])
    with pytest.raises(BadAttack, match="different kinds"):
        stacked(records_of(np.zeros((3, 2))), records_of(np.zeros((3, 4))))
    with pytest.raises(BadAttack, match="no such column") as refused:
        records_of(pd.DataFrame(COLUMNS)).column("wart")
    assert "31" not in str(refused.value)
