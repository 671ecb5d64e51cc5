"""The same coded marginals and tallies on every engine: gaps, dates, categories, and several rows of a person."""

import numpy as np
import pyarrow as pa
import pytest
from tests.conftest import Engine
from tests.engine.test_coded_marginals import COLUMNS, KIND, PEOPLE, SETS

from privet.engine import prepare_marginals, row_tallies
from privet.guarantee import Person, Row

UNITS = {"rows": Row(), "persons": Person("person", max_rows=2)}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_every_engine_counts_the_same(engine, unit) -> None:
    rows = pa.Table.from_pylist(PEOPLE, KIND)
    found = []
    for one in (engine, Engine("duckdb", None)):
        relation = one.load(rows)
        counted = prepare_marginals(relation, COLUMNS, unit, SETS)()
        tallied = row_tallies(relation, COLUMNS, unit, lambda codes: codes.astype(np.int64), (3, 5, 3, 3))
        assert counted.failure is None
        assert tallied.failure is None
        assert all((tallied._counts[at,] == counted._counts[at,]).all() for at in range(4))
        found.append(counted._counts)
    here, there = found
    assert all((here[one] == there[one]).all() for one in SETS)
