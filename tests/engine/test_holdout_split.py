"""Keeping people apart: by a hash of the person alone."""

import pyarrow as pa
import pytest

from privet.engine._engine_results import fetch
from privet.engine._holdout_split import held_out, wording
from privet.engine._row_operations import project
from privet.guarantee._privacy_units import Person, Row
from privet.source import open_table

ROWS = pa.table({"who": [number // 3 for number in range(6000)], "x": list(range(6000))})


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_about_that_share_of_people_is_kept_apart_whole(share: float) -> None:
    relation = open_table(ROWS).relation
    stay, apart = (
        set(fetch(part.table, part.engine)["who"].to_pylist())
        for part in held_out(relation, Person("who"), share)
    )
    assert not stay & apart
    assert stay | apart == set(range(2000))
    assert abs(len(apart) / 2000 - share) < 0.06  # five standard deviations of 2,000 draws


def test_nobody_else_decides_who_is_kept_apart() -> None:
    _, apart = held_out(open_table(ROWS).relation, Person("who"), 0.3)
    _, fewer = held_out(open_table(ROWS.slice(0, 3000)).relation, Person("who"), 0.3)
    found = set(fetch(apart.table, apart.engine)["who"].to_pylist())
    assert set(fetch(fewer.table, fewer.engine)["who"].to_pylist()) == {who for who in found if who < 1000}


def test_rows_by_themselves_are_split_by_their_values() -> None:
    stay, apart = held_out(open_table(ROWS).relation, Row(), 0.3)
    numbers = [fetch(part.table, part.engine).num_rows for part in (stay, apart)]
    assert sum(numbers) == 6000
    assert abs(numbers[1] / 6000 - 0.3) < 0.03


def test_the_query_names_the_columns_that_are_read_and_no_other() -> None:
    said = wording(project(open_table(ROWS).relation, ["who"]), "stays")
    assert '"who"' in said
    assert '"x"' not in said
