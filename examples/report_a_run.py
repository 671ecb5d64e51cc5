"""Report a run: promise beside evidence for the owner, and what others may see of it."""

import tempfile
from pathlib import Path

from privet import examples
from privet.pipeline._run import run
from privet.report._run_files import save_report
from privet.report._run_report import run_report

POLICY = """\
version: 1
dataset:
  source: patients.csv
  name: patients
  unit: {column: patient_id, max_rows: 6, max_groups: 2}
  ledger: patients.ledger
  budget: {epsilon: 3, delta: 1e-6}
columns:
  patient_id: {role: direct, category: user.health_and_medical.record_id}
  name: {role: direct, category: user.name}
  born: {role: quasi, category: user.demographic.date_of_birth}
  zip: {role: quasi, category: user.contact.address.postal_code}
  sex: {role: quasi}
  ward: {role: insensitive}
  diagnosis: {role: sensitive, category: user.health_and_medical.diagnosis, special: true}
purposes:
  research:
    use: which diagnoses are common where
    basis: GDPR Art. 6(1)(e)
    special_basis: GDPR Art. 9(2)(j)
    columns: [born, zip, sex, ward, diagnosis]
    outputs: [audit, table, answer]
    recipients: [internal, university]
    budget: {epsilon: 1, delta: 1e-6}
    expires: 2090-12-31
    review: 2089-12-31
steps:
  - {do: audit, purpose: research, name: before}
  - {do: anonymize, purpose: research, name: safe, columns: [born, zip, sex, diagnosis], k: 5, max_suppressed: 0.1}
  - do: release
    purpose: research
    name: wards
    sql: SELECT ward, COUNT(*) AS n FROM patients GROUP BY ward
    epsilon: 0.5
    delta: 1e-7
limits:
  risk-highest: 0.2
"""


def main(folder: Path) -> None:
    examples.write(folder / "patients.csv", examples.hospital(400))
    (folder / "privet.yaml").write_text(POLICY, encoding="utf-8")
    record = run(folder / "privet.yaml").to_json()

    report = run_report(record)
    print(report["summary"]["verdict"])
    for thing in report["artifacts"]:
        for found in thing["evidence"][:2]:
            print(
                f"{thing['step']}: {found['attack']} reached {found['success']['value']:.3g}, {found['verdict']}"
            )
    for line in report["before_and_after"][:2]:
        print(f"{line['measure']}: {line['before']:.1%} before, {line['after']:.1%} after")
    for budget in report["budgets"][:1]:
        print(f"{budget['coin']} of the {budget['scope']}: {budget['left']} left of {budget['cap']}")
    page, _ = save_report(report, folder / "out")
    print(f"for the owner: {page.name}, {page.stat().st_size // 1024} KiB")

    public = run_report(record, public=True)
    assert not any("evidence" in thing for thing in public["artifacts"])
    page, _ = save_report(public, folder / "out")
    print(f"for others: {page.name}, {page.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(Path(place))
