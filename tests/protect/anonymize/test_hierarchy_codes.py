"""Hierarchies laid against a table: made where none is given, refused where they cannot tell values apart."""

import pyarrow as pa
import pytest
from tests.protect.anonymize.people import hierarchies, opened

import privet as pv
from privet.engine import frequency_table
from privet.errors import BadAnonymization, HierarchyIncomplete
from privet.protect.anonymize._anonymize_request import request
from privet.protect.anonymize._hierarchy_codes import hierarchies_of, laid_against
from privet.protect.anonymize.hierarchies import Hierarchy


def test_hierarchies_are_made_where_none_is_given() -> None:
    made = pv.anonymize(opened(), pv.KAnonymity(5), max_suppressed="0.05", search="local")
    assert made.after.smallest_class >= 5
    assert any("hierarchies made" in stage for stage in made.provenance.stages)


@pytest.mark.parametrize("search", ["optimal", "local", "mondrian"])
def test_missing_values_beside_empty_texts_are_refused_in_plain_words(search: str) -> None:
    table = pa.table({"town": ["a", "", None, "a", "", None], "age": [1] * 6})
    with pytest.raises(
        BadAnonymization, match="'town': some values are missing and some are texts of no letters"
    ):
        pv.anonymize(
            pv.open_table(table, roles={"town": "quasi", "age": "quasi"}), pv.KAnonymity(2), search=search
        )


def laid(promise=None, missing="own value", given=None):
    asked = request(opened(), promise or pv.KAnonymity(5), 0, missing)
    full = frequency_table(asked.table.relation, [*asked.quasi, *asked.sensitive])
    return full, laid_against(full, asked, given)


def test_given_ones_are_taken_and_the_others_made():
    full, found = laid(given={"sex": hierarchies()["sex"], "nobody's": hierarchies()["town"]})
    assert [ladder.column for ladder in found.quasi] == ["age", "town", "sex"]
    assert found.made == {"age", "town"}
    for j, ladder in enumerate(found.quasi):
        assert len(ladder.rows) == len(full.labels[j])
        assert len(ladder.hierarchy.labels[-1]) == 1, "they end in one common value"


def test_a_gap_is_a_value_or_stays_apart():
    full, own = laid(given=hierarchies())
    gap = full.labels[1].to_pylist().index(None)
    town = own.quasi[1]
    assert town.hierarchy.labels[-1][town.nodes[gap, -1]] == "*"
    _, apart = laid(missing="ignored", given=hierarchies())
    town = apart.quasi[1]
    assert town.hierarchy.labels[-1][town.nodes[gap, -1]] == ""


def test_a_distance_along_a_hierarchy_needs_one_of_the_sensitive_column():
    _, found = laid(pv.KAnonymity(5) & pv.TCloseness("diagnosis", "0.5", "hierarchical"))
    assert set(found.sensitive) == {"diagnosis"}
    assert laid(pv.KAnonymity(5) & pv.TCloseness("diagnosis", "0.5"))[1].sensitive == {}


def test_a_hierarchy_that_lacks_values_is_refused_without_naming_them():
    paths = [path for path in hierarchies()["town"].paths() if path[0] != "t7"]
    short = {**hierarchies(), "town": Hierarchy.from_paths("town", paths)}
    with pytest.raises(HierarchyIncomplete, match="lacks 1 of the table's 9 values") as refused:
        laid(given=short)
    assert "t7" not in str(refused.value)


def test_hierarchies_of_a_table_are_those_that_anonymizing_uses():
    known = hierarchies_of(opened())
    made = laid()[1]
    assert list(known) == ["age", "town", "sex"]
    for ladder in made.quasi:
        assert known[ladder.column].paths() == [
            path for path in ladder.hierarchy.paths() if path[0] or "" in known[ladder.column].values
        ]
