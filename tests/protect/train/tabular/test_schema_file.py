"""Schemas in files: words are words, and all faults are named at once."""

import pyarrow as pa
import pytest

from privet.errors import BadTraining
from privet.protect.train.tabular._schema_file import read_schema, schema_from, schema_of
from privet.source import Origin


def test_yes_and_no_are_words_in_schemas_and_truth_in_columns(tmp_path):
    """YAML and readers of CSV take yes and no for truth values; what was meant is found either way."""
    from privet.artifact._feature_encoding import CategoryColumn
    from privet.protect.train.tabular._schema_file import read_schema

    (tmp_path / "s.yaml").write_text(
        "columns:\n  y: {kind: category, values: [yes, no]}\n  x: {kind: category, values: [true, false]}\n",
        encoding="utf-8",
    )
    schema = read_schema(tmp_path / "s.yaml")
    assert schema.columns["y"].values == ("yes", "no")
    assert schema.columns["x"].values == ("true", "false")
    for values in (("yes", "no"), ("Y", "N"), ("1", "0"), ("true", "false")):
        codes = CategoryColumn("y", values).codes(pa.chunked_array([[True, False, None]]))
        assert codes.tolist() == [0, 1, 2]
    assert CategoryColumn("y", ("yes", "maybe")).codes(pa.chunked_array([[True, False]])).tolist() == [0, 2]


X = {"kind": "number", "lower": 0, "upper": 10}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "is not a schema"),
        ([], "is not a schema"),
        ({"columns": {}}, "is not a schema"),
        ({"columns": {"x": X}, "colums": 1}, "unknown parts: colums"),
        ({"columns": {"x": X}, "format": "other/2"}, "unknown format"),
        ({"columns": {"x": X}, "records": "many"}, "records must be a whole number"),
        ({"columns": {"x": X}, "records": True}, "records must be a whole number"),
        ({"columns": {"x": {"kind": "text"}}}, "needs a kind"),
        ({"columns": {"x": {**X, "uper": 3}}}, "unknown facts: uper"),
        ({"columns": {"x": {**X, "origin": "a friend"}}}, "unknown origin"),
        ({"columns": {"x": {**X, "lower": "0"}}}, "are numbers"),
        ({"columns": {"x": {**X, "lower": True}}}, "are numbers"),
        ({"columns": {"x": {**X, "lower": 10}}}, "lower below the upper"),
        ({"columns": {"x": {**X, "upper": float("inf")}}}, "lower below the upper"),
        ({"columns": {"x": {**X, "scale": "cubic"}}}, "unknown scale"),
        ({"columns": {"d": {"kind": "date", "lower": "soon", "upper": "2026-01-01"}}}, "are days"),
        ({"columns": {"c": {"kind": "category", "values": "ab"}}}, "are a list"),
        ({"columns": {"c": {"kind": "category", "values": []}}}, "list of its values"),
        ({"columns": {"c": {"kind": "category", "values": ["a", "a"]}}}, "twice"),
    ],
)
def test_faults_are_named(content, words):
    with pytest.raises(BadTraining, match=words):
        schema_from(content, "the schema")


def test_all_faults_are_named_at_once():
    with pytest.raises(BadTraining) as refused:
        schema_from({"columns": {"x": {"kind": "odd"}, "y": {"kind": "odder"}}, "format": "z"}, "it")
    assert all(word in str(refused.value) for word in ("'x'", "'y'", "format"))


def test_a_confirmation_makes_what_was_read_public_and_nothing_else():
    entry = {**X, "origin": Origin.DATA.value}
    found = schema_from({"columns": {"x": entry, "z": X}, "confirmed": "the form"}, "it")
    assert found.columns["x"].origin is Origin.CONFIRMED
    assert found.columns["z"].origin is Origin.STATED
    assert schema_from({"columns": {"x": entry}, "confirmed": ""}, "it").unconfirmed == ["x"]


@pytest.mark.parametrize("text", ["a: [", "{", "\ufeff{]"])
def test_a_file_that_is_neither_yaml_nor_json_is_refused_without_its_text(text, tmp_path):
    for name in ("s.yaml", "s.json"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(BadTraining) as refused:
            read_schema(tmp_path / name)
        assert text not in str(refused.value)
    with pytest.raises(BadTraining, match="cannot be read"):
        read_schema(tmp_path / "none.yaml")
    with pytest.raises(BadTraining, match="is not a schema"):
        read_schema(3)


def test_columns_by_name_are_a_schema_and_a_table_states_its_own():
    import pyarrow as pa

    import privet as pv

    table = pv.open_table(pa.table({"x": [1.0], "ok": [True], "free": ["a"]}), bounds={"x": (0, 4)})
    assert set(schema_of({"x": X}, table).columns) == {"x"}
    own = schema_of(None, table)
    assert set(own.columns) == {"x", "ok"}
    assert (own.columns["x"].lower, own.columns["x"].upper) == (0, 4)
