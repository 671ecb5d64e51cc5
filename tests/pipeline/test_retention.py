"""Retention and recall: a purpose that ends sooner takes what was made for it along, and no recall is denied unlooked."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conformance.doors import SECRET
from tests.pipeline.hospital import ANONYMIZE, HEAD, LATER, RELEASE, patients, project

import privet as pv
from privet.errors import PolicyBreach, PolicyGap
from privet.ledger import clock
from privet.pipeline._policy import read_policy
from privet.pipeline._retention import expired, kept, recalls, remove_expired
from privet.pipeline._run import run
from privet.pipeline._run_planner import make_plan
from privet.protect.transform.pseudonyms import Vault, find_keys

SOONER = HEAD.replace("expires: 2090-06-30", "expires: 2080-01-31")
BETWEEN = datetime.date(2085, 1, 1)


def ends(out, policy):
    return {one.path: one.expires for one in kept(out, policy)}


def test_a_purpose_that_ends_sooner_takes_its_outputs_along(tmp_path) -> None:
    policy = project(tmp_path, RELEASE)
    run(policy)
    out = tmp_path / "out"
    assert ends(out, read_policy(policy)[0]) == {"beds.json": "2090-06-30"}
    assert expired(out, read_policy(policy)[0], BETWEEN) == []
    project(tmp_path, RELEASE, head=SOONER)
    terms = read_policy(policy)[0]
    assert ends(out, terms) == {"beds.json": "2080-01-31"}
    assert [one.path for one in remove_expired(out, terms, BETWEEN)] == ["beds.json"]
    assert not (out / "beds.json").exists()


def test_a_purpose_that_ends_later_does_not_lengthen_what_was_made(tmp_path) -> None:
    policy = project(tmp_path, RELEASE, head=SOONER)
    run(policy)
    project(tmp_path, RELEASE)
    assert ends(tmp_path / "out", read_policy(policy)[0]) == {"beds.json": "2080-01-31"}


def test_a_purpose_that_ends_sooner_can_still_be_planned_and_run_until_then(tmp_path, monkeypatch) -> None:
    policy = project(tmp_path, RELEASE)
    run(policy)
    project(tmp_path, RELEASE + LATER, head=SOONER)
    found = run(policy)
    assert [step.made.expires for step in found.steps if step.made] == ["2080-01-31"] * 2
    late = datetime.datetime(2085, 1, 1, tzinfo=datetime.UTC)
    monkeypatch.setattr(clock, "now", lambda: late)
    with pytest.raises(PolicyBreach, match="the purpose ended on 2080-01-31"):
        make_plan(policy)


def test_special_categories_need_a_point_of_article_9(tmp_path) -> None:
    policy = project(tmp_path, ANONYMIZE, head=HEAD.replace("    special_basis: GDPR Art. 9(2)(j)\n", ""))
    for said in ("", "    special_basis: it is research\n", "    special_basis: GDPR Art. 6(1)(e)\n"):
        head = HEAD.replace("    special_basis: GDPR Art. 9(2)(j)\n", said)
        policy = project(tmp_path, ANONYMIZE, head=head)
        with pytest.raises(PolicyGap, match="special_basis: 'diagnosis' is of a special category"):
            make_plan(policy)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "stays.ledger").exists()


def test_what_has_no_basis_is_not_handed_on(tmp_path) -> None:
    head = HEAD.replace("basis: GDPR Art. 89", "basis: none claimed")
    given = ANONYMIZE.replace("k: 3", "k: 3, recipient: university")
    with pytest.raises(PolicyBreach, match="no legal basis is claimed"):
        make_plan(project(tmp_path, given, head=head))


def test_whether_rows_can_be_found_is_read_off_the_table_itself(tmp_path) -> None:
    policy = project(tmp_path, ANONYMIZE)
    run(policy)
    out, terms = tmp_path / "out", read_policy(policy)[0]
    (table,) = [one for one in recalls(out, terms) if one.kind == "table"]
    assert (table.possible, "identifier" in table.why) == (False, True)
    rows = pq.read_table(out / "safe.parquet")
    pq.write_table(rows.append_column("patient_id", [list(range(rows.num_rows))]), out / "safe.parquet")
    (table,) = [one for one in recalls(out, terms) if one.kind == "table"]
    assert (table.possible, "'patient_id'" in table.why) == (True, True)
    said = " ".join(one.why for one in recalls(out, terms))
    for claim in ("Nobody can say", "keeps no copy", "no data about anybody", "almost the same"):
        assert claim not in said


PSEUDONYMS = """\
  - {do: pseudonymize, purpose: research, name: coded, column: [patient_id], dataset: stays, method: METHOD, MORE}
  - {do: pseudonymize, purpose: research, name: words, column: [ward], dataset: stays}
"""
RECORDS = (
    HEAD.replace("[zip, sex, ward, diagnosis]", "[patient_id, zip, sex, ward, diagnosis]").replace(
        "[table, report]", "[table, report, records]"
    )
    + "vaults:\n  stays.vault: {purpose: research}\n"
)


@pytest.mark.parametrize(("method", "more"), [("hmac", ""), ("siv", ""), ("vault", "vault: stays.vault")])
def test_rows_with_pseudonyms_are_found_by_whoever_has_the_way_back(
    tmp_path, monkeypatch, method: str, more: str
) -> None:
    """What is said is done: the key finds the person's rows in the file, and the id itself does not."""
    monkeypatch.setenv("PRIVET_KEYS", SECRET)
    monkeypatch.chdir(tmp_path)
    steps = PSEUDONYMS.replace("METHOD", method).replace(", MORE", f", {more}" if more else "")
    policy = project(tmp_path, steps, head=RECORDS)
    run(policy)
    out, terms = tmp_path / "out", read_policy(policy)[0]
    said = {one.what: one for one in recalls(out, terms) if one.kind == "records"}
    coded, words = said["coded.parquet"], said["words.parquet"]
    assert (coded.possible, words.possible) == (True, False)
    assert "It holds 'patient_id' with other values, such as pseudonyms" in coded.why
    assert "It holds 'patient_id', by which" not in coded.why
    assert "None of its columns was declared an identifier" in words.why
    source = patients()
    person = str(source["patient_id"][0])
    held = [str(one) for one in pq.read_table(out / "coded.parquet")["patient_id"].to_pylist()]
    assert person not in held
    vault = Vault(tmp_path / "stays.vault", find_keys()) if method == "vault" else None
    one = pv.open_table(pa.table({"patient_id": [person]}))
    again = pv.pseudonymize(one, "patient_id", keys=find_keys(), dataset="stays", method=method, vault=vault)
    again.write(tmp_path / "one.parquet")
    (pseudonym,) = pq.read_table(tmp_path / "one.parquet")["patient_id"].to_pylist()
    own = [str(who) == person for who in source["patient_id"].to_pylist()]
    assert held.count(str(pseudonym)) == sum(own) > 0
    assert "patient_id" not in pq.read_schema(out / "words.parquet").names
