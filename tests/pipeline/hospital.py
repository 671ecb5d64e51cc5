"""A small hospital with a policy, for the tests of this room."""

from pathlib import Path

import pyarrow as pa

from privet import examples

HEAD = """\
version: 1
dataset:
  source: stays.csv
  name: stays
  unit: {column: patient_id, max_rows: 6, max_groups: 2}
  ledger: stays.ledger
  budget: {epsilon: 5, delta: 1e-5}
columns:
  patient_id: {role: direct}
  name: {role: direct}
  email: {role: direct}
  born: {role: quasi}
  zip: {role: quasi}
  sex: {role: quasi, values: [F, M]}
  ward: {role: insensitive, values: [Cardiology, Surgery]}
  diagnosis: {role: sensitive, special: true}
  days: {role: insensitive, bounds: [0, 60]}
  readmitted: {role: sensitive, values: [true, false]}
purposes:
  planning:
    use: bed planning
    basis: GDPR Art. 6(1)(e)
    columns: [ward, days, sex, readmitted]
    outputs: [answer, model, audit]
    recipients: [internal]
    budget: {epsilon: 4, delta: 1e-6}
    expires: 2090-06-30
  research:
    use: research
    basis: GDPR Art. 89
    special_basis: GDPR Art. 9(2)(j)
    columns: [zip, sex, ward, diagnosis]
    outputs: [table, report]
    recipients: [internal, university]
    expires: 2090-06-30
"""
ANONYMIZE = "  - {do: anonymize, purpose: research, name: safe, k: 3, max_suppressed: 0.1, columns: [zip, sex, diagnosis]}\n"
RELEASE = (
    "  - {do: release, purpose: planning, name: beds, epsilon: 0.5, "
    "sql: 'SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward'}\n"
)
LATER = (
    "  - {do: release, purpose: planning, name: long, epsilon: 0.25, "
    "sql: 'SELECT COUNT(*) AS n FROM stays WHERE days > 7'}\n"
)
TRAIN = (
    "  - {do: train, purpose: planning, name: risk, target: readmitted, columns: [ward, sex], "
    "epsilon: 2, delta: 1e-6, records: 150}\n"
)


def patients(seed: int = 7) -> pa.Table:
    """Some stays of 150 people."""
    return examples.hospital(150, seed)


def project(folder: Path, steps: str, more: str = "", head: str = HEAD) -> Path:
    """A folder with the data and a policy; the policy's path."""
    if not (folder / "stays.csv").exists():
        examples.write(folder / "stays.csv", patients())
    policy = folder / "privet.yaml"
    policy.write_text(f"{head}steps:\n{steps}{more}", encoding="utf-8")
    return policy
