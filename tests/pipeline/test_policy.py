"""Policies: read with the place of everything, refused with all faults at once."""

from datetime import date
from pathlib import Path

import pytest

from privet.dataset._yaml_positions import placed
from privet.errors import BadPolicy, PolicyGap
from privet.guarantee._privacy_units import Person, Row
from privet.guarantee._promise_registry import ApproxDP
from privet.pipeline._policy import check_policy, read_policy

GOOD = """\
version: 1
dataset:
  source: patients.csv
  unit: {column: patient_id, max_rows: 6, max_groups: 2}
  ledger: patients.ledger
  budget: {epsilon: 3, delta: 1e-6}
columns:
  patient_id: {role: direct}
  ward: {role: quasi, values: [ICU, Surgery]}
  days: {role: insensitive, bounds: [0, 60]}
  diagnosis: {role: sensitive, special: true, category: health}
purposes:
  planning:
    use: statistics
    basis: GDPR Art. 6(1)(e)
    columns: [ward, days]
    outputs: [answer]
    recipients: [internal]
    budget: {epsilon: 1, delta: 1e-7}
    expires: 2027-06-30
steps:
  - do: release
    purpose: planning
    sql: SELECT ward, COUNT(*) AS n FROM patients GROUP BY ward
    to: beds.json
limits:
  linkage: 0.2
"""


def faults(text: str) -> list[str]:
    with pytest.raises(BadPolicy) as caught:
        check_policy(placed(text, "privet.yaml"))
    return list(caught.value.details["faults"])


def test_a_good_policy_is_read(tmp_path: Path) -> None:
    (tmp_path / "privet.yaml").write_text(GOOD, encoding="utf-8")
    policy, _ = read_policy(tmp_path / "privet.yaml")
    assert policy.dataset.unit.value() == Person("patient_id", max_rows=6, max_groups=2)
    assert policy.dataset.budget.promise() == ApproxDP(3, "1e-6")
    assert policy.purposes["planning"].columns == ["ward", "days"]
    assert policy.steps[0].model_extra == {"sql": "SELECT ward, COUNT(*) AS n FROM patients GROUP BY ward"}
    assert policy.limits == pytest.approx({"linkage": 0.2})


def test_rows_can_be_the_unit() -> None:
    text = GOOD.replace("{column: patient_id, max_rows: 6, max_groups: 2}", "{column: row}")
    assert check_policy(placed(text, "p")).dataset.unit.value() == Row()


def test_several_faults_are_named_at_once_with_their_places() -> None:
    text = GOOD.replace("columns: [ward, days]", "colums: [ward, days]").replace("epsilon: 3", "epsilon: -3")
    text = text.replace("role: quasi", "role: quazi")
    found = faults(text)
    assert found[0].startswith("privet.yaml:6:21 dataset.budget.epsilon: should be greater than 0")
    assert any(f.startswith("privet.yaml:9:16 columns.ward.role: should be 'direct'") for f in found)
    assert any(
        f.startswith("privet.yaml:16:5 purposes.planning.colums: not known here. Did you mean 'columns'")
        for f in found
    )
    assert any("purposes.planning.columns: required field missing" in f for f in found)
    assert len(found) == 4


def test_faults_of_the_file_and_of_its_steps_come_together(tmp_path: Path) -> None:
    from privet.pipeline._run_planner import Project

    wrong = GOOD.replace("role: quasi", "role: quazi").replace(
        "    to: beds.json", "    epsilonn: 1\n    to: beds.json"
    )
    (tmp_path / "privet.yaml").write_text(wrong.replace("sql: SELECT", "sql: {}  # SELECT"), encoding="utf-8")
    with pytest.raises(BadPolicy) as caught:
        Project.read(tmp_path / "privet.yaml")
    said = caught.value.details["faults"]
    assert [fault.split(" ")[1] for fault in said] == [
        "columns.ward.role:",
        "steps.0.sql:",
        "steps.0.epsilonn:",
    ]
    assert said[1].endswith("should be a valid string, or should be a valid list.")
    assert "Did you mean 'epsilon'?" in said[2]


def test_names_must_lead_somewhere() -> None:
    text = GOOD.replace("purpose: planning", "purpose: planing").replace("[ward, days]", "[ward, dayz]")
    found = faults(text.replace("column: patient_id", "column: patient"))
    assert [one.split(" ")[0] for one in found] == [
        "privet.yaml:23:14",
        "privet.yaml:16:21",
        "privet.yaml:4:18",
    ]
    assert "Did you mean 'planning'?" in found[0]
    assert "Did you mean 'days'?" in found[1]


def test_bounds_are_ordered() -> None:
    assert "the lower bound comes first" in faults(GOOD.replace("[0, 60]", "[60, 0]"))[0]
    assert "the lower bound comes first" in faults(GOOD.replace("[0, 60]", "[2020-01-02, 2020-01-01]"))[0]


def test_bounds_are_numbers_or_days(tmp_path: Path) -> None:
    for wrong in ("[0, 2020-01-01]", "[true, 3]", "[.nan, 3]", "[0, .inf]", "[low, high]"):
        assert "bound" in faults(GOOD.replace("[0, 60]", wrong))[0], wrong
    (tmp_path / "privet.yaml").write_text(GOOD.replace("[0, 60]", "[1900-01-01, 2025-12-31]"))
    policy, _ = read_policy(tmp_path / "privet.yaml")
    assert policy.columns["days"].bounds == (date(1900, 1, 1), date(2025, 12, 31))
    assert policy.model_dump(mode="json")["columns"]["days"]["bounds"] == ["1900-01-01", "2025-12-31"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no policy"),
        ("- a\n- b\n", "holds no policy"),
        ("a: [1, 2", "is not YAML"),
        ("version: 1\nversion: 1\n", "'version' stands here twice"),
        ("a: &x 1\nb: *x\n", "anchors and aliases"),
        ("? [1, 2]\n: 3\n", "a name is not a word"),
        ("a: !!python/object:os.system x\n", "cannot be read"),
        ("[" * 60 + "]" * 60, "too deeply"),
        ("a: 2026-99-99\n", "cannot be read"),
    ],
)
def test_what_is_no_policy_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadPolicy, match=said):
        check_policy(placed(text, "privet.yaml"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadPolicy, match="cannot be read"):
        read_policy(tmp_path / "none.yaml")
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadPolicy, match="not a text file"):
        read_policy(tmp_path / "b.yaml")
    (tmp_path / "c.yaml").write_text("# " + "x" * 1_100_000)
    with pytest.raises(BadPolicy, match="too large"):
        read_policy(tmp_path / "c.yaml")


def test_values_are_not_repeated_in_faults() -> None:
    text = GOOD.replace("epsilon: 3", "epsilon: SECRETVALUE").replace("2027-06-30", "SECRETDATE")
    assert "SECRET" not in "".join(faults(text))


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("    basis: GDPR Art. 6(1)(e)\n", "privet.yaml:14:5 purposes.planning.basis"),
        ("    expires: 2027-06-30\n", "privet.yaml:14:5 purposes.planning.expires"),
        ("    recipients: [internal]\n", "privet.yaml:14:5 purposes.planning.recipients"),
        ("  ledger: patients.ledger\n", "privet.yaml:3:3 dataset.ledger"),
        ("  budget: {epsilon: 3, delta: 1e-6}\n", "privet.yaml:3:3 dataset.budget"),
    ],
)
def test_what_is_not_said_is_a_gap_and_not_a_mistake(line: str, place: str) -> None:
    assert line in GOOD
    name = line.split(":", maxsplit=1)[0]
    for text in (GOOD.replace(line, "", 1), GOOD.replace(line, f"{name}:\n", 1)):  # not there, or left empty
        with pytest.raises(PolicyGap) as caught:
            check_policy(placed(text, "privet.yaml"))
        (fault,) = caught.value.details["faults"]
        assert fault.endswith(f"{place.split(' ')[1]}: required field missing.")
        assert caught.value.exit_code == 10
    assert fault.startswith("privet.yaml:")
