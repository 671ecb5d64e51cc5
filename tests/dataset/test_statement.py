"""What is said about a table on the way in: caps, ranges and names, each once."""

import pytest

from privet.dataset import DataSet
from privet.dataset._statement import Caps, Statement, ends, pairs
from privet.errors import BadUsage, Contradicted, UnitNotStated
from privet.guarantee import Person, Row


def test_caps_for_all_tables_and_for_single_ones():
    caps = Caps.of("id", ["20", "visits=5"], ["visits=2"])
    assert caps.unit_of("stays") == Person("id", max_rows=20)
    assert caps.unit_of("visits") == Person("id", max_rows=5, max_groups=2)
    assert Caps.of("row", None, None).unit_of("stays") == Row()


def test_a_table_without_a_cap_is_refused():
    caps = Caps.of("id", ["visits=5"], None)
    with pytest.raises(BadUsage, match="'stays'"):
        caps.unit_of("stays")


def test_a_unit_is_stated_and_a_person_is_capped():
    with pytest.raises(UnitNotStated):
        Caps.of(None, ["20"], None)
    with pytest.raises(BadUsage):
        Caps.of("id", None, ["2"])
    for rows, groups in ((["20"], None), (None, ["2"])):
        with pytest.raises(BadUsage):
            Caps.of("row", rows, groups)


@pytest.mark.parametrize("given", [["x"], ["-1"], ["1.5"], ["=5"], [""], ["5", "6"], ["a=1", "a=2"], ["²"]])
def test_a_cap_is_a_whole_number_given_once(given):
    with pytest.raises(BadUsage):
        Caps.of("id", given, None)


def test_pairs_are_names_with_values():
    assert pairs(["days=0:60", "day=a=b"], "--bounds", "…") == [("days", "0:60"), ("day", "a=b")]
    assert pairs(None, "--bounds", "…") == []
    for wrong in (["days"], ["=1"], ["days="], ["days=1", "days=2"]):
        with pytest.raises(BadUsage):
            pairs(wrong, "--bounds", "days=0:60")


def test_two_ends_of_a_range():
    assert ends("0:60") == ("0", "60")
    assert ends("2026-01-01:2026-12-31") == ("2026-01-01", "2026-12-31")
    for wrong in ("0", ":60", "0:", ""):
        with pytest.raises(BadUsage):
            ends(wrong)


DECLARED = """dataset:
  source: a.csv
  unit: {column: row}
  ledger: a.ledger
  budget: {epsilon: 1}
columns: {}
purposes: {}
"""


def test_a_declared_data_set_is_not_contradicted(tmp_path):
    (tmp_path / "a.csv").write_text("id\n1\n")
    bare = DataSet.bare(str(tmp_path / "a.csv"))
    Statement(unit="id", max_rows=["3"]).refuse_beside(bare)
    (tmp_path / "privet.yaml").write_text("version: 1\n" + DECLARED)
    declared = DataSet.read(tmp_path / "privet.yaml")
    Statement(public=["a=b.csv"]).refuse_beside(declared)
    Statement().refuse_beside(declared)
    with pytest.raises(Contradicted, match="--unit, --max-rows, --table"):
        Statement(unit="id", max_rows=["3"], tables=["b=b.csv"]).refuse_beside(declared)
