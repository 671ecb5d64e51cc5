"""The names that a question can use, and the tables it may speak of."""

import pyarrow as pa
import pytest
from tests.protect.query.sql.registers import registers

import privet as pv
from privet import errors
from privet.engine import expressions as tree
from privet.protect.query.sql import Catalog, parse_sql, read_sql
from privet.protect.query.sql._name_scope import NameScope


@pytest.fixture(scope="module")
def catalog():
    return Catalog.of(None, registers())


def test_a_name_in_two_tables_must_say_which(catalog):
    tables = {**catalog.tables, "more": registers()["visits"]}
    with pytest.raises(errors.BadQuestion, match=r"v.ward or m.ward"):
        read_sql(
            "SELECT COUNT(*) FROM visits v JOIN more m USING (id) WHERE ward = 'A'", Catalog.of(None, tables)
        )
    read_sql(
        "SELECT COUNT(*) FROM visits v JOIN more m USING (id) WHERE m.ward = 'A'", Catalog.of(None, tables)
    )


def test_a_table_given_alone_answers_to_its_name_and_to_t():
    table = registers()["visits"]
    assert parse_sql("SELECT COUNT(*) FROM t", table).table is table
    assert parse_sql("SELECT COUNT(*) FROM Visits", table).table is table
    with pytest.raises(errors.BadQuestion, match="no table 'visit'"):
        parse_sql("SELECT COUNT(*) FROM visit", table)
    with pytest.raises(errors.BadQuestion, match="no table 'b'"):
        parse_sql("SELECT COUNT(*) FROM t JOIN b USING (id)", table)


def test_a_catalog_needs_a_table_and_finds_it_whatever_its_case():
    with pytest.raises(errors.BadUsage, match="SQL needs the table"):
        Catalog.of(None, None)
    every = registers()
    catalog = Catalog.of(every["visits"], {"main.patients": every["patients"]})
    assert catalog.find("VISITS") is catalog.find("T") is every["visits"]
    assert catalog.find("patients", "main") is every["patients"]
    assert catalog.find("patients") is None
    assert catalog.find("t", "main") is None
    assert Catalog.of(None, every).find("t") is None


def test_a_scope_that_only_renames_is_its_table():
    visits = registers()["visits"]
    scope = NameScope.of(visits, "v")
    assert scope.as_table() == (visits, {name: name for name in visits.columns})
    renamed = NameScope(visits, {"price": tree.Column("cost")}, {}).called("u")
    assert renamed.qualified == {("u", "price"): "price"}
    assert renamed.as_table()[1] == {"price": "cost"}


def test_computed_columns_carry_their_range_and_the_person_keeps_its_name():
    visits = registers()["visits"]
    double = tree.Arithmetic("*", tree.Column("cost"), tree.Literal(2))
    scope = NameScope(
        visits,
        {"who": tree.Column("id"), "Id": double},
        {},
        tree.Compare(">", tree.Column("cost"), tree.Literal(1)),
    )
    table, names = scope.as_table()
    assert names == {"who": "id", "Id": "Id_2"}, "nothing else may look like the person column"
    assert (table.bounds["Id_2"].lower, table.bounds["Id_2"].upper) == (0, 20)
    assert table.unit.column == "id"


def test_conditions_add_up():
    first, second = (tree.Compare(">", tree.Column("cost"), tree.Literal(edge)) for edge in (1, 2))
    scope = NameScope.of(registers()["visits"], "v").where(first)
    assert scope.condition == first
    assert scope.where(second).condition == tree.And(first, second)


def test_rows_as_units_have_no_person():
    table = pv.open_table(pa.table({"x": [1]}), unit=pv.Row(), name="t", version="1")
    assert NameScope.of(table, "t").person is None
