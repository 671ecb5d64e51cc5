"""Published rows, members and control made comparable: common columns, common codes, equal sizes."""

import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

from privet.attacks._attack_registry import Case
from privet.attacks.tables._released_rows import Released
from privet.attacks.tables._synthetic_alignment import alike
from privet.errors import BadAttack


def aligned(published: pa.Table, members: pa.Table, control: pa.Table, **settings):
    return alike(Released(published, "table"), Case(members=members, control=control, settings=settings))


def test_only_columns_that_all_tables_have_are_compared():
    found = aligned(
        pa.table({"a": [1], "b": [1], "c": [1]}),
        pa.table({"b": [1], "a": [1], "d": [1]}),
        pa.table({"a": [2], "b": [2], "c": [2]}),
    )
    assert found.published.columns == ("a", "b")
    assert found.members.codes[0].tolist() == found.published.codes[0].tolist()
    assert found.auxiliary is None


def test_others_are_put_into_the_narrowest_published_cell():
    """21 lies in both cells; 99 in none, and is as if it were missing."""
    found = aligned(
        pa.table({"age": ["[20, 30[", "[20, 22["]}), pa.table({"age": [21, 25]}), pa.table({"age": [28, 99]})
    )
    assert found.generalized == ("age",)
    published = found.published.codes[:, 0].tolist()
    assert found.members.codes[:, 0].tolist() == published[::-1]
    assert found.control.codes[:, 0].tolist() == [published[0], -1]


def test_members_and_control_are_drawn_to_one_size():
    found = aligned(world(50, 1), world(40, 2), world(30, 3))
    drawn = found.drawn(Case(seed=1), "x")
    assert (len(drawn.members), len(drawn.control), len(drawn.published)) == (30, 30, 50)
    assert len(found.drawn(Case(), "x", 7).members) == 7
    again = found.drawn(Case(seed=1), "x")
    assert (drawn.members.codes == again.members.codes).all()
    assert (drawn.members.codes != found.drawn(Case(seed=2), "x").members.codes).any()


def test_a_draw_repeats_nobody():
    rows = pa.table({"a": list(range(40))})
    drawn = aligned(rows, rows, rows.slice(0, 30)).drawn(Case(), "x")
    assert len(set(drawn.members.codes[:, 0].tolist())) == 30


def test_stated_columns_must_be_everywhere():
    rows = pa.table({"a": [1], "b": [1]})
    assert aligned(rows, rows, rows, columns=["b"]).published.columns == ("b",)
    with pytest.raises(BadAttack, match="the original has no column 'b'"):
        aligned(rows, rows.select(["a"]), rows, columns=["b"])
    with pytest.raises(BadAttack, match="shares no column"):
        aligned(pa.table({"z": [1]}), rows, rows)
    with pytest.raises(BadAttack, match="no rows in control"):
        aligned(rows, rows, rows.slice(0, 0))
