"""A draft is read off the data, says so, and comes back from its file as it was."""

import datetime
import json

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import NotPublic
from privet.protect.train.tabular._schema_draft import drafted, schema_record, schema_text
from privet.protect.train.tabular._schema_file import read_schema, schema_from
from privet.source import Origin

ROWS = pa.table(
    {
        "age": list(range(20, 60)),
        "grade": [1, 2, 3, 4] * 10,
        "income": [0.5 + at for at in range(40)],
        "town": ["Hill", "Bay"] * 20,
        "name": [f"person {at}" for at in range(40)],
        "ok": [True, False] * 20,
        "born": [datetime.date(1990, 1, 1) + datetime.timedelta(days=at) for at in range(40)],
        "same": [7] * 40,
    }
)


@pytest.fixture(scope="module")
def draft():
    return drafted(pv.open_table(ROWS), leave_out=["name"])


def test_kinds_bounds_and_values_are_those_of_the_data(draft):
    known = draft.columns
    assert {name: one.kind for name, one in known.items()} == {
        "age": "number", "grade": "category", "income": "number", "town": "category", "name": "ignore",
        "ok": "category", "born": "date", "same": "ignore",
    }  # fmt: skip
    assert (known["age"].lower, known["age"].upper) == (20, 59)
    assert sorted(known["grade"].values) == ["1", "2", "3", "4"]
    assert sorted(known["town"].values) == ["Bay", "Hill"]
    assert known["ok"].values == ("false", "true")


def test_what_was_read_off_the_data_is_refused_until_confirmed(draft):
    assert set(draft.unconfirmed) == {"age", "grade", "income", "town", "born"}, (
        "truth values are the same everywhere"
    )
    assert known_origins(draft) == {Origin.DATA, Origin.SCHEMA}
    with pytest.raises(NotPublic):
        draft.require_public(["age"])
    assert draft.confirmed("the form says so").unconfirmed == []


def known_origins(schema):
    return {one.origin for one in schema.columns.values()}


@pytest.mark.parametrize("name", ["schema.yaml", "schema.json"])
def test_a_file_holds_the_draft_and_says_what_it_is(draft, name, tmp_path):
    text = schema_text(name, draft)
    (tmp_path / name).write_text(text, encoding="utf-8")
    again = read_schema(tmp_path / name)
    assert again == draft
    assert again.unconfirmed == draft.unconfirmed
    if name.endswith("yaml"):
        assert "READ OFF THE DATA" in text
    assert schema_from(json.loads(json.dumps(schema_record(draft))), "it") == draft
