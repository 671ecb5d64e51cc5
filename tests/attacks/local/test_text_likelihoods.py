"""Reports about texts, read by the public hash functions: the device's own text fits, and an epsilon is shown from it."""

from typing import Any

import numpy as np
import pytest
from tests.protect.collect.specifications import collection

import privet as pv
from privet.artifact import Verdict
from privet.attacks.local._text_likelihoods import text_likelihoods
from privet.errors import BadAttack

TEXTS = ["abcd", "dab", "ca"]
# Without noise, as nearly as a client of ours can be: nine in ten thousand reports, or fewer, are changed.
QUIET = 15


def quiet(kind: str, like: pv.Collection) -> pv.Collection:
    """A client that sends what fits the specification, and forgot nearly all of the noise."""
    inside: dict[str, Any] = like.to_json()["protocol"]["oracle"]
    settings = {name: inside[name] for name in ("pool", "range", "rows", "width") if name in inside}
    return pv.Collection(like.name, like.question, pv.LocalDP(QUIET), kind, settings=settings, seed=like.seed)


@pytest.mark.parametrize("kind", ["pem", "sfp"])
def test_without_noise_the_text_that_was_meant_fits_best(kind: str) -> None:
    made = collection(kind, 3)
    for at, text in enumerate(TEXTS):
        reports = quiet(kind, made).randomize([text] * 400, seed=at)
        said = text_likelihoods(made.to_json(), made.epsilon, reports, TEXTS)
        assert said.shape == (400, 3)
        assert (said[:, at] >= said.max(axis=1) - 1e-9).mean() > 0.98


@pytest.mark.parametrize("kind", ["pem", "sfp"])
def test_ours_keeps_its_claim_and_one_without_noise_is_found_out(kind: str) -> None:
    """False alarms: 1e-7 for each."""
    made = collection(kind, 3)
    sure: dict[str, Any] = {"alarm": 1e-7, "attacks": ["local-epsilon"], "draws": 4_000}
    found = pv.attack(made, **sure)[0]
    assert found.success.low <= 3
    assert found.verdict is not Verdict.CONTRADICTS
    assert found.success.value > 0.75, "what is shown is a part of the claim that a broken client would pass"
    loud = quiet(kind, made)
    broken = pv.LocalClient(
        lambda values: loud.randomize(values, seed=len(values)),
        ["aaaa", "bbbb"],
        specification=made.to_json(),
        promise=made.promise,
    )
    shown = pv.attack(broken, **sure)[0]
    assert shown.success.low > 3
    assert shown.verdict is Verdict.CONTRADICTS


def test_reports_of_another_kind_are_refused() -> None:
    made = collection("pem")
    with pytest.raises(BadAttack, match="not those of its specification"):
        text_likelihoods(made.to_json(), made.epsilon, collection("grr").randomize(["v1"]), TEXTS)
    record = {**made.to_json(), "protocol": {"kind": "other"}}
    with pytest.raises(BadAttack, match="not known here"):
        text_likelihoods(record, made.epsilon, made.randomize(["ab"]), TEXTS)
    assert np.isfinite(text_likelihoods(made.to_json(), made.epsilon, made.randomize(["ab"]), TEXTS)).all()
