"""Verbs that rewrite columns: rows of a declared data set leave on its terms, through every door."""

import json
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import yaml

from privet.app._cli import main
from privet.artifact import is_making
from privet.dataset import DataSet
from privet.errors import PolicyBreach, PrivetError
from privet.pipeline._run import run
from privet.protect.transform import mask

ROWS = "person,zip,age,note,odd\np1,01234,17,fell,x\np2,01235,95,burnt,y\np3,99999,42,fell,z\n"


@pytest.fixture
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ward.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def declared(folder: Path, *steps: dict[str, Any], columns: list[str] | None = None, **purpose: Any) -> Path:
    said = {
        "version": 1,
        "dataset": {
            "source": "ward.csv",
            "unit": {"column": "person", "max_rows": 1},
            "ledger": "ward.ledger",
            "budget": {"epsilon": 1},
        },
        "columns": {
            "person": {"role": "direct"},
            "zip": {"role": "quasi"},
            "age": {"role": "quasi", "bounds": [0, 110]},
            "note": {"role": "free text"},
            "odd": {},
        },
        "purposes": {
            "beds": {
                "use": "planning beds",
                "basis": "GDPR Art. 6(1)(e)",
                "columns": columns or ["zip", "age", "note", "odd"],
                "outputs": ["records"],
                "recipients": ["internal"],
                "expires": "2099-01-01",
                **purpose,
            }
        },
        "steps": [{"purpose": "beds", "name": "one", **step} for step in steps],
    }
    (folder / "privet.yaml").write_text(yaml.safe_dump(said, sort_keys=False), encoding="utf-8")
    return folder / "privet.yaml"


def asked(capsys: Any, *words: str) -> dict[str, Any]:
    with pytest.raises(SystemExit):
        main([*words, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_only_columns_that_somebody_spoke_of_leave_through_every_door(ward: Path, capsys: Any) -> None:
    declared(ward)
    said = asked(
        capsys, "mask", "ward.csv", "--column", "zip", "--keep-first", "2", "--purpose", "beds", "-o", "a.csv"
    )
    assert said["columns"]["person"] == "withheld"
    mask(DataSet.find().table(purpose="beds"), "zip", keep_first=2).write("b.csv")
    run(declared(ward, {"do": "mask", "column": "zip", "keep_first": 2, "to": "c.csv"}))
    run_file = ward / "out" / "owner" / "c.csv"
    assert [pyarrow.csv.read_csv(file).column_names for file in ("a.csv", "b.csv", run_file)] == [
        ["zip", "age"]
    ] * 3
    assert (ward / "a.csv").read_text() == run_file.read_text()
    assert "01****" in (ward / "a.csv").read_text()


def test_a_text_that_was_rewritten_leaves_and_the_person_only_where_the_purpose_names_it(
    ward: Path, capsys: Any
) -> None:
    declared(ward)
    asked(
        capsys,
        "mask",
        "ward.csv",
        "--column",
        "note",
        "--placeholder",
        "<text>",
        "--purpose",
        "beds",
        "-o",
        "a.csv",
    )
    assert pyarrow.csv.read_csv("a.csv").column_names == ["zip", "age", "note"]
    words = ["mask", "ward.csv", "--column", "person", "--purpose", "beds", "-o", "b.csv"]
    assert asked(capsys, *words)["error"]["code"] == "E-POLICY-003"
    with pytest.raises(PrivetError) as refused:
        run(declared(ward, {"do": "mask", "column": ["person"]}))
    assert refused.value.code == "E-POLICY-003"
    declared(ward, columns=["person", "age"])
    asked(capsys, *words)
    assert pyarrow.csv.read_csv("b.csv").column_names == ["person", "age"]


def test_rows_without_a_promise_are_no_anonymized_table(ward: Path, capsys: Any) -> None:
    declared(ward, outputs=["table"])
    words = ["mask", "ward.csv", "--column", "zip", "--purpose", "beds", "-o", "a.csv"]
    assert asked(capsys, *words)["error"]["code"] == "E-POLICY-002"
    with pytest.raises(PolicyBreach):
        mask(DataSet.find().table(purpose="beds"), "zip").write("b.csv")
    assert not list(ward.glob("[ab].csv"))


def test_codes_with_leading_zeros_stay_as_they_are_in_a_policy(ward: Path) -> None:
    place = declared(ward, {"do": "round", "multiples": {"age": 10}})
    record = run(place)
    made = ward / "out" / "owner" / "one.parquet"
    assert pq.read_table(made).to_pydict() == {"zip": ["01234", "01235", "99999"], "age": [20, 100, 40]}
    assert record.steps[0].made.kind == "records"
    assert is_making(ward / "out" / "owner" / ".privet", "owner/one.parquet", made)
    assert run(place).steps[0].made.digest == record.steps[0].made.digest


def test_keys_are_found_beside_the_policy_and_a_vault_has_an_end(
    ward: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("PRIVET_KEYS", "k5=" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    step = {"do": "pseudonymize", "column": ["person"], "dataset": "ward"}
    run(declared(ward, step, columns=["person", "age"]))
    words = ["pseudonymize", "ward.csv", "--column", "person", "--dataset", "ward", "--purpose", "beds"]
    asked(capsys, *words, "-o", "a.parquet")
    assert pq.read_table("a.parquet").equals(pq.read_table(ward / "out" / "owner" / "one.parquet"))
    with pytest.raises(PrivetError) as refused:
        run(declared(ward, {**step, "method": "vault", "vault": "people.vault"}, columns=["person"]))
    assert refused.value.code == "E-POLICY-003"
    assert "how long the vault is kept" in refused.value.fact
