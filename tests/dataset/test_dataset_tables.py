"""Tables of a data set: one alone, others by name, opened when they are asked for."""

import pytest

from privet.dataset import DataSet, Statement, Tables
from privet.errors import BadUsage, PrivetError, UnitNotStated
from privet.guarantee import Person
from privet.source import PublicTable


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "stays.csv").write_text("id,ward,days\n1,ICU,3\n2,ER,4\n")
    (tmp_path / "visits.csv").write_text("id,days\n1,1\n1,2\n")
    (tmp_path / "wards.csv").write_text("ward,beds\nICU,10\nER,20\n")
    return tmp_path


def tables(folder, **said):
    return Tables(
        DataSet.bare(str(folder / "stays.csv")), Statement(**{"unit": "id", "max_rows": ["5"], **said})
    )


def test_one_file_is_one_table_with_what_is_said_of_it(folder):
    found = tables(folder, bounds=["days=0:60"], keys=["ward=ICU,ER"], max_groups=["2"])
    assert list(found) == ["stays"]
    assert len(found) == 1
    assert found.alone is found["stays"]
    assert found.alone.unit == Person("id", max_rows=5, max_groups=2)
    assert found.question() == {"table": found.alone, "tables": {}}


def test_others_are_opened_on_first_use(folder):
    found = tables(
        folder,
        tables=[f"visits={folder / 'visits.csv'}"],
        public=[f"wards={folder / 'wards.csv'}"],
        max_rows=["5", "visits=7"],
    )
    assert set(found) == {"stays", "visits", "wards"}
    assert len(found.opened()) == 1
    assert found["visits"].unit == Person("id", max_rows=7)
    assert isinstance(found["wards"], PublicTable)
    assert len(found.opened()) == 3
    assert found["wards"] is found["wards"]
    assert set(found.question()["tables"]) == {"visits", "wards"}
    with pytest.raises(KeyError):
        found["nothing"]


def test_what_is_said_of_a_column_goes_to_the_table_that_has_it(folder):
    found = tables(
        folder,
        tables=[f"visits={folder / 'visits.csv'}"],
        bounds=["visits.days=0:9", "stays.days=0:60", "beds=0:5"],
    )
    assert tuple(map(int, _bounds(found["visits"], "days"))) == (0, 9)
    assert tuple(map(int, _bounds(found["stays"], "days"))) == (0, 60)


def _bounds(table, column):
    known = table.bounds[column]
    return (known.lower, known.upper) if hasattr(known, "lower") else known


def test_a_column_that_a_table_alone_does_not_have_is_refused(folder):
    with pytest.raises(PrivetError):
        tables(folder, bounds=["weeks=0:60"])


def test_names_are_given_once_and_a_unit_is_stated(folder):
    with pytest.raises(BadUsage, match="two tables"):
        tables(folder, tables=[f"stays={folder / 'visits.csv'}"])
    with pytest.raises(BadUsage, match="two tables"):
        tables(folder, public=[f"stays={folder / 'wards.csv'}"])
    with pytest.raises(UnitNotStated):
        tables(folder, unit=None)
