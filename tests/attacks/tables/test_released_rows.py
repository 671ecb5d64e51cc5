"""What an attacker holds: rows of anything that is a table, the promise and roles that go with it."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.attacks.tables.worlds import world

import privet as pv
from privet.artifact import Provenance, TwinColumn
from privet.attacks._attack_registry import Case
from privet.attacks.tables import _released_rows as released_rows
from privet.attacks.tables._released_rows import (
    Released,
    columns_with,
    promise_of,
    refuse_absent,
    refuse_empty,
    released_of,
    rows_of,
)
from privet.errors import BadAttack
from privet.guarantee import KAnonymity

ROWS = pa.table({"age": [1, 2], "ill": ["x", "y"]})


def test_rows_of_anything_that_is_a_table(tmp_path):
    pq.write_table(ROWS, tmp_path / "t.parquet")
    for thing in (
        ROWS,
        ROWS.to_pandas(),
        pd.DataFrame(ROWS.to_pydict()),
        str(tmp_path / "t.parquet"),
        pv.open_table(ROWS),
        Released(ROWS, "t"),
    ):
        assert rows_of(thing).to_pydict() == ROWS.to_pydict()


def test_a_released_table_brings_its_promise_and_roles(tmp_path):
    table = pv.open_table(
        pa.table({"age": [20, 20, 30, 30], "ill": list("xyxy")}),
        roles={"age": "quasi", "ill": "sensitive"},
        unit=pv.Row(),
    )
    safe = pv.anonymize(table, KAnonymity(2), max_suppressed=0)
    kept = safe.save(tmp_path / "safe.parquet")
    for thing in (safe, kept, str(kept)):
        found = released_of(thing)
        assert found.promise == KAnonymity(2)
        assert found.roles["age"] == "quasi"
    assert released_of(ROWS).promise is None


def test_what_is_stated_for_the_case_counts_first():
    released = Released(ROWS, "t", KAnonymity(2), {"age": "quasi"})
    assert promise_of(released, Case(promise=KAnonymity(9))) == KAnonymity(9)
    assert promise_of(released, Case()) == KAnonymity(2)
    assert columns_with("quasi", released, Case()) == ("age",)
    assert columns_with("quasi", released, Case(settings={"quasi": "ill"})) == ("ill",)


def test_roles_of_the_opened_original_serve_where_the_release_has_none():
    members = pv.open_table(pa.table({"age": [1], "gone": [2]}), roles={"age": "quasi", "gone": "quasi"})
    assert columns_with("quasi", Released(ROWS, "t"), Case(members=members)) == ("age",), (
        "what was not published is not linked by"
    )


def test_what_is_missing_is_refused_by_name():
    with pytest.raises(BadAttack, match="which columns are quasi"):
        columns_with("quasi", Released(ROWS, "t"), Case())
    assert columns_with("quasi", Released(ROWS, "t"), Case(), needed=False) == ()
    with pytest.raises(BadAttack, match="no column 'zip', 'born'"):
        refuse_absent(ROWS, ["zip", "age", "born"], "the table")
    with pytest.raises(BadAttack, match="no rows in members and control"):
        refuse_empty(published=ROWS, members=ROWS.slice(0, 0), control=ROWS.slice(0, 0))


def test_a_file_that_only_calls_itself_parquet_has_no_record(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and nothing else PAR1")
    assert not released_rows._has_record(tmp_path / "t.parquet")


def twin_of(fake: pa.Table) -> pv.ReleasedTwin:
    """A twin with a surrogate beside what was modelled; whether it keeps what it says is another matter."""
    return pv.ReleasedTwin(
        promise=pv.ApproxDP(1, 1e-6),
        method="by hand",
        rows=fake.num_rows,
        columns=tuple(TwinColumn(name, "category", 2, "stated") for name in fake.column_names),
        measured=(),
        unit={"unit": "row"},
        provenance=Provenance("", "memory", "duckdb", {}, ()),
        held=fake.append_column("name", pa.array([f"S{at}" for at in range(fake.num_rows)])),
    )


def test_a_twin_brings_its_promise_and_leaves_its_surrogates(tmp_path):
    twin = twin_of(ROWS)
    kept = twin.save(tmp_path / "twin.parquet")
    for thing in (twin, kept, str(kept)):
        found = released_of(thing)
        assert found.promise == pv.ApproxDP(1, 1e-6)
        assert found.rows.column_names == ["age", "ill"]


THREE = ["singling-out-univariate", "linkability", "inference", "exact-match", "membership-density"]


def test_a_twin_that_copies_rows_is_caught_and_one_that_does_not_is_left_alone(tmp_path):
    """Both claim the same. False alarms on the honest one: at most one in a million, by the confidence."""
    members, control = world(400, 1), world(400, 2)
    asked = {"members": members, "control": control, "attacks": THREE, "guesses": 150, "repeats": 1}
    copying = twin_of(members).save(tmp_path / "copying.parquet")
    caught = {one.attack: one for one in pv.attack(copying, **asked)}
    assert caught["membership-density"].verdict.value == "contradicts the promise"
    assert caught["exact-match"].success.low > 0.9
    assert all(one.found_something for name, one in caught.items() if name != "inference")
    honest = pv.attack(twin_of(world(400, 3)), confidence=1 - 1e-6, **asked)
    assert not honest.contradicted
    assert not any(one.found_something for one in honest)
    assert all(one.promise == pv.ApproxDP(1, 1e-6) for one in honest)
