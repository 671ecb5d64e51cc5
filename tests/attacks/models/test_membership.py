"""Membership inference: an overfit model is caught, a private or innocent one is not."""

import json
import warnings

import numpy as np
import pytest
import torch
from scipy.optimize import brentq
from scipy.stats import binom, norm
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from privet.artifact._risk_estimate import RiskEstimate, Verdict
from privet.attacks._attack_registry import Case, attacks
from privet.attacks._attack_scores import area
from privet.attacks._training_recipe import Recipe
from privet.attacks.models._lira import online_scores
from privet.attacks.models._membership_game import game_of, shadows_of
from privet.errors import BadAttack, NoPower
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP

torch.set_num_threads(1)
KNOWN = {attack.name: attack.run for attack in attacks("model") if attack.name.startswith("membership")}
SIZE, WIDTH = 250, 30


def people(seed: int, records: int = 2 * SIZE, width: int = WIDTH) -> tuple[np.ndarray, np.ndarray]:
    """Labels that depend on the features a little: there is much to learn by heart."""
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(records, width))
    return features, (features[:, :5].sum(axis=1) + 3 * draw.normal(size=records) > 0).astype(int)


def network(seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(WIDTH, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))


def overfit(features, labels, seed: int) -> torch.nn.Module:
    model, x, y = network(seed), torch.tensor(features, dtype=torch.float32), torch.tensor(labels)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(80):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimiser.step()
    return model


def noise_for(epsilon: float, delta: float, steps: int) -> float:
    """The noise multiplier of full-batch steps, by the exact curve of Gaussian privacy (Dong, Roth and Su 2022)."""

    def excess(mu: float) -> float:
        return norm.cdf(-epsilon / mu + mu / 2) - np.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2) - delta

    return np.sqrt(steps) / brentq(excess, 0.01, 10)


def private(features, labels, seed: int) -> torch.nn.Module:
    """DP-SGD at epsilon 1 for adding or removing a record: each gradient clipped to one, Gaussian noise on their sum."""
    model, x, y = network(seed), torch.tensor(features, dtype=torch.float32), torch.tensor(labels)
    steps, noise = 30, torch.Generator().manual_seed(seed)
    multiplier = noise_for(1, 1e-5, steps)
    weights = dict(model.named_parameters())

    def loss(values, record, label):
        return torch.nn.functional.cross_entropy(
            torch.func.functional_call(model, values, record[None]), label[None]
        )

    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    for _ in range(steps):
        gradients = each({name: value.detach() for name, value in weights.items()}, x, y)
        lengths = torch.sqrt(sum(one.flatten(1).pow(2).sum(dim=1) for one in gradients.values()))
        factors = (1 / lengths).clamp(max=1)
        with torch.no_grad():
            for name, value in weights.items():
                total = torch.einsum("n,n...->...", factors, gradients[name])
                total += multiplier * torch.randn(total.shape, generator=noise)
                value.sub_(0.5 / len(x) * total)
    return model


def case_of(features, labels, **settings) -> Case:
    given = settings.pop("case", {})
    return Case(
        members=(features[:SIZE], labels[:SIZE]),
        control=(features[SIZE:], labels[SIZE:]),
        settings=settings,
        **given,
    )


@pytest.fixture(scope="module")
def caught() -> dict[str, RiskEstimate]:
    features, labels = people(1)
    target = overfit(features[:SIZE], labels[:SIZE], 99)
    case = case_of(features, labels, recipe=Recipe(overfit, "overfit"), case={"promise": ApproxDP(1, 1e-5)})
    return {name: run(target, case) for name, run in KNOWN.items()}


def test_an_overfit_model_is_caught_by_lira_with_sixteen_shadows(caught) -> None:
    found = caught["membership-lira"]
    assert found.success.value >= 0.85
    assert found.cost.models == 16
    assert found.beats_baseline
    assert found.verdict is Verdict.CONTRADICTS
    assert found.success.low > found.bound
    assert found.control.low < 0.5 < found.control.high


def test_knowing_how_such_records_are_answered_helps(caught) -> None:
    plain = caught["membership-loss"]
    assert caught["membership-lira"].success.low > plain.success.value
    assert caught["membership-lira"].details["true positives"]["1 %"]["value"] > 0.1
    assert caught["membership-rmia"].success.value > plain.success.value
    assert caught["membership-rmia"].cost.models == 4
    assert caught["membership-shadow"].success.value >= plain.success.value - 0.02
    assert all(found.beats_baseline for found in caught.values())


def test_every_result_is_a_complete_record(caught) -> None:
    for name, found in caught.items():
        assert RiskEstimate.from_json(json.loads(json.dumps(found.to_json()))) == found
        assert found.attack == name
        assert found.measure == "AUC"
        rates = found.details["true positives"]
        assert set(rates) == {"0.1 %", "1 %"}
        assert all(one["low"] <= one["value"] <= one["high"] for one in rates.values())
        assert rates["1 %"]["bound"] == pytest.approx(np.e * 0.01 + 1e-5)
        assert len(found.details["curve"]["true_positives"]) <= 200
        assert 0.5 < found.detectable < 1
        assert found.cost.cpu_seconds > 0


def test_privacy_brings_the_same_network_to_chance() -> None:
    """What epsilon 1 leaves is too little to be seen in 250 people: an AUC of about 0.52, where the promise allows 0.73."""
    for seed in (2, 3, 4):
        features, labels = people(seed)
        target = private(features[:SIZE], labels[:SIZE], 99 + seed)
        case = case_of(
            features, labels, recipe=Recipe(private, "private"), case={"promise": ApproxDP(1, 1e-5)}
        )
        found = KNOWN["membership-lira"](target, case)
        assert found.success.low < 0.5 < found.success.high
        assert found.verdict is Verdict.WITHIN


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_model_that_saw_nobody_is_never_said_to_leak(name: str) -> None:
    """Each interval misses one half with a chance of 1e-6."""
    for seed in range(3):
        features, labels = people(100 + seed, 3 * SIZE)
        target = LogisticRegression().fit(features[2 * SIZE :], labels[2 * SIZE :])
        case = case_of(features[: 2 * SIZE], labels[: 2 * SIZE], case={"confidence": 1 - 1e-6, "seed": seed})
        found = KNOWN[name](target, case)
        assert found.success.low < 0.5 < found.success.high
        assert not found.beats_baseline


def test_false_alarms_are_as_rare_as_stated() -> None:
    features, labels = people(7, 4 * SIZE)
    target = LogisticRegression().fit(features[: 2 * SIZE], labels[: 2 * SIZE])
    features, labels = features[2 * SIZE :], labels[2 * SIZE :]
    alarms = broken = 0
    for seed in range(200):
        order = np.random.default_rng(seed).permutation(2 * SIZE)
        case = case_of(features[order], labels[order], case={"promise": PureDP("0.1")})
        found = KNOWN["membership-loss"](target, case)
        alarms += not found.success.low < 0.5 < found.success.high
        broken += found.verdict is Verdict.CONTRADICTS
    assert alarms <= binom.ppf(1 - 1e-6, 200, 0.05)
    assert broken <= binom.ppf(1 - 1e-6, 200, 0.05)


def test_shrunk_spreads_beat_spreads_of_ones_own_with_four_shadows() -> None:
    gains, early = [], []
    for seed in range(3):
        features, labels = people(20 + seed)
        target = overfit(features[:SIZE], labels[:SIZE], 99)
        case = case_of(features, labels, recipe=Recipe(overfit, "overfit"))
        game = game_of(target, case)
        shadows = shadows_of(game, case, 4)
        areas, rates = {}, {}
        for variance in ("own", "shrunk"):
            scores = online_scores(game.log_odds, shadows, variance)
            areas[variance] = area(scores[:SIZE], scores[SIZE:]).value
            rates[variance] = (scores[:SIZE] > np.sort(scores[SIZE:])[-3]).mean()
        gains.append(areas["shrunk"] - areas["own"])
        early.append(rates["shrunk"] - rates["own"])
    assert min(gains) > 0.02
    assert np.mean(early) > 0.02


def test_labels_are_not_needed() -> None:
    features, labels = people(1)
    target = overfit(features[:SIZE], labels[:SIZE], 99)
    case = Case(
        members=features[:SIZE], control=features[SIZE:], settings={"recipe": Recipe(overfit, "overfit")}
    )
    for name in ("membership-confidence", "membership-entropy", "membership-loss", "membership-lira"):
        found = KNOWN[name](target, case)
        assert any("No labels" in note for note in found.notes)
        assert found.success.value > 0.5


def test_auxiliary_records_take_the_place_of_the_pool() -> None:
    features, labels = people(3, 4 * SIZE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        target = MLPClassifier((64,), max_iter=120, learning_rate_init=0.01, random_state=1)
        target.fit(features[:SIZE], labels[:SIZE])
    case = case_of(
        features[: 2 * SIZE],
        labels[: 2 * SIZE],
        shadows=4,
        case={"auxiliary": (features[2 * SIZE :], labels[2 * SIZE :])},
    )
    found = KNOWN["membership-lira-offline"](target, case)
    assert found.success.value > 0.6
    with pytest.raises(BadAttack, match="auxiliary"):
        KNOWN["membership-lira-offline"](
            target, Case(members=case.members, control=case.control, auxiliary=features[:50])
        )


def test_what_cannot_be_attacked_is_refused() -> None:
    features, labels = people(5)
    target = LogisticRegression().fit(features, labels)
    with pytest.raises(NoPower, match="too few"):
        KNOWN["membership-loss"](target, Case(members=features[:5], control=features[5:]))
    with pytest.raises(BadAttack, match="four"):
        KNOWN["membership-rmia"](target, case_of(features, labels, references=2))
    with pytest.raises(BadAttack, match="how this model was trained"):
        KNOWN["membership-lira"](target.predict_proba, case_of(features, labels))
    with pytest.raises(BadAttack, match="spread"):
        KNOWN["membership-lira"](target, case_of(features, labels, shadows=2, variance="none"))


def test_a_promise_about_tables_bounds_nothing_here() -> None:
    features, labels = people(6)
    target = LogisticRegression().fit(features[:SIZE], labels[:SIZE])
    found = KNOWN["membership-loss"](target, case_of(features, labels, case={"promise": KAnonymity(5)}))
    assert found.verdict is Verdict.NOT_PROMISED
