"""Where one statement ends and the next begins: semicolons in quotes and comments tell nothing apart."""

import pytest

from privet.errors import BadQuestion
from privet.protect.query.sql import statements


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (";;  ; ", []),
        ("-- nothing; at all", []),
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;", ["SELECT 1"]),
        ("SELECT 1; -- done; really\n", ["SELECT 1"]),
        ("SELECT ';' ; SELECT 2", ["SELECT ';'", "SELECT 2"]),
        ('SELECT ";" /* ; */ FROM t;SELECT 2', ['SELECT ";" /* ; */ FROM t', "SELECT 2"]),
        ("SELECT 'it''s; fine';SELECT 2;", ["SELECT 'it''s; fine'", "SELECT 2"]),
    ],
)
def test_statements_are_told_apart(text, parts):
    assert statements(text) == parts


@pytest.mark.parametrize("text", ["SELECT 'open", 'SELECT "open', "SELECT 'a'; SELECT 'b"])
def test_what_does_not_end_is_refused_and_not_shown(text):
    with pytest.raises(BadQuestion, match="does not end") as refused:
        statements(text)
    assert "open" not in str(refused.value)
