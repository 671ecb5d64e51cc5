"""Verify a run: the owner signs, an outsider checks with the public keys alone, and an edit is found."""

import contextlib
import tempfile
from pathlib import Path

import privet as pv
from privet import examples
from privet.dataset import make_signing_key
from privet.pipeline import run

POLICY = """\
version: 1
dataset:
  source: patients.csv
  name: patients
  unit: {column: patient_id, max_rows: 6, max_groups: 2}
  ledger: patients.ledger
  budget: {epsilon: 3, delta: 1e-6}
columns:
  patient_id: {role: direct}
  ward: {role: insensitive, values: [Cardiology, Surgery]}
purposes:
  planning:
    use: bed planning
    basis: GDPR Art. 6(1)(e)
    columns: [ward]
    outputs: [answer]
    recipients: [internal]
    budget: {epsilon: 1}
    expires: 2090-06-30
steps:
  - {do: release, purpose: planning, name: beds, epsilon: 0.5, sql: 'SELECT ward, COUNT(*) AS n FROM patients GROUP BY ward'}
"""

with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
    folder = Path(place)
    examples.write("patients.csv", examples.hospital(150).select(["patient_id", "ward"]))
    Path("privet.yaml").write_text(POLICY, encoding="utf-8")

    # The owner: a key, a run. Everything that is made is signed.
    keys = make_signing_key(folder)
    run("privet.yaml")

    # An outsider, who has the folder and the public keys.
    print(pv.verify("out", key=keys))

    # Somebody makes the promise look better than it is.
    answer = Path("out/public/beds.json")
    answer.write_text(
        answer.read_text(encoding="utf-8").replace('"epsilon": "0.5"', '"epsilon": "0.01"'), encoding="utf-8"
    )
    print(pv.verify("out", key=keys))
