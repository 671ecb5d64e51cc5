"""The policy of the demonstration: a hospital that publishes a table for research, plans its beds, and trains a model."""

from __future__ import annotations

import datetime

from privet.pipeline import SCHEMA_NAME

K, KEPT_APART, LEDGER = 5, 0.25, "patients.ledger"
MAX_ROWS, MAX_WARDS = 6, 2  # of one patient, in an answer
_POLICY = """\
# yaml-language-server: $schema=./{schema}
# What is there, who may use what for which purpose, and what is to be done. `privet plan` and `privet run` read it.
version: 1
dataset:
  source: patients.csv
  name: patients
  # Whose presence is hidden: everything of one patient, of whom at most {max_rows} stays in {max_wards} wards count in an answer.
  unit: {{column: patient_id, max_rows: {max_rows}, max_groups: {max_wards}}}
  ledger: {ledger}
  budget: {{epsilon: 4, delta: 1e-6}}
columns:
  # Bounds and values are what anybody may know of a hospital; none of them was read off the data.
  patient_id: {{role: direct, category: user.health_and_medical.record_id}}
  name: {{role: direct, category: user.name}}
  ssn: {{role: direct, category: user.government_id.us_ssn}}
  email: {{role: direct, category: user.contact.email}}
  phone: {{role: direct, category: user.contact.phone_number}}
  born: {{role: quasi, category: user.demographic.date_of_birth}}
  zip: {{role: quasi, category: user.contact.address.postal_code}}
  sex: {{role: quasi, category: user.demographic.gender, values: [F, M, X]}}
  ward:
    role: insensitive
    values: [Cardiology, Intensive care, Internal medicine, Maternity, Neurology, Oncology, Orthopaedics, Paediatrics, Psychiatry, Surgery]
  diagnosis: {{role: sensitive, category: user.health_and_medical.diagnosis, special: true}}
  admitted: {{role: quasi, category: user.date}}
  days: {{role: insensitive, bounds: [0, 60]}}
  cost: {{role: sensitive, category: user.financial, bounds: [0, 60000]}}
  note: {{role: free text, category: user.content.private}}
  readmitted: {{role: sensitive, category: user.health_and_medical, special: true, values: [true, false]}}
purposes:
  research:
    use: which diagnoses are common, by age, region and sex
    basis: GDPR Art. 6(1)(e), a task in the public interest
    special_basis: GDPR Art. 9(2)(j), scientific research
    columns: [born, zip, sex, diagnosis]
    outputs: [audit, table, report]
    recipients: [internal, university]
    expires: {expires}
    review: {review}
  bed-planning:
    use: how many beds each ward needs
    basis: GDPR Art. 6(1)(e), a task in the public interest
    columns: [ward, days]
    outputs: [answer]
    recipients: [internal]
    budget: {{epsilon: 1, delta: 1e-7}}
    expires: {expires}
    review: {review}
  aftercare:
    use: who is likely to come back within thirty days
    basis: GDPR Art. 6(1)(e), a task in the public interest
    special_basis: GDPR Art. 9(2)(h), provision of health care
    columns: [sex, ward, days, cost, readmitted]
    outputs: [model, report]
    recipients: [internal]
    budget: {{epsilon: 2, delta: 1e-6}}
    expires: {expires}
    review: {review}
steps:
  # voters.csv is what an outsider can look up; truth.csv says who is who in it, to score the attack.
  - {{do: audit, purpose: research, name: before, auxiliary: voters.csv, truth: truth.csv}}
  - {{do: anonymize, purpose: research, name: safe, k: {k}, max_suppressed: 0.05, holdout: {held}, recipient: university}}
  - do: release
    purpose: bed-planning
    name: beds
    sql: SELECT ward, COUNT(*) AS stays, AVG(days) AS days FROM patients GROUP BY ward
    epsilon: 0.5
  - do: train
    purpose: aftercare
    name: returns
    target: readmitted
    columns: [sex, ward, days, cost]
    records: {records}
    epsilon: 1
    delta: 1e-7
    holdout: {held}
  - {{do: attack, purpose: research, name: linked, of: safe, auxiliary: voters.csv, truth: truth.csv, attacks: [linkage-exact]}}
limits:
  risk-highest: 0.2
  linkage-exact: 0.2
  membership-loss: 0.6
"""


def policy_text(records: int, today: datetime.date) -> str:
    """The policy file. `records` is a public number: how many patients the hospital says it treats."""
    return _POLICY.format(
        schema=SCHEMA_NAME,
        ledger=LEDGER,
        k=K,
        max_rows=MAX_ROWS,
        max_wards=MAX_WARDS,
        held=KEPT_APART,
        records=records,
        expires=(today + datetime.timedelta(days=365)).isoformat(),
        review=(today + datetime.timedelta(days=182)).isoformat(),
    )
