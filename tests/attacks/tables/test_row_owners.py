"""How likely each published row is a person's: by hand, with several rows for a person and with a register."""

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks._attack_registry import Case
from privet.attacks.tables._released_rows import Released
from privet.attacks.tables._row_owners import owners_of
from privet.errors import BadAttack, NoPower

PEOPLE = pa.table({"who": ["Ann", "Bo", "Cy"], "age": [21, 22, 31]})
CELLS = pa.table({"age": ["[20, 30[", "[20, 30[", "[30, 40["]})


def owners(published: pa.Table = CELLS, members: pa.Table = PEOPLE, auxiliary=None, **settings):
    case = Case(members=members, auxiliary=auxiliary, settings={"quasi": ["age"], **settings})
    return owners_of(Released(published, "table"), case)


def test_chances_are_one_over_the_rows_that_fit():
    found = owners()
    assert found.candidates().tolist() == [2, 2, 1]
    assert found.chances() == pytest.approx([1 / 2, 1 / 2, 1])
    assert found.alone().tolist() == [False, False, True]


def test_who_was_suppressed_is_not_findable():
    found = owners(CELLS.slice(0, 2))
    assert found.findable.tolist() == [0, 1]
    assert found.own_rows() == pytest.approx([1, 1])
    with pytest.raises(NoPower, match="nobody who is looked for"):
        _ = owners(
            pa.table({"age": ["[30, 40["]}),
            auxiliary=pa.table({"name": ["A"], "age": [21]}),
            truth=pa.table({"name": ["A"], "who": ["Ann"]}),
        ).findable


def test_several_rows_of_one_person_are_one_rival():
    """Two rows fit Ann, and both are hers: whoever draws among the people behind them names her."""
    members = pa.table({"who": ["Ann", "Ann", "Bo"], "age": [21, 22, 31]})
    assert owners(CELLS, members, unit="who").rivals.tolist() == [1, 1, 1]
    assert owners(CELLS, members).rivals.tolist() == [2, 2, 1]


def test_a_register_says_whose_rows_are_whose():
    roll = pa.table({"name": ["Cy C.", "Ann A.", "Dee"], "age": [31, 21, 50]})
    truth = pa.table({"name": ["Ann A.", "Cy C."], "who": ["Ann", "Cy"]})
    found = owners(auxiliary=roll, truth=truth)
    assert found.findable.tolist() == [0, 1]
    assert found.chances() == pytest.approx([1, 1 / 2])


def test_the_chance_that_a_claimed_row_is_somebody_s():
    found = owners()
    assert found.chance_that(np.array([0, 2, 0]), np.array([0, 2, 2])) == pytest.approx([1 / 2, 1, 0])
    assert len(found.chance_that(np.zeros(0, np.int64), np.zeros(0, np.int64))) == 0


def test_rows_that_name_people_are_theirs_for_certain():
    """The cells fit two, and the published number says which: the claim on the other is wrong."""
    published = CELLS.append_column("who", PEOPLE["who"])
    found = owners(published, unit="who")
    assert found.named
    assert found.chance_that(np.array([0, 1]), np.array([0, 0])) == pytest.approx([1, 0])


def test_columns_are_linked_by_other_names():
    roll = pa.table({"name": ["A"], "years": [31]})
    truth = pa.table({"name": ["A"], "who": ["Cy"]})
    assert owners(auxiliary=roll, truth=truth, link={"age": "years"}).chances() == pytest.approx([1])
    with pytest.raises(BadAttack, match="none of the columns"):
        owners(auxiliary=roll, truth=truth)
    with pytest.raises(BadAttack, match="who is who in both"):
        owners(auxiliary=roll, truth=pa.table({"x": [1]}), link={"age": "years"})


def test_what_could_not_be_read_is_noted():
    assert (
        "1 published values of 'age'"
        in owners(pa.table({"age": ["young", "[20, 30[", "[30, 40["]})).notes()[0]
    )
