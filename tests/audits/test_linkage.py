"""Linkage in an audit: columns are matched, people who moved are found, and the bundled roll is undone."""

import numpy as np
import pyarrow as pa
import pytest

from privet import examples
from privet.audits import audit
from privet.audits._person_records import people
from privet.audits.linkage._person_sides import sides_of
from privet.audits.linkage._simulated_linkage import shared_columns
from privet.disclosure.linkage._aligned_sides import Sides
from privet.disclosure.linkage._linkage_claims import exact_claims, probable_claims
from privet.engine import splink_linkage as record_linkage
from privet.engine._relation import ColumnKind
from privet.errors import BadAudit
from privet.source import open_table


def rows_of(found: Sides, side: str) -> list[tuple]:
    codes = getattr(found, side)
    return [
        tuple(None if code < 0 else found.labels[at][int(code)].as_py() for at, code in enumerate(row))
        for row in codes
    ]


def test_values_of_different_types_meet() -> None:
    left = people(
        open_table(pa.table({"zip": pa.array([1234, 99999]), "n": pa.array([1.0, 2.0])})).relation,
        ["zip", "n"],
        (),
    )
    right = people(
        open_table(pa.table({"zip": pa.array(["1234", "x"]), "n": pa.array([2, 1])})).relation,
        ["zip", "n"],
        (),
    )
    both = sides_of(left, right, (("zip", "zip"), ("n", "n")))
    assert {tuple(row) for row in rows_of(both, "left")} & {
        tuple(row) for row in rows_of(both, "right")
    } == {  # exact: whole numbers as given
        ("1234", 2.0)
    } or rows_of(both, "right")[0][0] == "1234"


def test_probable_claims_find_who_has_moved() -> None:
    """Three columns, one of which has changed for some: an exact join misses them, the model does not."""
    draw = np.random.default_rng(3)
    size = 400
    rows = np.stack(
        [draw.integers(0, 3000, size), draw.integers(0, 300, size), draw.integers(0, 50, size)], axis=1
    )
    other = rows.copy()
    moved = draw.random(size) < 0.2
    other[moved, 2] = (other[moved, 2] + 1 + draw.integers(0, 40, moved.sum())) % 50
    table = pa.table({"who": np.arange(size), **{f"c{j}": rows[:, j] for j in range(3)}})
    there = pa.table({"id": np.arange(size), **{f"c{j}": other[:, j] for j in range(3)}})
    names = ["c0", "c1", "c2"]
    both = sides_of(
        people(open_table(table).relation, names, ("who",)),
        people(open_table(there).relation, names, ("id",)),
        tuple((n, n) for n in names),
    )
    exact, probable = exact_claims(both), probable_claims(both)
    right = int((both.left_ids[probable.left] == both.right_ids[probable.right]).sum())
    assert len(exact.left) < 0.85 * size
    assert right > 0.95 * size
    assert right / len(probable.left) > 0.95


@pytest.fixture(scope="module")
def hospital():
    stays = examples.hospital(600, 7)
    return stays, examples.voter_roll(stays), examples.linkage_truth(stays)


@pytest.mark.parametrize("linker", ["own", "splink"])
def test_the_bundled_roll_re_identifies_patients(hospital, linker) -> None:
    if linker == "splink" and not record_linkage.available():
        pytest.skip("the extra privet[linkage] is not installed")
    stays, roll, truth = hospital
    found = audit(stays, auxiliary=roll, truth=truth, linker=linker).linkage
    assert found is not None
    assert found.columns == (("born", "born"), ("zip", "zip"), ("sex", "sex"))
    assert found.direct == ("name",)
    for attempt in found.attempts:
        assert attempt.score is not None
        assert attempt.score.findable == truth.num_rows
        assert attempt.score.precision > 0.97
        assert attempt.score.recall > 0.9
    assert found.attempts[1].method.endswith(linker)


def test_splink_leaves_nothing_in_the_engine(hospital) -> None:
    if not record_linkage.available():
        pytest.skip("the extra privet[linkage] is not installed")
    stays, roll, _ = hospital
    table = open_table(stays)
    before = table.relation.table.get_backend().list_tables()
    audit(table, auxiliary=roll, linker="splink")
    assert table.relation.table.get_backend().list_tables() == before


def test_columns_are_matched_by_name_then_by_category() -> None:
    text = ColumnKind.TEXT
    mine = {
        "Born": (text, "user.demographic.date_of_birth"),
        "zip": (text, "a"),
        "id": (text, "user.unique_id"),
    }
    other = {"born": (text, "x"), "postcode": (text, "a"), "number": (text, "user.unique_id")}
    assert shared_columns(mine, other, None) == (("Born", "born"), ("zip", "postcode"))
    assert shared_columns(mine, other, {"zip": "born"}) == (("zip", "born"),)
    with pytest.raises(BadAudit, match="no column 'zap'"):
        shared_columns(mine, other, {"zap": "born"})


def test_tables_without_common_columns_are_refused(hospital) -> None:
    with pytest.raises(BadAudit, match="share no column"):
        audit(hospital[0], auxiliary=pa.table({"thing": [1, 2]}))


def test_a_truth_that_is_about_other_tables_is_refused(hospital) -> None:
    with pytest.raises(BadAudit, match="who is who"):
        audit(hospital[0], auxiliary=hospital[1], truth=pa.table({"x": [1]}))
