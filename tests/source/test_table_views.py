"""Joined tables: whose rows they are, what is public about them, and what cannot be joined."""

import duckdb
import pyarrow as pa
import pytest
from tests.protect.query.sql.registers import patients, registers, visits

import privet as pv
from privet import errors


def test_a_join_of_private_tables_has_the_product_of_both_caps():
    tables = registers()
    joined = tables["patients"].join(tables["visits"], on="id")
    assert joined.unit == pv.Person("id", max_rows=4)
    assert list(joined.columns) == ["id", "sex", "age", "ward", "day", "cost", "nights"]
    assert set(joined.bounds) == {"age", "cost", "nights"}
    assert set(joined.keys) == {("sex",), ("ward",)}
    assert "day" in joined.spans
    narrow = tables["patients"].join(tables["visits"], on="id", max_rows=3, max_groups=2)
    assert (narrow.unit.max_rows, narrow.unit.max_groups) == (3, 2)
    with pytest.raises(errors.BadUnit, match="at most 1 \\* 4"):
        tables["patients"].join(tables["visits"], on="id", max_rows=5)


def test_a_public_table_brings_its_values_as_public_keys_and_bounds():
    tables = registers()
    beds = pv.open_public(pa.table({"ward": ["A", "B"], "site": ["n", "s"], "beds": [10, 40]}), name="beds")
    inner = tables["visits"].join(beds, on="ward")
    left = tables["visits"].join(beds, on={"ward": "ward"}, how="left", rename={"site": "place"})
    assert inner.unit == tables["visits"].unit
    assert [key for (key,) in inner.keys["site",].values] == ["n", "s"]
    assert [key for (key,) in left.keys["place",].values] == ["n", "s", None]
    assert (inner.bounds["beds"].lower, inner.bounds["beds"].upper) == (10, 40)
    assert inner.group_by("site").agg(n=pv.count(), b=pv.sum("beds")).public_keys().num_rows == 2


def test_what_cannot_be_joined_is_refused():
    tables = registers()
    rows = pv.open_table(visits(), unit=pv.Row())
    uncapped = pv.open_table(visits(), unit=pv.Person("id"))
    with pytest.raises(errors.BadQuery, match="person by person"):
        tables["patients"].join(tables["visits"], on={"age": "cost"})
    with pytest.raises(errors.BadUnit, match="one row"):
        tables["patients"].join(rows, on="id")
    with pytest.raises(errors.BadUnit, match="how many rows"):
        tables["patients"].join(uncapped, on="id")
    with pytest.raises(errors.BadQuery, match="both tables have a column 'cost'"):
        tables["visits"].join(tables["visits"], on="id")
    with pytest.raises(errors.BadQuery, match="no column 'idd'"):
        tables["patients"].join(tables["visits"], on="idd")
    with pytest.raises(errors.BadQuery, match="nothing to cap"):
        tables["visits"].join(tables["wards"], on="ward", max_rows=3)
    with pytest.raises(errors.BadKeys, match="occurs twice"):
        tables["visits"].join(pv.open_public(pa.table({"ward": ["A", "A"], "x": [1, 2]})), on="ward")


def test_two_joins_are_the_same_question_only_if_they_are_the_same():
    tables = registers()
    wards = tables["wards"]
    other = pv.open_public(pa.table({"ward": ["A", "B"], "site": ["north", "west"]}), name="wards")
    names = {
        tables["visits"].join(wards, on="ward").name,
        tables["visits"].join(wards, on="ward", how="left").name,
        tables["visits"].join(other, on="ward").name,
    }
    assert len(names) == 3
    assert tables["visits"].join(wards, on="ward").name in names


def test_files_frames_and_tables_of_one_database_file_meet(tmp_path):
    with duckdb.connect(str(tmp_path / "r.duckdb")) as database:
        database.register("p", patients())
        database.register("v", visits())
        database.execute("CREATE TABLE patients AS SELECT * FROM p")
        database.execute("CREATE TABLE visits AS SELECT * FROM v")
        database.execute(f"COPY v TO '{tmp_path / 'visits.csv'}' (HEADER)")
    person, many = pv.Person("id", max_rows=1), pv.Person("id", max_rows=4)
    lefts = [patients(), f"{tmp_path}/r.duckdb#patients"]
    rights = [visits(), f"{tmp_path}/r.duckdb#visits", tmp_path / "visits.csv"]
    for left in lefts:
        for right in rights:
            joined = pv.open_table(left, unit=person).join(pv.open_table(right, unit=many), on="id")
            assert joined.relation.table.count().execute() == 300
            assert joined.fingerprint.startswith("snapshots:")


def test_a_joined_file_that_changed_is_noticed(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("id,ward\n1,A\n", encoding="utf-8")
    joined = pv.open_table(patients(), unit=pv.Person("id", max_rows=1)).join(
        pv.open_table(path, unit=pv.Person("id", max_rows=2)), on="id"
    )
    assert joined.fingerprint
    path.write_text("id,ward\n1,A\n2,B\n", encoding="utf-8")
    with pytest.raises(errors.SourceChanged):
        _ = joined.fingerprint


def test_a_torn_file_behind_a_join_shows_before_anything_is_booked(tmp_path):
    path = tmp_path / "visits.csv"
    rows = "".join(f"{at},A,1\n" for at in range(30_000))
    path.write_text(f"id,ward,n\n{rows}7,A,not a number\n", encoding="utf-8")
    joined = pv.open_table(patients(), unit=pv.Person("id", max_rows=1)).join(
        pv.open_table(path, unit=pv.Person("id", max_rows=2)), on="id"
    )
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.PureDP(1)) as ledger:
        with pytest.raises(errors.MalformedSource):
            pv.release(joined.agg(n=pv.count()), pv.PureDP(1), ledger=ledger, why="test")
        assert ledger.balance().spends == 0


def test_public_tables_have_rows_and_a_name():
    with pytest.raises(errors.BadDeclaration, match="no rows"):
        pv.open_public(pa.table({"a": pa.array([], pa.int64())}))
    table = pv.open_public(pa.table({"a": [1], "x": [0.5]}), name="one")
    assert repr(table) == "PublicTable 'one': a, x (1 rows)"
    assert table.keys_of("x", with_missing=False) is None
    assert table.digest() != pv.open_public(pa.table({"a": [2], "x": [0.5]}), name="one").digest()


def test_tables_of_one_name_joined_the_other_way_round_are_another_view():
    one, other = (
        pv.open_table(pa.table({"id": [1], "x": [x]}), unit=pv.Person("id", max_rows=1), name="t")
        for x in (1, 2)
    )
    there = one.join(other, on="id", rename={"x": "y"})
    back = other.join(one, on="id", rename={"x": "y"})
    assert there.name == back.name
    assert there.fingerprint != back.fingerprint
    assert there.fingerprint == one.join(other, on="id", rename={"x": "y"}).fingerprint
