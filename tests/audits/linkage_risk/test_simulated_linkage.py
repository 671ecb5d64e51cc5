"""Linkage in an audit: columns are matched, and the bundled roll is undone."""

import pyarrow as pa
import pytest

from privet import examples
from privet.audits import audit
from privet.audits.linkage_risk._simulated_linkage import shared_columns
from privet.engine import splink_linkage as record_linkage
from privet.engine._relation import ColumnKind
from privet.errors import BadAudit
from privet.source import open_table


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


def test_a_category_that_two_columns_have_matches_neither() -> None:
    text = ColumnKind.TEXT
    one = {"zip": (text, "a")}
    assert shared_columns(one, {"post": (text, "a"), "code": (text, "a")}, None) == ()
    assert shared_columns({**one, "plz": (text, "a")}, {"post": (text, "a")}, None) == ()


def test_lists_are_never_linked_by() -> None:
    mine = {"zip": (ColumnKind.OTHER, "a")}
    assert shared_columns(mine, {"zip": (ColumnKind.TEXT, "a")}, None) == ()
