"""One query from text: what would shape the answer is not lost."""

import pytest
from tests.protect.query.sql.registers import registers

from privet import errors
from privet.protect.query.sql import parse_sql


def test_shapes_are_not_lost_where_only_a_query_is_wanted():
    for tail in ("HAVING COUNT(*) > 1", "ORDER BY 1", "LIMIT 1"):
        with pytest.raises(errors.BadUsage):
            parse_sql(f"SELECT ward, COUNT(*) AS n FROM t GROUP BY ward {tail}", registers()["visits"])


def test_the_query_is_the_one_that_was_asked():
    table = registers()["visits"]
    query = parse_sql("SELECT ward, COUNT(*) AS n FROM t WHERE cost > 2 GROUP BY ward", table)
    assert (query.keys, [name for name, _ in query.aggregates]) == (("ward",), ["n"])
    assert query.table is table
    assert query.where is not None
    for shaped in (
        "SELECT ward AS w, COUNT(*) AS n FROM t GROUP BY ward",
        "SELECT COUNT(*) + 1 AS n FROM t",
        "SELECT ward, COUNT(*) AS n FROM t GROUP BY ROLLUP (ward)",
    ):
        with pytest.raises(errors.BadUsage, match="shape one answer"):
            parse_sql(shaped, table)
