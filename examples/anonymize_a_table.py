"""Rows that may leave the house: a promise kept in the written file, at the least loss, with the risk that is left."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet import examples
from privet.errors import PrivetError
from privet.protect.transform.recipes import apply_safe_harbor
from privet.report._anonymize_page import save_anonymize_page

ROLES = {
    "patient_id": "direct",
    "name": "direct",
    "born": "quasi",
    "zip": "quasi",
    "sex": "quasi",
    "diagnosis": "sensitive",
    "ward": "insensitive",
}


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


with TemporaryDirectory() as folder:
    place = Path(folder)
    stays = examples.hospital(patients=600)
    first = {person: row for row, person in reversed(list(enumerate(stays["patient_id"].to_pylist())))}
    path = examples.write(place / "patients.parquet", stays.take(sorted(first.values())))

    heading("A person with several rows would hide among their own")
    several = pv.open_table(stays, roles=ROLES, unit=pv.Person("patient_id"))
    try:
        pv.anonymize(several, pv.KAnonymity(5))
    except PrivetError as error:
        print(f"{error.code}: {error.fact}")

    heading("One level for each column, proven to lose least")
    patients = pv.open_table(path, roles=ROLES, unit=pv.Person("patient_id"))
    promise = pv.KAnonymity(5) & pv.LDiversity("diagnosis", 2)
    safe = pv.anonymize(patients, promise, max_suppressed="0.05", out=place / "safe.parquet")
    print(safe)

    heading("Levels by row lose less")
    local = pv.anonymize(patients, promise, max_suppressed="0.05", search="local")
    print(f"loss {safe.loss:.3f} ({safe.found.output_type})")
    print(f"loss {local.loss:.3f} ({local.found.output_type})")
    print("for example:", local.to_arrow().slice(0, 1).to_pylist()[0])

    heading("The record travels inside the file")
    loaded = pv.ReleasedTable.load(place / "safe.parquet")
    print(loaded.promise.sentence())
    print(f"mean risk {loaded.after.mean_risk:.3f} in what was published")
    page = save_anonymize_page(safe, place / "safe.html")
    print(f"a page about it: {page.name}, {page.stat().st_size // 1024} KiB, no script, no network")

    heading("HIPAA Safe Harbor")
    kinds = dict.fromkeys(stays.column_names, "remove")
    kinds |= {"born": "birth date", "zip": "zip", "admitted": "date", "sex": "keep", "diagnosis": "keep"}
    harbor = apply_safe_harbor(pv.open_table(path), kinds, out=place / "harbor.csv")
    print(harbor.to_arrow().slice(0, 2).to_pylist())
