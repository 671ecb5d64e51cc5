"""Pseudonyms of a table's columns: the same in all tables of a project, back again, and nothing raw on the way."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadPseudonym, BadTransform, PrivetError, SmallDomain
from privet.protect.transform.pseudonyms import (
    KeyRing,
    Vault,
    pseudonymize,
    reveal,
)

PATIENTS = pa.table(
    {
        "patient_id": [3, 1, 2, 1, None],
        "email": ["Cy@x.org", "ada@x.org", None, "ada@x.org", "dan@x.org"],
        "ssn": ["078-05-1120", "219-09-9999", None, "219-09-9999", "457-55-5462"],
        "days": [1, 2, 3, 4, 5],
    }
)


STAYS = pa.table({"pid": ["1", "3", "3", "007"], "ward": ["A", "B", "A", "C"]})


def column(result, name: str) -> list:
    return result.to_arrow()[name].to_pylist()


@pytest.mark.parametrize("method", ["hmac", "siv", "vault", "subject"])
def test_equal_values_get_equal_tokens_in_the_table_s_order(
    method: str, ring: KeyRing, tmp_path: Path
) -> None:
    options = (
        {"vault": Vault(tmp_path / "v", ring), "subject": "patient_id"}
        if method in ("vault", "subject")
        else {}
    )
    table = pv.open_table(PATIENTS)
    result = pseudonymize(table, "patient_id", keys=ring, dataset="h", method=method, **options)
    found = column(result, "patient_id")
    assert found[1] == found[3]
    assert len(set(found[:3])) == 3
    assert found[4] is None
    assert column(result, "days") == [1, 2, 3, 4, 5]
    assert result.to_arrow().column_names == PATIENTS.column_names


@pytest.mark.parametrize("method", ["hmac", "siv", "vault"])
def test_tables_of_a_project_still_join(method: str, ring: KeyRing, tmp_path: Path) -> None:
    vault = Vault(tmp_path / "v", ring)
    options = {"keys": ring, "dataset": "h", "domain": "person", "method": method, "vault": vault}
    people = column(pseudonymize(pv.open_table(PATIENTS), "patient_id", **options), "patient_id")
    stays = column(pseudonymize(pv.open_table(STAYS), "pid", **options), "pid")
    assert stays[:3] == [people[1], people[0], people[0]]
    assert stays[3] not in people
    other = column(pseudonymize(pv.open_table(STAYS), "pid", **{**options, "dataset": "clinic"}), "pid")
    assert not set(other) & set(stays)


@pytest.mark.parametrize("method", ["siv", "ff1", "vault", "subject"])
def test_there_and_back(method: str, ring: KeyRing, tmp_path: Path) -> None:
    options = {"keys": ring, "dataset": "h", "method": method, "vault": Vault(tmp_path / "v", ring)}
    made = pseudonymize(pv.open_table(PATIENTS), "ssn", subject="days", **options)
    assert not set(column(made, "ssn")[:2]) & set(PATIENTS["ssn"].to_pylist())
    assert column(reveal(made.table, "ssn", **options), "ssn") == PATIENTS["ssn"].to_pylist()


def test_rotation_opens_old_tokens_and_makes_new_ones(ring: KeyRing) -> None:
    table = pv.open_table(PATIENTS)
    old = pseudonymize(table, "email", keys=ring, dataset="h", method="siv")
    rotated = ring.rotated()
    new = pseudonymize(table, "email", keys=rotated, dataset="h", method="siv")
    assert {text.partition(".")[0] for text in column(old, "email") if text} == {"k1"}
    assert {text.partition(".")[0] for text in column(new, "email") if text} == {"k2"}
    both = pv.open_table(pa.concat_tables([old.to_arrow(), new.to_arrow()]))
    assert (
        column(reveal(both, "email", keys=rotated, dataset="h"), "email") == PATIENTS["email"].to_pylist() * 2
    )
    with pytest.raises(BadPseudonym, match="3 of 3"):
        reveal(old.table, "email", keys=rotated.without("k1"), dataset="h")


def test_format_preserving_ones_need_the_key_named(ring: KeyRing) -> None:
    made = pseudonymize(pv.open_table(PATIENTS), "ssn", keys=ring, dataset="h", method="ff1")
    rotated = ring.rotated()
    back = reveal(made.table, "ssn", keys=rotated, dataset="h", method="ff1", key="k1")
    assert column(back, "ssn") == PATIENTS["ssn"].to_pylist()
    with pytest.raises(BadPseudonym, match="k2, k1"):
        reveal(made.table, "ssn", keys=rotated, dataset="h", method="ff1", key="k9")


def test_letter_case_matters_unless_folded(ring: KeyRing) -> None:
    table = pv.open_table(pa.table({"email": ["Ada@x.org", "ada@X.org ", "ada@x.org"]}))
    assert len(set(column(pseudonymize(table, "email", keys=ring, dataset="h"), "email"))) == 3
    assert len(set(column(pseudonymize(table, "email", keys=ring, dataset="h", fold=True), "email"))) == 1


def test_what_is_no_pseudonym_is_counted_and_not_shown(ring: KeyRing) -> None:
    table = pv.open_table(pa.table({"email": ["ada@x.org", "k1.abc", "k1.", "k9.mfrgg", "k1.!!", ""]}))
    with pytest.raises(BadPseudonym, match="6 of 6") as caught:
        reveal(table, "email", keys=ring, dataset="h")
    assert "ada" not in json.dumps(caught.value.to_json())


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"column": "emial"}, BadTransform),
        ({"method": "md5"}, BadTransform),
        ({"method": "vault"}, BadTransform),
        ({"method": "subject"}, BadTransform),
        ({"dataset": " "}, BadTransform),
        ({"method": "ff1", "column": "days"}, SmallDomain),
        ({"method": "ff1", "column": "ssn", "alphabet": "runes"}, BadTransform),
    ],
)
def test_what_cannot_be_done_is_refused(options: dict, error: type[PrivetError], ring: KeyRing) -> None:
    wanted = {"column": "email", "keys": ring, "dataset": "h", **options}
    with pytest.raises(error) as caught:
        pseudonymize(pv.open_table(PATIENTS), wanted.pop("column"), **wanted)
    assert caught.value.hint


def test_one_way_has_no_way_back(ring: KeyRing) -> None:
    with pytest.raises(BadTransform, match="one-way"):
        reveal(pv.open_table(PATIENTS), "email", keys=ring, dataset="h", method="hmac")


def test_a_column_of_gaps_stays_one(ring: KeyRing) -> None:
    table = pv.open_table(pa.table({"email": pa.array([None, None], pa.string()), "n": [1, 2]}))
    result = pseudonymize(table, "email", keys=ring, dataset="h")
    assert result.to_arrow().to_pydict() == {"email": [None, None], "n": [1, 2]}
    assert result.to_arrow().schema.field("email").type == pa.string()


def test_the_report_tells_the_key_s_id_and_no_secret(ring: KeyRing) -> None:
    done = pseudonymize(pv.open_table(PATIENTS), "email", keys=ring, dataset="h").done["email"]
    assert done == "one-way pseudonyms (HMAC-SHA256), key k1, data set h, domain email"
