"""Tables: what is said about them is checked as a whole, and none of their rows is ever printed."""

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


def test_printing_a_table_shows_no_row(frame):
    shown = repr(
        pv.open_table(frame, roles={"name": "direct"}, bounds={"days": (0, 60)}, keys={"ward": ["A"]})
    )
    assert CANARY not in shown
    assert "days: integer, in [0, 60] (stated by the caller)" in shown
    assert "name: text, direct" in shown


def test_all_faults_are_raised_at_once_with_what_was_meant(frame):
    with pytest.raises(errors.BadDeclaration) as caught:
        pv.open_table(
            frame,
            unit=pv.Person("patient"),
            roles={"nmae": "direct", "ward": "quazi"},
            bounds={"dais": (0, 1), "ward": (0, 1), "cost": (5, 2), "days": "0-60"},
            keys={"wrad": ["A"], "days": ["x"]},
        )
    faults = caught.value.details["faults"]
    assert len(faults) == 9
    for meant in ("'patient_id'", "'name'", "'quasi'", "'days'", "'ward'"):
        assert f"Did you mean {meant}" in str(caught.value)


@pytest.mark.parametrize("column", ["cost"])
def test_a_real_number_does_not_identify_a_person(frame, column):
    with pytest.raises(errors.BadDeclaration, match="do not identify persons"):
        pv.open_table(frame, unit=pv.Person(column))


@pytest.mark.parametrize("wrong", [{"unit": "patient_id"}, {"name": " "}, {"version": ""}, {"version": 3}])
def test_refuses_units_names_and_versions_of_the_wrong_sort(frame, wrong):
    with pytest.raises(errors.BadInput, match=next(iter(wrong))):
        pv.open_table(frame, **wrong)


def test_a_table_without_a_unit_hides_nobody_and_says_so(frame):
    table = pv.open_table(frame)
    assert "nobody yet" in repr(table)
    with pytest.raises(errors.BadUnit, match="whose presence"):
        table.unit_or_refuse()


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
