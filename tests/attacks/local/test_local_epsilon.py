"""An epsilon from reports: never above the claim for a client that keeps it, above it for one that does not."""

import numpy as np
import pytest
from tests.attacks.local.clients import TWELVE, Randomised, asking
from tests.protect.collect.specifications import FREQUENCY, MEMOISED, NUMBERS, collection

import privet as pv
from privet.artifact import Verdict
from privet.errors import BadAttack

SURE = {"alarm": 1e-7, "attacks": ["local-epsilon"], "draws": 4_000}


@pytest.mark.parametrize("kind", [*FREQUENCY, *MEMOISED, *NUMBERS, "sampled"])
def test_ours_is_never_shown_above_its_claim(kind: str) -> None:
    """False alarm: 1e-7 for each. What is shown comes near the claim, so that a broken one would be seen."""
    values = {"values": ["v0", "v5"]} if kind in (*FREQUENCY, *MEMOISED) else {}
    found = pv.attack(collection(kind, 3), **SURE, **values)[0]
    assert found.success.low <= found.bound
    assert found.verdict is not Verdict.CONTRADICTS
    assert found.success.value > 0.25 * found.bound


def test_a_claim_that_is_too_low_is_contradicted() -> None:
    assert pv.attack(asking("oue", 2), promise=pv.LocalDP(1), **SURE).verdict is Verdict.CONTRADICTS


def test_a_client_with_half_of_the_noise_is_found_out() -> None:
    """Any function: it need not be ours, and states no specification."""
    kept = pv.LocalClient(Randomised(1), TWELVE, promise=pv.LocalDP(1))
    broken = pv.LocalClient(Randomised(1, 0.5), TWELVE, promise=pv.LocalDP(1))
    assert pv.attack(kept, **SURE)["local-epsilon"].success.low <= 1
    assert pv.attack(broken, **SURE)["local-epsilon"].verdict is Verdict.CONTRADICTS


def test_a_single_value_without_noise_is_found() -> None:
    """One value of many is reported as it is: the pair is looked for, not given."""
    honest = Randomised(1)

    def report(values):
        return [
            int(value[1:]) if value == "v7" else one
            for value, one in zip(values, honest(values), strict=True)
        ]

    found = pv.attack(pv.LocalClient(report, TWELVE, promise=pv.LocalDP(1)), **SURE)[0]
    assert found.verdict is Verdict.CONTRADICTS


def test_a_device_that_does_not_keep_its_answers_is_found_by_several_reports() -> None:
    made = asking("l-grr", 1, settings={"once": 500})
    forgetful = pv.LocalClient(
        lambda values: made.randomize(values, seed=1),
        TWELVE,
        lambda values, times: [made.randomize(values, seed=seed + len(values)) for seed in range(times)],
        made.to_json(),
        made.promise,
    )
    asked = {**SURE, "reports": 16, "values": ["v0", "v1"]}
    assert pv.attack(made, **asked)[0].success.low <= 1
    assert pv.attack(forgetful, **asked).verdict is Verdict.CONTRADICTS


def test_values_that_are_not_its_own_are_refused() -> None:
    with pytest.raises(BadAttack, match="values names two"):
        pv.attack(asking("grr"), **{**SURE, "values": ["v0", "?"]})
    with pytest.raises(BadAttack, match="alarm"):
        pv.attack(asking("grr"), **{**SURE, "alarm": 0.9})
    assert np.isfinite(pv.attack(asking("grr"), **SURE)[0].detectable)
