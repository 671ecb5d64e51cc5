"""Whole audits: broken training is caught, right training is left alone, and power stands beside every verdict."""

import numpy as np
import pytest
from tests.attacks.dp_audit.toy import BROKEN, CLAIM, PROMISE, Toy

from privet.artifact._risk_estimate import Verdict
from privet.attacks.dp_audit import GradientCanaries, audit_one_run, mislabelled
from privet.errors import BadAttack
from privet.guarantee._promise_registry import ApproxDP, PureDP

CAUGHT_BY = {
    "a tenth of the noise": {"canaries-one-run", "canaries-gaussian", "noise-scale"},
    "no clipping": {"canaries-one-run", "canaries-gaussian", "clipping"},
    "clipping per batch": {"canaries-one-run", "clipping"},
    "noise only once": {"canaries-one-run", "noise-scale"},
    "the same noise reused": {"noise-independence"},
    "full batch under a claimed rate": {"canaries-one-run", "participation"},
    "accounting for fewer steps": {"steps", "accounting"},
}


def audit(seed: int = 0, runs: int = 1, **how):
    toy = Toy(seed=seed, **how)
    return audit_one_run(toy, toy.planted, PROMISE, seed=seed, runs=runs)


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("seed", [1, 2])
def test_broken_training_is_caught(how: str, seed: int) -> None:
    found = audit(seed, **BROKEN[how])
    assert {one.attack for one in found.contradicted} >= CAUGHT_BY[how]
    assert found.verdict is Verdict.CONTRADICTS


def test_right_training_is_left_alone() -> None:
    """At most 5 of 100 runs may be accused. Each is accused with a probability of about one in a hundred."""
    accused = [seed for seed in range(100) if audit(seed, canaries=160).contradicted]
    assert len(accused) <= 5, accused


def test_scores_alone_do_not_see_reused_noise() -> None:
    """Why structure is checked: the same noise in every step moves every canary's score alike over time."""
    found = audit(3, noisy="same")
    assert not {one.attack for one in found.contradicted} & {"canaries-one-run", "canaries-gaussian"}


def test_few_canaries_cannot_contradict_a_large_epsilon() -> None:
    """Fifty canaries show at most about 2.4: whatever they say of a promise of 8 is inconclusive, never a pass."""
    toy = Toy(canaries=50, noise=0.01)
    found = audit_one_run(toy, toy.planted, ApproxDP(8, "0.00001"))["canaries-one-run"]
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.detectable is not None
    assert found.detectable < 8
    assert f"cannot show epsilon above {found.detectable:.4g}, whatever there is" in found.sentence()


def test_every_estimate_states_what_it_could_show_and_what_is_known_of_its_power() -> None:
    for one in audit(4):
        assert one.detectable is not None
        assert "cannot show" in one.sentence() or one.attack == "accounting"
        measured = not one.attack.startswith("canaries")
        assert ("Test power, computed: " in one.sentence()) is measured
        assert one.sentence().endswith("Test power: not measured.") is not measured


def test_two_runs_are_compared_and_give_the_bound_of_many_runs() -> None:
    found = audit(5, runs=2, canaries=60)
    assert found["freshness"].verdict is Verdict.WITHIN
    assert found["canaries-clopper-pearson"].verdict is Verdict.INCONCLUSIVE
    fixed = Toy(canaries=60)(np.ones(60, bool))
    planted = GradientCanaries(60, CLAIM.clip, first=20)
    stuck = audit_one_run(lambda included: fixed, planted, PROMISE, runs=2)
    assert stuck["freshness"] in stuck.contradicted


def test_many_runs_show_a_broken_mechanism() -> None:
    """One canary per run with no noise to speak of: 300 runs show more than epsilon 1."""
    draw = np.random.default_rng(6)

    class Plain:
        access, gaussian = "black box", False

        def __len__(self) -> int:
            return 1

        def scores(self, trained):
            return trained

    found = audit_one_run(lambda included: included + draw.normal(0, 0.1, 1), Plain(), PureDP(1), runs=300)[
        "canaries-clopper-pearson"
    ]
    assert found.verdict is Verdict.CONTRADICTS


class _Remembers:
    """A model that is sure of every label that it was given, and knows nothing else."""

    def __init__(self, features: np.ndarray, labels: np.ndarray) -> None:
        self.seen = {row.tobytes(): label for row, label in zip(features, labels, strict=True)}

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        told = [self.seen.get(row.tobytes()) for row in features]
        return np.array([[0.5, 0.5] if one is None else np.eye(2)[one] * 0.98 + 0.01 for one in told])


def test_mislabelled_canaries_in_a_black_box() -> None:
    draw = np.random.default_rng(7)
    spare, labels = draw.normal(size=(400, 3)), draw.integers(0, 2, 400)
    canaries = mislabelled(spare, labels, 300)
    own = {row.tobytes(): label for row, label in zip(spare, labels, strict=True)}
    assert all(
        own[row.tobytes()] != label for row, label in zip(canaries.features, canaries.labels, strict=True)
    )
    found = audit_one_run(lambda included: _Remembers(*canaries.chosen(included)), canaries, PROMISE)
    assert found["canaries-one-run"].verdict is Verdict.CONTRADICTS
    assert found["canaries-gaussian"].verdict is Verdict.NOT_PROMISED  # nobody claimed Gaussian noise here
    blind = audit_one_run(lambda included: _Remembers(spare[:0], labels[:0]), canaries, PROMISE)
    assert not blind.contradicted


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(BadAttack, match="at least one canary"):
        audit_one_run(Toy(), Toy(canaries=0).planted, PROMISE)
    with pytest.raises(BadAttack, match="predict_proba"):
        audit_one_run(lambda included: 3, mislabelled(np.zeros((4, 1)), [0, 1, 0, 1], 4), PROMISE)
    with pytest.raises(BadAttack, match="observed run"):
        audit_one_run(lambda included: 3, Toy().planted, PROMISE)
    with pytest.raises(BadAttack, match="spare records"):
        mislabelled(np.zeros((4, 1)), [0, 1, 0, 1], 5)
    with pytest.raises(BadAttack, match="more canaries than coordinates"):
        Toy().planted.gradients(10)
    assert np.linalg.norm(GradientCanaries(3, 2.0, first=1).gradients(5), axis=1).tolist() == pytest.approx(
        [20, 20, 20]
    )
