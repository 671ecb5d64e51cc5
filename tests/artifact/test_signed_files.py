"""Signed artifacts in files: believed as signed, claimed without, refused when anything was changed and hashed again."""

import hashlib
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.artifact.test_released_model import model
from tests.evidence.keys import FORGER, KEYS, signing

from privet.artifact import ReleasedAnswer, ReleasedModel, ReleasedTable, rows_digest, sign_file
from privet.artifact import _signed_files as signed_files
from privet.errors import EvidenceBroken, RecordTooDeep
from privet.evidence import HISTORY, TRUSTED, KeyHistory, Signing


@pytest.fixture(autouse=True)
def trusted(tmp_path, monkeypatch):
    (tmp_path / HISTORY).write_text(json.dumps(KEYS.to_json()))
    monkeypatch.setenv(TRUSTED, str(tmp_path / HISTORY))


def saved(tmp_path, by=None):
    folder = model().save(tmp_path / "model")
    sign_file(folder, by)
    return folder


def test_a_signed_model_is_believed_and_says_so(tmp_path):
    loaded = ReleasedModel.load(saved(tmp_path, signing()))
    assert loaded.standing.believed
    for shown in (str(loaded), loaded._repr_html_(), loaded.card()):
        assert loaded.standing.sentence() in shown


def test_an_unsigned_model_is_loaded_as_claimed(tmp_path):
    loaded = ReleasedModel.load(saved(tmp_path))
    assert loaded.standing.word == "claimed"
    for shown in (str(loaded), loaded._repr_html_(), loaded.card()):
        assert "Claimed" in shown


def changed(folder, epsilon="0.001"):
    record = json.loads((folder / "model.json").read_text())
    record["promise"]["epsilon"] = epsilon
    record.pop("digest")
    return record


def written(folder, record):
    (folder / "model.json").write_text(json.dumps({**record, "digest": signed_files.record_digest(record)}))


def test_a_model_whose_epsilon_was_changed_and_hashed_again_is_not_believed(tmp_path):
    """Fault 5: from 1 to 0.001, with the unkeyed digest computed anew."""
    folder = saved(tmp_path, signing())
    written(folder, changed(folder))
    with pytest.raises(EvidenceBroken):
        ReleasedModel.load(folder)


def test_with_the_signature_taken_away_it_is_a_claim(tmp_path):
    folder = saved(tmp_path, signing())
    record = changed(folder)
    record.pop("signature")
    written(folder, record)
    assert not ReleasedModel.load(folder).standing.believed


def test_signed_again_by_a_forger_it_is_a_claim(tmp_path):
    folder = saved(tmp_path, signing())
    forger = Signing(FORGER, KeyHistory.first(FORGER, KEYS.keys[0].since))
    written(folder, forger.signed(changed(folder)))
    loaded = ReleasedModel.load(folder)
    assert loaded.standing.stranger == FORGER.public
    assert "nobody here vouches" in str(loaded)


def test_weights_of_another_model_are_refused(tmp_path):
    folder = saved(tmp_path, signing())
    content = (folder / "model.safetensors").read_bytes()
    other = content[:-8] + bytes(8)
    (folder / "model.safetensors").write_bytes(other)
    record = json.loads((folder / "model.json").read_text())
    record["weights"] = hashlib.sha256(other).hexdigest()
    record.pop("digest")
    written(folder, record)
    with pytest.raises(EvidenceBroken):
        ReleasedModel.load(folder)


def test_a_deep_record_is_refused_at_once(tmp_path):
    folder = saved(tmp_path)
    (folder / "model.json").write_text("[" * 100_000)
    with pytest.raises(RecordTooDeep):
        ReleasedModel.load(folder)


# --- rows --------------------------------------------------------------------------------------


@pytest.fixture
def safe(tmp_path):
    import privet as pv

    rows = pa.table({"zip": ["1", "1", "2", "2"] * 5, "ill": ["a", "b"] * 10, "n": list(range(20))})
    table = pv.open_table(rows, unit=pv.Row(), roles={"zip": "quasi", "ill": "sensitive", "n": "direct"})
    made = pv.anonymize(table, pv.KAnonymity(3), out=tmp_path / "safe.parquet", max_suppressed=0.5)
    assert made.path is not None
    return made.path


def test_a_signed_table_is_believed_with_its_rows(safe):
    assert ReleasedTable.load(safe).standing.word == "claimed"
    assert sign_file(safe, signing())
    loaded = ReleasedTable.load(safe)
    assert loaded.standing.believed
    assert loaded.standing.sentence() in str(loaded)
    assert loaded.standing.sentence() in loaded._repr_html_()


def test_rows_swapped_under_a_signed_record_are_refused(safe):
    sign_file(safe, signing())
    table = pq.read_table(safe)
    values = table["ill"].to_pylist()
    values[0], values[1] = "c", "c"
    forged = table.set_column(table.column_names.index("ill"), "ill", pa.array(values))
    pq.write_table(forged.replace_schema_metadata(table.schema.metadata), safe)
    with pytest.raises(EvidenceBroken, match="rows"):
        ReleasedTable.load(safe)


def test_a_digest_of_rows_that_was_put_back_does_not_help(safe):
    sign_file(safe, signing())
    table = pq.read_table(safe)
    forged = table.slice(0, 3)
    record = json.loads(table.schema.metadata[b"privet"])
    record[signed_files.ROWS] = rows_digest(forged)
    metadata = {**table.schema.metadata, b"privet": json.dumps(record).encode()}
    pq.write_table(forged.replace_schema_metadata(metadata), safe)
    with pytest.raises(EvidenceBroken):
        ReleasedTable.load(safe)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.rename_columns(["b", "a"]),
        lambda t: t.select(["b", "a"]),
        lambda t: t.slice(1),
        lambda t: t.take([1, 0, 2]),
        lambda t: t.set_column(0, "a", t["a"].cast(pa.float64())),
        lambda t: t.set_column(1, "b", pa.array(["x", None, ""])),
    ],
)
def test_the_digest_of_rows_tells_every_change(change):
    table = pa.table({"a": [1, 2, 3], "b": ["x", "", None]})
    assert rows_digest(change(table)) != rows_digest(table)


def test_the_digest_of_rows_does_not_depend_on_how_they_are_kept():
    table = pa.table({"a": np.arange(10), "b": pa.array(["x", "y"] * 5).dictionary_encode()})
    parts = pa.concat_tables([table.slice(0, 3), table.slice(3)])
    plain = table.set_column(1, "b", table["b"].cast(pa.string()))
    assert rows_digest(parts) == rows_digest(table) == rows_digest(plain)


# --- answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".json", ".parquet"])
def test_an_answer_is_signed_claimed_or_refused(tmp_path, ending):
    import privet as pv

    table = pv.open_table(pa.table({"w": ["a", "b"] * 10}), unit=pv.Row())
    with pv.Ledger.in_memory(limit=pv.PureDP(3)) as ledger:
        answer = pv.release(
            "SELECT COUNT(*) AS n FROM t", pv.PureDP(1), ledger=ledger, why="test", table=table
        )
    file = answer.save(tmp_path / f"answer{ending}")
    assert ReleasedAnswer.load(file).standing.word == "claimed"
    sign_file(file, signing())
    assert ReleasedAnswer.load(file).standing.believed
    if ending == ".json":
        file.write_text(file.read_text().replace('"epsilon": "1"', '"epsilon": "0.001"'))
        with pytest.raises(EvidenceBroken):
            ReleasedAnswer.load(file)


def test_several_answers_in_one_file_are_signed_together(tmp_path):
    file = tmp_path / "answers.json"
    file.write_text(
        json.dumps({"answers": [{"artifact": "released-answer"}, {"artifact": "released-answer", "n": 1}]})
    )
    assert sign_file(file, signing())
    record = json.loads(file.read_text())
    assert record["artifact"] == "released-answers"
    assert all("signature" in one for one in [record, *record["answers"]])


def test_what_has_no_record_is_left_alone(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("a\n1\n")
    plain = tmp_path / "plain.parquet"
    pq.write_table(pa.table({"a": [1]}), plain)
    other = tmp_path / "other.json"
    other.write_text("[1]")
    before = [one.read_bytes() for one in (file, plain, other)]
    assert not any(sign_file(one, signing()) for one in (file, plain, other, tmp_path))
    assert [one.read_bytes() for one in (file, plain, other)] == before
