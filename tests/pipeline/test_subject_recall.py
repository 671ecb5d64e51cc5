"""What can be taken back for one person: no recall is denied unlooked, and what is said is done."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conformance.doors import SECRET
from tests.pipeline.hospital import ANONYMIZE, HEAD, patients, project

import privet as pv
from privet.pipeline._policy import read_policy
from privet.pipeline._run import run
from privet.pipeline._subject_recall import recalls
from privet.protect.transform.pseudonyms import Vault, find_keys


def test_whether_rows_can_be_found_is_read_off_the_table_itself(tmp_path) -> None:
    policy = project(tmp_path, ANONYMIZE)
    run(policy)
    out, terms = tmp_path / "out", read_policy(policy)[0]
    (table,) = [one for one in recalls(out, terms) if one.kind == "table"]
    assert (table.possible, "identifier" in table.why) == (False, True)
    place = out / "public" / "safe.parquet"
    rows = pq.read_table(place)
    pq.write_table(rows.append_column("patient_id", [list(range(rows.num_rows))]), place)
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
    coded, words = said["owner/coded.parquet"], said["owner/words.parquet"]
    assert (coded.possible, words.possible) == (True, False)
    assert "It holds 'patient_id' with other values, such as pseudonyms" in coded.why
    assert "It holds 'patient_id', by which" not in coded.why
    assert "None of its columns was declared an identifier" in words.why
    source = patients()
    person = str(source["patient_id"][0])
    held = [str(one) for one in pq.read_table(out / "owner" / "coded.parquet")["patient_id"].to_pylist()]
    assert person not in held
    vault = Vault(tmp_path / "stays.vault", find_keys()) if method == "vault" else None
    one = pv.open_table(pa.table({"patient_id": [person]}))
    again = pv.pseudonymize(one, "patient_id", keys=find_keys(), dataset="stays", method=method, vault=vault)
    again.write(tmp_path / "one.parquet")
    (pseudonym,) = pq.read_table(tmp_path / "one.parquet")["patient_id"].to_pylist()
    own = [str(who) == person for who in source["patient_id"].to_pylist()]
    assert held.count(str(pseudonym)) == sum(own) > 0
    assert "patient_id" not in pq.read_schema(out / "owner" / "words.parquet").names
