"""All faults of a declaration at once, each with its place and without the value that stands there."""

import pytest

from privet.dataset._declaration import Declaration
from privet.dataset._declaration_faults import declaration_in
from privet.dataset._yaml_positions import placed
from privet.errors import BadPolicy, PolicyGap

GOOD = """dataset:
  source: a.csv
  unit: {column: id, max_rows: 3}
  ledger: a.ledger
  budget: {epsilon: 1}
columns:
  id: {role: direct}
  ward: {role: insensitive}
purposes:
  beds: {use: planning, basis: law, columns: [ward], outputs: [answer], recipients: [us], expires: 2030-01-01}
"""


def read(text):
    return declaration_in(placed(text, "privet.yaml"), Declaration)


def faults(text, kind=BadPolicy):
    with pytest.raises(kind) as caught:
        read(text)
    assert type(caught.value) is kind
    assert caught.value.details["faults"] == caught.value.fact.split("\n")
    return caught.value.details["faults"]


def test_a_good_declaration_is_read_and_what_else_stands_there_is_left_to_others():
    assert read(GOOD).dataset.source == "a.csv"
    assert read(GOOD + "steps: [1, 2]\n").columns.keys() == {"id", "ward"}


@pytest.mark.parametrize("text", ["", "3", "[1]"])
def test_what_declares_nothing_is_said(text):
    with pytest.raises(BadPolicy, match="declares no data set"):
        read(text)


def test_all_faults_are_told_in_the_order_of_the_file():
    found = faults(GOOD.replace("epsilon: 1", "epsilon: -1").replace("role: insensitive", "role: harmless"))
    assert len(found) == 2
    assert found[0].startswith("privet.yaml:5:21 dataset.budget.epsilon: ")
    assert found[1].startswith("privet.yaml:8:16 columns.ward.role: ")
    assert "harmless" not in found[1]


def test_unknown_names_get_a_proposal():
    (found,) = faults(GOOD.replace("max_rows: 3", "max_row: 3"))
    assert found.startswith("privet.yaml:3:22 dataset.unit.max_row: not known here.")
    assert "max_rows" in found


def test_what_is_not_said_is_a_gap_and_only_where_nothing_is_worse():
    (found,) = faults(GOOD.replace("  ledger: a.ledger\n", ""), PolicyGap)
    assert found.endswith("dataset.ledger: required field missing.")
    (empty,) = faults(GOOD.replace("ledger: a.ledger", "ledger:"), PolicyGap)
    assert empty.startswith("privet.yaml:4:10 dataset.ledger")
    both = faults(GOOD.replace("  ledger: a.ledger\n", "").replace("epsilon: 1", "epsilon: -1"))
    assert len(both) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("columns: [ward]", "columns: [ward, wart]", "purposes.beds.columns: column 'wart' is not declared."),
        ("column: id", "column: idd", "dataset.unit.column: column 'idd' is not declared."),
        (
            "purposes:\n",
            "vaults: {v.json: {purpose: bed}}\npurposes:\n",
            "vaults.v.json.purpose: there is no such purpose.",
        ),
        (
            "purposes:\n",
            "vaults: {../v.json: {}}\npurposes:\n",
            "vaults: a vault lies in the policy's folder",
        ),
        ("purposes:\n", "vaults: {/v.json: {}}\npurposes:\n", "vaults: a vault lies in the policy's folder"),
    ],
)
def test_names_that_nothing_declares_are_faults(old, new, said):
    (found,) = faults(GOOD.replace(old, new))
    assert said in found
    assert found.startswith("privet.yaml:")


def test_rows_need_no_column_and_a_vault_may_lie_below():
    assert read(GOOD.replace("column: id, max_rows: 3", "column: row"))
    assert read(GOOD.replace("purposes:\n", "vaults: {below/v.json: {purpose: beds}}\npurposes:\n")).vaults
