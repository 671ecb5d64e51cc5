"""Questions as a verb: which columns they name, and what they may cost."""

from types import SimpleNamespace

import pytest

import privet as pv
from privet.errors import BadUsage
from privet.verbs._release_verb import ReleaseOptions, ReleaseVerb, _named
from privet.verbs._verb_options import validated


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT ward, COUNT(*) AS n FROM t GROUP BY ward", ["ward", "n", "t", "ward"]),
        ("SELECT COUNT(*) FROM t WHERE x = 'secret name'", ["t", "x"]),
        ('SELECT "Order" FROM t', ["Order", "t"]),
        ('SELECT "a""b" FROM t', ['a"b', "t"]),
        ("SELECT SUM(x) FROM t WHERE y = 'it''s z'", ["x", "t", "y"]),
    ],
)
def test_names_are_columns_tables_and_aliases_but_no_values_functions_or_words(sql, names):
    assert _named(sql) == names


def test_it_reads_every_declared_column_that_stands_in_a_question_but_the_persons():
    declared = SimpleNamespace(
        columns=dict.fromkeys(["id", "Ward", "age", "x"]),
        dataset=SimpleNamespace(unit=SimpleNamespace(column="id")),
    )
    options = ReleaseOptions(
        sql=["SELECT COUNT(DISTINCT id) FROM t", "SELECT WARD, AVG(age) FROM t GROUP BY ward"], epsilon=1
    )
    assert ReleaseVerb().columns(options, declared, None) == ("Ward", "age")


def test_an_answer_needs_a_promise_or_an_error():
    with pytest.raises(BadUsage, match="needs a promise"):
        validated(ReleaseOptions, {"sql": "SELECT 1"})
    assert ReleaseOptions(sql="SELECT 1", error={"n": 50}).promised() is None
    assert ReleaseOptions(sql="SELECT 1", epsilon="0.5").promised() == pv.PureDP("0.5")
    assert ReleaseOptions(sql="SELECT 1", rho=1).questions == ["SELECT 1"]
    with pytest.raises(BadUsage):
        validated(ReleaseOptions, {"sql": [], "epsilon": 1})


def test_the_least_epsilon_is_found_from_the_error(tmp_path):
    import pyarrow as pa

    table = pv.open_table(pa.table({"id": [1, 2]}), unit=pv.Person("id", max_rows=1), name="t", version="1")
    options = ReleaseOptions(sql="SELECT COUNT(*) AS n FROM t", error={"n": 10})
    promise, split = options.settled(options.questions, {"table": table}, None)
    assert split["error"] == [{"n": "10"}]
    # Laplace noise of scale 1 / epsilon stays within 10 with probability 0.95.
    assert float(promise.epsilon) == pytest.approx(0.29, abs=0.02)
