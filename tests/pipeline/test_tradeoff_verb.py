"""The trade-off as a step: it checks like any other, and books nothing."""

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from privet import examples
from privet.dataset import DataSet
from privet.dataset._yaml_positions import placed
from privet.errors import PrivetError, UnitNotStated
from privet.pipeline._policy import check_policy
from privet.pipeline._policy_draft import OwnerStatements, audited, draft
from privet.pipeline._purpose_limitation import checked
from privet.pipeline._sweep_settings import Sweep
from privet.pipeline._tradeoff_verb import TradeoffOptions, TradeoffVerb
from privet.verbs import Request

# --- the proposed lines ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drafted")
    examples.write(folder / "stays.csv", examples.hospital(60, 7))
    found = audited(str(folder / "stays.csv"))
    roles = {name: column.role for name, column in found.columns.items()}
    said = replace(OwnerStatements(roles=roles).trial(), special_basis="GDPR Art. 9(2)(j), research")
    text = draft(found, "stays.csv", said, today=datetime.date(2030, 1, 1))
    (folder / "privet.yaml").write_text(text)
    return folder / "privet.yaml"


def test_the_step_of_that_kind_checks_like_any_other(drafted: Path) -> None:
    step = "  - {do: tradeoff, purpose: first-use, target: readmitted, epsilon: [1], k: [2, 5]}\n"
    policy_text = drafted.read_text().replace("limits:\n", f"{step}limits:\n")
    place = placed(policy_text, "privet.yaml")
    bound = checked(check_policy(place), place, datetime.date(2030, 1, 1))[-1]
    assert bound.verb.output == "report"
    assert "name" not in bound.columns
    assert "readmitted" in bound.columns
    wrong = placed(policy_text.replace("k: [2, 5]}", "k: [1]}"), "privet.yaml")
    with pytest.raises(PrivetError, match=r"steps\.3\.k\.0"):
        checked(check_policy(wrong), wrong, datetime.date(2030, 1, 1))


def test_what_is_left_out_is_tried_as_usual():

    assert TradeoffOptions(target="y").sweep().checked() == Sweep().checked()
    said = TradeoffOptions(target="y", k=[3], epsilon=["0.5"]).sweep()
    assert said.k == (3,)
    assert [float(one) for one in said.epsilon] == pytest.approx([0.5])
    assert said.models == Sweep().models


def test_rows_are_the_owners_unless_they_are_said_to_be_others():
    assert TradeoffOptions(target="y").standing == "owner-only"
    assert TradeoffOptions(target="y", public_data=True).standing == "public"
    assert TradeoffOptions(target="y", surrogate=True).standing == "surrogate"


def test_whose_rows_they_are_is_never_guessed(tmp_path):
    (tmp_path / "rows.csv").write_text("who,x\n1,2\n")
    data = DataSet.of(str(tmp_path / "rows.csv"))
    with pytest.raises(UnitNotStated):
        TradeoffVerb().bare_table(data, Request("rows.csv", TradeoffOptions(target="x")))
    table = TradeoffVerb().bare_table(
        data, Request("rows.csv", TradeoffOptions(target="x"), unit="who", max_rows=3)
    )
    assert (table.unit.column, table.unit.max_rows) == ("who", 3)
