"""What is known before anything is read: declarations, never a row."""

import pyarrow as pa
from tests.report.views import Checked, declared_set

import privet as pv
from privet.report._notebook_plans import data_set_view, table_view


def test_a_table_says_what_was_said_of_it() -> None:
    rows = pa.table({"id": ["Zquanzeria"] * 7, "age": [41] * 7})
    opened = pv.open_table(
        rows, name="t", unit=pv.Person("id", max_rows=3), bounds={"age": (0, 90)}, roles={"age": "quasi"}
    )
    text = Checked(table_view(opened)).text
    for said in ("age", "quasi", "in [0, 90]", "none stated", "no row is shown"):
        assert said in text
    assert "Zquanzeria" not in text
    assert "41" not in text
    assert "nobody yet: no unit is stated" in Checked(table_view(pv.open_table(rows))).text


def test_a_data_set_shows_its_declaration() -> None:
    text = Checked(data_set_view(declared_set())).text
    for said in ("quasi", "beds", "2099-01-01", "privet.yaml"):
        assert said in text
    assert "asks for them" in Checked(data_set_view(pv.DataSet.bare(pa.table({"a": [1]})))).text
