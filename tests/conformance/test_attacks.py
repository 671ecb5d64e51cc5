"""What every attack does alike: it says who attacks, scores inside its interval, repeats itself, and leaves its input alone."""

import json

import numpy as np
import pyarrow as pa
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from tests.attacks.dp_audit.toy import PROMISE, Toy
from tests.attacks.inversion.toy_shields import ToyShield, corpus
from tests.attacks.memorization.tiny_models import CONTROL, MEMBERS, parrot
from tests.attacks.worlds.noisy_worlds import NoisyWorlds

import privet as pv
from privet.artifact._risk_estimate import RiskEstimate
from privet.attacks._attack_registry import Case, attacks
from privet.attacks.dp_audit import CanaryRun, Neighbours
from privet.attacks.statistics import Answered
from privet.errors._error_kinds import BadInput
from privet.guarantee import PacPrivacy

HERE = {
    "model",
    "language",
    "shield",
    "table",
    "statistics",
    "worlds",
    "mechanism",
    "run",
    "canaries",
    "client",
}
# These take what the tables of this suite are not: minimal searches and two releases have suites of their own.
ELSEWHERE = {"downcoding", "minimality", "intersection"}
DELTA = {"delta": 1e-5}


def records(seed: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(60, 3))
    features[:, 2] = features[:, 2] > 0
    return features, (features[:, 0] + draw.normal(size=60) > 0).astype(int)


def rows(seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "age": draw.integers(0, 90, 80),
            "ward": draw.choice(list("abc"), 80),
            "ill": draw.choice(["no", "yes"], 80),
        }
    )


def spoken():
    """A language model that knows its texts by heart, and texts to ask it for."""
    kinds = [
        [f"{one} Call 030-{side}{at:04d}." for at, one in enumerate(texts)]
        for side, texts in enumerate((MEMBERS, CONTROL))
    ]
    planted, record = pv.plant_canaries(kinds[0], copies={1: 30})
    settings = {
        "canaries": record,
        "prefix": 20,
        "suffix": 20,
        "reference": parrot([]),
        "references": 50,
        "draws": 1,
    }
    settings |= {"recipe": lambda texts, _seed: parrot(texts), "shadows": 2}
    return parrot(planted), Case(members=kinds[0], control=kinds[1], promise=PROMISE, settings=settings)


def shielded():
    """Texts sent as embeddings with some noise, and an attribute of each."""
    texts = corpus(40, 1)
    settings = {"corpus": texts, "steps": 8, "pairs": (0.5,), "sends": 2}
    settings |= {"attribute": ["f" if "n1" in one.split() else "m" for one in texts[:-1]] + ["f"]}
    return ToyShield(deviation=0.5), Case(settings=settings)


def given(kind: str, attack: str = ""):
    """A target of the kind, and a case that every attack on it has enough in."""
    draw = np.random.default_rng(5)
    match kind:
        case "model":
            settings = {"attribute": 2, "shadows": 2, "recipe": LogisticRegression(), "differentiable": True}
            torch.manual_seed(1)
            return torch.nn.Linear(3, 2), Case(
                members=records(1), control=records(2), promise=PROMISE, settings=settings
            )
        case "language" | "shield":
            return spoken() if kind == "language" else shielded()
        case "table":
            settings = {"quasi": ["age", "ward"], "sensitive": ["ill"], "repeats": 1, "guesses": 60}
            settings |= {"recipe": lambda rows, _seed: rows.slice(0, 60), "shadows": 2}
            return rows(1), Case(members=rows(1), control=rows(2), promise=PROMISE, settings=settings)
        case "statistics":
            asked = draw.random((60, 20)) < 0.5
            asked[1], asked[2] = asked[0], asked[0]  # a question that is asked again, and its neighbour
            asked[2, 0] ^= True
            truth = draw.random(20) < 0.5
            settings = {"oracle": lambda mask: float((mask & truth).sum())}
            return Answered(asked, asked @ truth.astype(float)), Case(
                members=truth, promise=PROMISE, settings=settings
            )
        case "worlds":
            return NoisyWorlds("1/16"), Case(
                promise=PacPrivacy("1/16"), settings={"draws": 60, "repeats": 2, "steps": 3}
            )
        case "mechanism":
            some = [draw.laplace(at, 1, 500) for at in (0, 1)]
            return Neighbours(lambda n: some[0][:n], lambda n: some[1][:n]), Case(
                promise=PROMISE, settings={"draws": 500}
            )
        case "client":
            asked = pv.Several(ill=pv.OneOf(["no", "yes"]), ward=pv.OneOf(list("abc")))
            if attack == "attribute-correlation":
                return pv.Collection("both", asked, pv.LocalDP(1)), Case(
                    members=rows(1), promise=pv.LocalDP(1)
                )
            return pv.Collection("ward", asked.questions["ward"], pv.LocalDP(1)), Case(
                promise=pv.LocalDP(1), settings={"draws": 500, "reports": 3}
            )
        case "run":
            run = Toy(canaries=30)(np.ones(30, bool))
            return run, Case(promise=PROMISE, settings={"again": Toy(canaries=30, seed=9)(np.ones(30, bool))})
        case _:
            flags = draw.random((2, 60)) < 0.5
            return CanaryRun(flags, flags + draw.normal(size=flags.shape)), Case(
                promise=PROMISE, settings=DELTA
            )


@pytest.mark.parametrize(
    "name", [one.name for one in attacks() if one.on in HERE and one.name not in ELSEWHERE]
)
def test_an_attack_is_like_its_siblings(name: str) -> None:
    attack = next(one for one in attacks() if one.name == name)
    target, case = given(attack.on, name)
    before = json.dumps(rows(1).to_pylist())
    found = attack.run(target, case)
    assert isinstance(found, RiskEstimate)
    assert found.attack == name
    assert found.success.low <= found.success.value <= found.success.high
    assert found.adversary.who
    assert found.adversary.access
    assert found.cost.cpu_seconds >= 0
    assert found.measure in found.sentence()
    assert found.bound is None or (found.bound_reason and found.detectable is not None)
    told = json.loads(json.dumps(found.to_json()))
    assert RiskEstimate.from_json(told).to_json() == found.to_json()
    again = attack.run(*given(attack.on, name))
    assert again.success == found.success
    assert json.dumps(rows(1).to_pylist()) == before


@pytest.mark.parametrize(
    "name", [one.name for one in attacks("model") + attacks("table") if "control" in one.needs]
)
def test_nothing_is_said_of_three_people(name: str) -> None:
    """Too few to tell from luck: refused, or an interval so wide that it beats nothing."""
    attack = next(one for one in attacks() if one.name == name)
    target, case = given(attack.on)
    few = (
        {"members": rows(1).slice(0, 3), "control": rows(2).slice(0, 3)}
        if attack.on == "table"
        else {
            "members": tuple(part[:3] for part in case.members),
            "control": tuple(part[:3] for part in case.control),
        }
    )
    try:
        found = attack.run(target, Case(**few, promise=PROMISE, settings=case.settings))
    except BadInput:
        return
    assert found.success.high - found.success.low > 0.3 or not found.beats_control
