"""What planning a language model and measuring a law take, before any of it is done."""

import pytest
from tests.protect.train.language.laws import table

from privet.errors import BadUsage, PrivetError
from privet.verbs import LanguagePlanOptions, LanguageSweepOptions, planned_model, swept

ASKED = {"compute": 1e12, "examples": 2e4, "sequence": 64, "epsilon": 2, "delta": 1e-6}


def test_a_plan_is_made_with_a_law_of_ones_own(tmp_path):
    table().save(tmp_path / "losses.json")
    found = planned_model(LanguagePlanOptions(**ASKED, law=str(tmp_path / "losses.json")))
    assert found.space.law.table == table()
    assert found.examples == 20_000


@pytest.mark.parametrize(
    "change",
    [{"compute": 0}, {"examples": 1}, {"epsilon": 0}, {"delta": 1}, {"sequence": 0}, {"compute": "much"}],
)
def test_amounts_that_cannot_be_are_refused(change):
    with pytest.raises((PrivetError, ValueError)):
        LanguagePlanOptions(**{**ASKED, **change})


@pytest.mark.parametrize("shape", ["16", "x16", "2x", "-1x16", "2x²"])
def test_shapes_that_cannot_be_read_are_refused(shape, tmp_path):
    (tmp_path / "a.txt").write_text("text " * 1000)
    options = LanguageSweepOptions(
        texts=[str(tmp_path / "a.txt")], measured_on="x", shapes=[shape, "1x16"], folder=tmp_path / "f"
    )
    with pytest.raises(BadUsage, match="layers and width"):
        swept(options)
    assert not (tmp_path / "f").exists()
