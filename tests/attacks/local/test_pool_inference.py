"""Pool inference: a preference shows in many reports, and the more of them the better."""

import pytest
from tests.attacks.local.clients import TWELVE, asking

import privet as pv
from privet.artifact import Verdict
from privet.errors import BadAttack

SKETCH = asking("cms", 4, settings={"rows": 64, "width": 128})
ASKED = {"attacks": ["pool-inference"], "draws": 500, "confidence": 1 - 1e-6}


def test_a_preference_shows_in_reports_to_a_sketch() -> None:
    one, seven = (pv.attack(SKETCH, reports=reports, **ASKED)[0] for reports in (1, 7))
    assert seven.success.low > one.success.high > seven.baseline
    assert one.verdict is not Verdict.CONTRADICTS
    assert seven.details["epsilon together"] == 28


def test_nothing_is_found_where_nobody_prefers_anything() -> None:
    found = pv.attack(SKETCH, reports=7, share=1 / 3, **ASKED)[0]
    assert not found.found_something


def test_pools_are_stated() -> None:
    found = pv.attack(SKETCH, reports=2, groups=[["v0", "v1"], ["v2"]], **ASKED)[0]
    assert found.baseline == pytest.approx(0.5)
    for groups in ([["v0"]], [["v0"], ["v0"]], [["v0"], ["?"]], [["v0"], []]):
        with pytest.raises(BadAttack, match="pool"):
            pv.attack(SKETCH, groups=groups, **ASKED)
    with pytest.raises(BadAttack, match="share"):
        pv.attack(SKETCH, groups=[TWELVE[:6], TWELVE[6:]], share=1.0, **ASKED)
