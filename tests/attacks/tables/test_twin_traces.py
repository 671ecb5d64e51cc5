"""What a table shows of many records: closeness, whole rows, and counts of their cells, by hand."""

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks.tables._table_codes import coded
from privet.attacks.tables._twin_traces import questions, traces_of

PEOPLE = pa.table({"ward": ["icu", "eye", None], "age": [10, 20, 30]})
TWIN = pa.table({"ward": ["icu", "icu", "eye", None], "age": [10, 20, 20, 30]})


def test_counts_are_those_of_the_records_own_cells() -> None:
    people, twin = coded([PEOPLE, TWIN], PEOPLE.column_names)
    asked = questions(people, 0)
    assert asked.sets == ((0,), (1,), (0, 1))
    found = traces_of(people, twin, asked)
    # whole rows; then ward, age, and both together: a gap is a value like others
    assert found[:, 2].tolist() == [1, 1, 1]
    assert found[:, 3].tolist() == [2, 1, 1]
    assert found[:, 4].tolist() == [1, 2, 1]
    assert found[:, 5].tolist() == [1, 1, 1]
    assert found[:, 0] == pytest.approx([-np.log(1e-3)] * 3), "all of them were copied"


def test_who_is_far_away_is_less_close() -> None:
    people, twin = coded([PEOPLE, TWIN.slice(0, 1)], PEOPLE.column_names)
    near, far, _ = traces_of(people, twin, questions(people, 0))[:, 0]
    assert near > far


def test_numbers_are_counted_in_bins_that_the_people_decide() -> None:
    numbers = np.arange(100.0)
    people, twin, other = coded(
        [pa.table({"x": part}) for part in (numbers, numbers[::2], [1e9, -1e9])], ["x"]
    )
    asked = questions(people, 0)
    found = traces_of(people, twin, asked)[:, 3]
    assert set(found.tolist()) <= {2, 3}, "five people in a bin, every second of them published"
    assert questions(people, 0).binned(other).tolist() == [[20], [1]], "outside is in the last and first bin"


def test_many_columns_are_asked_about_as_often_as_there_is_time_for_and_alike_for_a_seed() -> None:
    wide = pa.table({f"c{at}": [0, 1] for at in range(40)})
    (people,) = coded([wide], wide.column_names)
    asked = questions(people, 3)
    assert len(asked.sets) == 40 + 105 + 60
    assert asked.sets == questions(people, 3).sets != questions(people, 4).sets
    assert traces_of(people, people, asked).shape == (2, 3 + 205)
