"""What cannot be private is refused before anything is spent, at its word, with what to ask instead."""

import pytest
from tests.protect.query.sql.registers import registers

from privet import errors
from privet.protect.query.sql import Catalog, read_sql

# The question, the word pointed at, and what is said.
REFUSED = [
    ("SELECT COUNT(*) FROM visits, patients", "patients", "without ON"),
    ("SELECT COUNT(*) FROM visits v JOIN patients p ON v.cost = p.age", "JOIN", "person by person"),
    ("SELECT COUNT(*) FROM visits v JOIN patients p ON v.id > p.id", "v", "equalities"),
    ("SELECT COUNT(*) FROM visits v RIGHT JOIN patients p USING (id)", "patients", "RIGHT JOIN"),
    ("SELECT id, COUNT(*) FROM visits v JOIN patients p ON v.id = p.id GROUP BY idd", "idd", "no column"),
    ("SELECT v.nope, COUNT(*) FROM visits v GROUP BY v.nope", "v", "no column 'nope'"),
    ("SELECT x.ward, COUNT(*) FROM visits v GROUP BY x.ward", "x", "no table 'x'"),
    ("SELECT COUNT(*) FROM nowhere", "nowhere", "no table"),
    ("SELECT COUNT(*) FROM wards", "wards", "public table"),
    ("SELECT COUNT(*) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)", "GROUP", "several persons"),
    ("SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM visits)", "COUNT", "several persons"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY cost LIMIT 5)", "ORDER", "ORDER in a sub-query"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT ward FROM visits)", "DISTINCT", "depends on other"),
    ("SELECT COUNT(*) FROM (SELECT cost * 2 FROM visits)", "cost", "needs a name"),
    ("SELECT SUM(total) FROM (SELECT id, SUM(id) AS total FROM visits GROUP BY id)", "id", "public bounds"),
    ("SELECT SUM(id) FROM visits", "id", "no public bounds"),
    ("SELECT COUNT(*) * SUM(cost) FROM visits", "COUNT", "not multiplied"),
    ("SELECT SUM(cost) / COUNT(*) - SUM(nights) / COUNT(*) FROM visits", "SUM", "no sound error bar"),
    ("SELECT SUM(cost) / 0 FROM visits", "SUM", "divided by zero"),
    ("SELECT LOWER(ward) FROM visits", "ward", "must stand in GROUP BY"),
    ("SELECT COUNT(*) FROM visits WHERE COUNT(*) > 3", "COUNT", "one by one"),
    ("SELECT COUNT(*) FROM visits WHERE cost", "cost", "true or false"),
    ("SELECT COUNT(*) FROM visits WHERE ward LIKE 'A%'", "ward", "not on the list"),
    ("SELECT COUNT(*) FROM visits WHERE ward = NULL", "ward", "not on the list"),
    ("SELECT COUNT(*) FROM visits WHERE day > 'soon'", "", "a date is written"),
    ("SELECT COUNT(*) FROM visits WHERE ward > 3", "ward", "do not go together"),
    ("SELECT COUNT(*) OVER () FROM visits", "COUNT", "window functions"),
    ("SELECT COUNT(DISTINCT id) FILTER (WHERE cost > 3) FROM visits", "COUNT", "under a FILTER"),
    ("SELECT SUM(DISTINCT cost) FROM visits", "SUM", "DISTINCT"),
    ("SELECT MAX(cost) FROM visits", "MAX", "cannot be answered privately"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY 7", "7", "no such place"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY COUNT(*)", "COUNT", "cannot be grouped by"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING LOWER(ward) = 'a'", "LOWER", "lower"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY cost", "cost", "must stand in GROUP BY"),
    ("SELECT *, COUNT(*) FROM visits", "*", "show rows"),
    ("WITH RECURSIVE r AS (SELECT * FROM visits) SELECT COUNT(*) FROM r", "WITH", "RECURSIVE"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits UNION ALL SELECT * FROM visits)", "*", "one SELECT"),
]  # fmt: skip


@pytest.fixture(scope="module")
def catalog():
    return Catalog.of(None, registers())


@pytest.mark.parametrize(("text", "word", "says"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_refusals_point_at_the_word_and_say_why(catalog, text, word, says):
    asked = f"-- a question\n{text}"
    with pytest.raises(errors.BadQuestion) as caught:
        read_sql(asked, catalog)
    assert says in caught.value.fact
    assert caught.value.hint
    if word:
        *_, place, line, caret = caught.value.fact.splitlines()
        assert line[caret.index("^") :].startswith(word), caught.value.fact
        assert place.strip() == f"line 2, column {caret.index('^') - 1}"
        assert (caught.value.details["line"], caught.value.details["column"]) == (2, caret.index("^") - 1)
