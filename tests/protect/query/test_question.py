"""Whatever way a question is asked, queries come of it."""

import pytest
from tests.protect.hospital import open_stays

import privet as pv
from privet.errors import BadUsage
from privet.protect.query._question import asking


def test_a_query_is_its_own_only_query_and_its_answer_stays_as_it_is():
    query = open_stays().agg(n=pv.count())
    asked = asking(query, None, None)
    assert asked.queries == (query,)
    assert asked.finished(["the answer"]) == "the answer"
    assert (asked.afterwards, asked.notes) == ((), ())


def test_text_speaks_of_the_table_and_says_what_is_done_afterwards():
    table = open_stays()
    plain = asking("SELECT COUNT(*) AS n FROM t", table, None)
    assert [query.table for query in plain.queries] == [table]
    assert plain.afterwards == ()
    shaped = asking(
        "SELECT ward, COUNT(*) AS n FROM t GROUP BY ROLLUP (ward) HAVING COUNT(*) > 3", table, None
    )
    assert [query.keys for query in shaped.queries] == [("ward",), ()]
    assert "noisy values meet" in shaped.afterwards[0]
    assert shaped.notes


@pytest.mark.parametrize("question", [None, 3, ["SELECT 1"], b"SELECT 1"])
def test_anything_else_is_no_question(question):
    with pytest.raises(BadUsage, match="a query or SQL text"):
        asking(question, open_stays(), None)


def test_text_needs_a_table():
    with pytest.raises(BadUsage, match="SQL needs the table"):
        asking("SELECT COUNT(*) FROM t", None, None)
