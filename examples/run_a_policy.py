"""Run a policy: what may be done with which columns, what it would cost, and a run that keeps to both."""

import tempfile
from pathlib import Path

from privet import examples
from privet.errors import PolicyBreach
from privet.pipeline._run import run
from privet.pipeline._run_planner import make_plan

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
  born: {role: quasi}
  zip: {role: quasi}
  sex: {role: quasi, values: [F, M, X]}
  ward: {role: insensitive}
  days: {role: insensitive, bounds: [0, 60]}
  readmitted: {role: sensitive, special: true, values: [true, false]}
purposes:
  bed-planning:
    use: how many beds each ward needs
    basis: GDPR Art. 6(1)(e)
    columns: [ward, days]
    outputs: [answer]
    recipients: [internal]
    budget: {epsilon: 1, delta: 1e-6}
    expires: 2090-12-31
  research:
    use: who comes back within thirty days
    basis: GDPR Art. 6(1)(e)
    special_basis: GDPR Art. 9(2)(j)
    columns: [born, zip, sex, days, readmitted]
    outputs: [table, model]
    recipients: [internal, university]
    budget: {epsilon: 2, delta: 1e-6}
    expires: 2090-12-31
steps:
  - do: release
    purpose: bed-planning
    name: beds
    sql: SELECT ward, COUNT(*) AS n, AVG(days) AS days FROM patients GROUP BY ward
    epsilon: 0.5
    delta: 1e-7
  - do: anonymize
    purpose: research
    name: safe
    columns: [born, zip, sex, readmitted]
    k: 5
    max_suppressed: 0.1
    recipient: university
  - do: train
    purpose: research
    name: returns
    target: readmitted
    columns: [sex, days]
    records: 600
    epsilon: 1
    delta: 1e-7
    holdout: 0.25
limits:
  risk-highest: 0.2
  membership-loss: 0.6
"""


def refused(folder: Path) -> None:
    """A step that reads a column outside its purpose is refused before anything is opened."""
    other = folder / "other.yaml"
    other.write_text(POLICY.replace("SELECT ward,", "SELECT sex,"), encoding="utf-8")
    try:
        make_plan(other)
    except PolicyBreach as refusal:
        print(f"refused: {refusal.fact}")


def main(folder: Path) -> None:
    examples.write(folder / "patients.csv", examples.hospital(600))
    policy = folder / "privet.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    refused(folder)

    plan = make_plan(policy)
    for step in plan.steps:
        print(f"{step.name}: reads {', '.join(step.read)}; costs {step.cost or 'nothing'}")

    record = run(policy, plan)
    for done in record.steps:
        assert done.spent == done.planned
        print(f"{done.name}: {len(done.risks)} attacks, {len(done.untried)} skipped")
    print(f"limits: {', '.join(record.findings) or 'kept'}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(Path(place))
