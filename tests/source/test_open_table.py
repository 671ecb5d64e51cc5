"""The door for private data: what is said is kept, and what makes no sense is refused before a row is read."""

import pandas as pd
import pyarrow as pa
import pytest

import privet as pv
from privet import errors
from privet.source import Origin, Role

CANARY = "Canary Wharfinger"


@pytest.fixture
def frame():
    return pa.table(
        {
            "patient_id": [1, 1, 2],
            "name": [CANARY] * 3,
            "ward": ["A", "B", "A"],
            "days": [3, 4, 50],
            "cost": [1.0, 2.0, 3.0],
        }
    )


def test_open_table_keeps_what_is_said(frame):
    table = pv.open_table(
        frame,
        unit=pv.Person("patient_id", max_rows=5),
        roles={"name": "direct", "ward": Role.QUASI},
        bounds={"days": (0, 60), "cost": pv.Bounds(0, "1e4", why="tariff 2026")},
        keys={"ward": ["A", "B", "C"]},
        name="stays",
        version="2026-11-01",
    )
    assert table.with_role("direct") == ["name"]
    assert table.roles == {"name": Role.DIRECT, "ward": Role.QUASI}
    assert table.bounds["days"].origin is Origin.STATED
    assert len(table.keys["ward",]) == 3
    assert table.fingerprint == "stays@2026-11-01"
    assert table.unit_or_refuse() == pv.Person("patient_id", max_rows=5)


def test_tables_are_named_after_their_source(tmp_path, frame):
    frame.to_pandas().to_csv(tmp_path / "stays.csv", index=False)
    assert pv.open_table(tmp_path / "stays.csv").name == "stays"
    assert pv.open_table(str(tmp_path / "stays.csv"), name="x").name == "x"
    assert pv.open_table(frame).name == "table"


def test_text_file_options_reach_the_file_and_are_refused_elsewhere(tmp_path, frame):
    (tmp_path / "t.csv").write_text("zip;days\n98701;2\n")
    table = pv.open_table(tmp_path / "t.csv", types={"zip": "text"}, delimiter=";")
    assert [kind.value for kind in table.columns.values()] == ["text", "integer"]
    with pytest.raises(errors.BadDeclaration):
        pv.open_table(frame, types={"name": "text"})
    with pytest.raises(errors.BadDeclaration, match="embedded"):
        pv.open_table("postgresql://127.0.0.1:1/x#t", speed=pv.Speed(threads=1))


def test_frames_of_any_library_open(frame):
    for thing in (frame, frame.to_pandas(), pd.DataFrame({"patient_id": [1]})):
        assert "patient_id" in pv.open_table(thing).columns
    with pytest.raises(errors.UnknownFormat):
        pv.open_table(42)


def test_several_columns_together_identify_a_person(frame):
    table = pv.open_table(frame, unit=pv.Person("ward,patient_id", max_rows=2), roles={"days": "sensitive"})
    assert table.roles["ward,patient_id"] is Role.DIRECT
    assert table.roles["days"] is Role.SENSITIVE
    assert "ward,patient_id" in table.relation.columns


@pytest.mark.parametrize(
    ("column", "says"),
    [("ward,patient", "no column 'patient'"), ("ward,cost", "'cost' holds"), ("ward,ward", "twice")],
)
def test_columns_that_identify_nobody_together_are_refused(frame, column, says):
    with pytest.raises(errors.BadDeclaration, match=says):
        pv.open_table(frame, unit=pv.Person(column, max_rows=2))


@pytest.mark.parametrize("name", ["", "  ", 3])
def test_a_name_is_a_short_text(frame, name):
    with pytest.raises(errors.BadInput):
        pv.open_table(frame, name=name)
    assert pv.open_table(frame, name=" stays ").name == "stays"


def test_a_version_names_the_state_of_the_data(frame):
    first, second = (pv.open_table(frame, version=version).snapshot for version in ("2026-01", "2026-02"))
    again = pv.open_table(frame, version="2026-01").snapshot
    assert first.name == again.name != second.name
