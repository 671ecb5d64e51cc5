"""A declared data set of patients and their stays, with a step that makes twins of both."""

import pyarrow.csv
from tests.protect.synthesize.patients import patients, stays

POLICY = """\
version: 1
dataset:
  source: patients.csv
  name: patients
  unit: {column: pid, max_rows: 1}
  ledger: patients.ledger
  budget: {epsilon: 8, delta: 1e-5}
columns:
  pid: {role: direct}
  name: {role: direct}
  age: {role: quasi, bounds: [0, 99]}
  old: {role: quasi}
tables:
  stays:
    source: stays.csv
    person: pid
    max_rows: 4
    columns:
      stay: {role: direct}
      pid: {role: direct}
      ward: {role: sensitive, values: [geriatrics, icu, eye]}
      days: {role: insensitive, bounds: [0, 30]}
purposes:
  course:
    use: rows for a course
    basis: consent
    columns: [age, old, COLUMNS]
    outputs: [twin, report]
    recipients: [internal]
    budget: {epsilon: 6, delta: 1e-6}
    expires: 2099-01-01
steps:
  - do: synthesize
    name: twins
    purpose: course
    epsilon: 4
    delta: 1e-6
    rows: 300
    method: mst
    to: TO
"""


def project(folder, columns="stays.ward, stays.days", to="twins"):
    pyarrow.csv.write_csv(patients(), folder / "patients.csv")
    pyarrow.csv.write_csv(stays(), folder / "stays.csv")
    text = POLICY.replace("COLUMNS", columns).replace("TO", to)
    (folder / "privet.yaml").write_text(text, encoding="utf-8")
    return folder / "privet.yaml"
