"""Pseudonyms that join across tables, open with a key, and can be erased for one person; dates and ages made coarser."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet import examples
from privet.errors import PrivetError
from privet.protect.transform import Rewritten, code_ends, mask, round_to, shift_dates, suppress_columns
from privet.protect.transform.pseudonyms import KeyScope, hash_unkeyed


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def shown(result: Rewritten, column: str, rows: int = 3) -> None:
    print(f"{column}: {result.to_arrow()[column].to_pylist()[:rows]}")


with TemporaryDirectory() as folder:
    place = Path(folder)
    path = examples.write(place / "patients.csv", examples.hospital(patients=200))
    patients = pv.open_table(path, types={"patient_id": "text", "ssn": "text", "zip": "text"})
    keys = pv.KeyRing.fresh()  # kept with `privet keys create`; here it lives as long as the program

    heading("A hash without a key hides nothing")
    try:
        hash_unkeyed(patients, "ssn")
    except PrivetError as error:
        print(f"{error.code}: {error.fact}")

    heading("One-way pseudonyms, the same in every table of a project")
    safe = pv.pseudonymize(patients, "patient_id", keys=keys, dataset="hospital")
    shown(safe, "patient_id")
    print(safe.done["patient_id"])

    heading("Reversible ones, and ones that keep the format")
    sealed = pv.pseudonymize(patients, "name", keys=keys, dataset="hospital", method="siv")
    shown(sealed, "name", rows=1)
    formatted = pv.pseudonymize(patients, "ssn", keys=keys, dataset="hospital", method="ff1")
    same = pv.reveal(formatted.table, "ssn", keys=keys, dataset="hospital", method="ff1")
    print("turned back exactly:", same.to_arrow()["ssn"].equals(patients.relation.table.to_pyarrow()["ssn"]))

    heading("Erase one person, wherever copies lie")
    vault = pv.Vault(place / "people.vault", keys)
    options = {"keys": keys, "dataset": "hospital", "method": "subject", "vault": vault}
    named = pv.pseudonymize(patients, "name", subject="patient_id", **options)
    gone = patients.relation.table.to_pyarrow()["patient_id"][0].as_py()
    print("erased:", vault.erase([gone], KeyScope("hospital", "patient_id")))
    back = pv.reveal(named.table, "name", **options).to_arrow()
    mine = [
        name is None
        for person, name in zip(back["patient_id"].to_pylist(), back["name"].to_pylist(), strict=True)
        if person == gone
    ]
    print("their names are gone:", all(mine), "| names left:", len(back) - back["name"].null_count)

    heading("Coarser columns, one after the other")
    result = (
        shift_dates(
            patients, ["born", "admitted"], person="patient_id", keys=keys, dataset="hospital", max_days=90
        )
        .then(mask, "zip", keep_first=2)
        .then(round_to, "cost", 100)
        .then(code_ends, "days", above=30)
        .then(suppress_columns, ["name", "ssn"])
    )
    for column, done in result.done.items():
        print(f"{column}: {done}")
    print("rows written:", result.write(place / "safe.parquet"))
