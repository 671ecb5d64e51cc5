"""Open a table, say what is known about it, and ask: nothing is read, and what is wrong is said without a value."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet import examples
from privet.errors import PrivetError


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def refused(text: str, error: PrivetError) -> None:
    print(f"{text}\n  {error.code}: {error.fact}\n  {error.hint}")


with TemporaryDirectory() as folder:
    path = examples.write(Path(folder) / "patients.csv", examples.hospital(patients=500))

    heading("A table and what is known about it")
    patients = pv.open_table(
        path,
        unit=pv.Person("patient_id", max_rows=20),
        roles={"name": "direct", "ssn": "direct", "zip": "quasi", "born": "quasi", "diagnosis": "sensitive"},
        bounds={"days": (0, 60)},
        keys={"sex": ["F", "M", "X"]},
        types={"zip": "text"},
        version="2026-11-01",
    )
    print(patients)
    print("snapshot:", patients.fingerprint)

    heading("A question: nothing is computed yet")
    question = (
        patients.derive(year=pv.col("admitted").part("year"))
        .where((pv.col("days") > 1) & ~pv.col("ward").one_of("Maternity"))
        .group_by("year", "sex", keys={"year": range(2021, 2026)})
        .agg(stays=pv.count(), patients=pv.persons(), days=pv.mean("days"))
    )
    print(question.describe())
    print("columns that would be read:", ", ".join(question.columns_used()))
    print("groups that would be shown:", question.public_keys().num_rows)

    heading("What the owner reads off the data stays with the owner")
    seen = pv.Bounds.read_off(patients, "cost")
    try:
        patients.agg(cost=pv.mean("cost", bounds=seen))
    except PrivetError as error:
        refused("mean cost, between the bounds found in the data:", error)
    confirmed = seen.confirmed("the price list is public")
    print("confirmed:", confirmed.origin_sentence())

    heading("What does not fit is said, and shows no value")
    try:
        pv.open_table(path, unit=pv.Person("patient"), roles={"nmae": "direct"})
    except PrivetError as error:
        refused("two slips at once:", error)
    with path.open("a") as file:
        file.write("a row that does not belong here,4711\n")
    try:
        pv.open_table(path)
    except PrivetError as error:
        refused("a broken row:", error)
