"""`privet query` with several questions and with wanted errors, as a person types it."""

import json

import pytest
from tests.app.test_query_command import UNIT, _privet, folder, made  # noqa: F401  the fixtures
from tests.protect.hospital import open_stays

from privet import errors
from privet.app._query_batch import questions_of
from privet.protect.query._epsilon_for_error import errors_by_question
from privet.protect.query.sql._statement_split import statements

TWO = "SELECT COUNT(*) AS n FROM t; SELECT ward, COUNT(*) AS m FROM t GROUP BY ward"
KEYS = ["--keys", "ward=Surgery,Oncology"]


def test_statements_are_told_apart_by_semicolons_outside_quotes_and_comments():
    text = "SELECT ';' AS a FROM t; -- one; two\nSELECT 2 /* ; */ FROM \"x;y\";\n ; -- end"
    assert statements(text) == ["SELECT ';' AS a FROM t", '-- one; two\nSELECT 2 /* ; */ FROM "x;y"']
    assert statements(" ; ;") == []
    with pytest.raises(errors.BadQuestion):
        statements("SELECT 'open FROM t")


def test_two_questions_are_one_release(folder):  # noqa: F811
    ledger = ["--ledger", "two.ledger", "--budget", "3"]
    options = ["--epsilon", "1", *UNIT, *KEYS, *ledger]
    said = json.loads(_privet(folder, "query", "patients.csv", TWO, *options, "-o", "two.json", "--json").out)
    first, second = said["answers"]
    assert first["receipt"] == second["receipt"]
    assert float(first["receipt"]["remaining"]["epsilon"]) == pytest.approx(2)
    assert second["keys"]["ward"] == ["Surgery", "Oncology"]
    assert json.loads((folder / "two-2.json").read_text("utf-8"))["keys"] == second["keys"]
    (folder / "two.sql").write_text(TWO, "utf-8")
    again = _privet(folder, "query", "patients.csv", "--file", "two.sql", *options, "--json")
    assert json.loads(again.out) == said
    heavy = json.loads(
        _privet(folder, "query", "patients.csv", TWO, *options, "--weights", "100,1", "--json").out
    )["answers"]
    assert _width(heavy[0]) < _width(first)
    assert _width(heavy[1]) > _width(second)


def _width(answer):
    return answer["answers"][0]["high"][0] - answer["answers"][0]["low"][0]


def test_the_error_wanted_decides_the_epsilon(folder):  # noqa: F811
    options = [*UNIT, *KEYS, "--ledger", "error.ledger"]
    wanted = ["--error", "n=50", "--error", "2.m=20"]
    said = json.loads(
        _privet(folder, "query", "patients.csv", TWO, *wanted, *options, "--explain", "--json").out
    )
    assert said["expected_error"] == ["Question 1: n: ± 50", "Question 2: m: ± 20"]
    epsilon = said["promise"]["epsilon"]
    assert 0.1 < float(epsilon) < 10
    assert "noise" in said["noise"]
    answers = json.loads(
        _privet(folder, "query", "patients.csv", TWO, *wanted, *options, "--budget", "9", "--json").out
    )["answers"]
    assert answers[0]["promise"]["epsilon"] == epsilon
    assert _width(answers[0]) == 100


def test_what_does_not_fit_is_refused(tmp_path):
    (tmp_path / "two.sql").write_text(TWO, "utf-8")
    for sql, file, words in (
        (" ; ", None, "there is no question"),
        (None, None, "there is no question"),
        (TWO, tmp_path / "two.sql", "command line or in a file"),
        (None, tmp_path / "none.sql", "cannot be read"),
    ):
        with pytest.raises(errors.BadUsage, match=words):
            questions_of(sql, file)
    table = open_stays()
    with pytest.raises(errors.BadUsage, match="no question has an answer called 'k'"):
        errors_by_question(statements(TWO), {"n": 5, "k": 2}, table=table)
    assert errors_by_question(statements(TWO), {"n": 5, "2.m": 3}, table=table) == [{"n": 5}, {"m": 3}]
