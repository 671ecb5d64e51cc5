"""Train on the twin, test on real rows: what the twin carries is learned from it, what it lacks is not."""

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import BadSynthesis
from privet.protect.synthesize.fidelity._train_on_twin import usefulness


def people(seed, many=400, *, broken=False):
    draws = np.random.default_rng(seed)
    age, ward = draws.integers(20, 90, many), draws.choice(["a", "b", "c"], many)
    back = np.where((age > 55) ^ (ward == "c"), "yes", "no")
    cost = age * 2.0 + draws.normal(size=many)
    if broken:
        back, cost = draws.permutation(back), draws.permutation(cost)
    gaps = draws.random(many) < 0.1
    return pa.table({"age": pa.array(age, mask=gaps), "ward": ward, "back": back, "cost": cost})


@pytest.mark.parametrize(("target", "measure"), [("back", "AUC"), ("ward", "accuracy"), ("cost", "R²")])
def test_a_good_twin_serves_and_a_broken_one_does_not(target, measure) -> None:
    names = ["age", "ward", "back", "cost"] if target != "back" else ["age", "ward", "back"]
    real, test = people(1), people(2)
    good = usefulness(people(3), real, test, target, names)
    assert [one.measure for one in good] == [measure] * 2
    assert {one.model for one in good} > {"boosted trees"}
    trees = good[1]
    assert trees.rows == (400, 400, 400)
    assert trees.on_twin > trees.guess + 0.1
    assert trees.on_twin == pytest.approx(trees.on_real, abs=0.1)
    if target != "ward":
        bad = usefulness(people(3, broken=True), real, test, target, names)[1]
        assert bad.on_twin < trees.on_twin - 0.2
        assert bad.on_real == pytest.approx(trees.on_real)


def test_one_class_alone_is_a_guess() -> None:
    twin = people(3).set_column(2, "back", pa.array(["no"] * 400))
    found = usefulness(twin, people(1), people(2), "back", ["age", "ward", "back"])
    assert [one.on_twin for one in found] == pytest.approx([0.5, 0.5])


def test_what_cannot_be_learned_is_refused() -> None:
    some = people(1)
    with pytest.raises(BadSynthesis, match="to predict"):
        usefulness(some, some, some, "other", ["age", "back"])
    with pytest.raises(BadSynthesis, match="nothing to predict"):
        usefulness(some, some, some, "back", ["back"])
    with pytest.raises(BadSynthesis, match="fewer than 20"):
        usefulness(some, some, some.slice(0, 5), "back", ["age", "back"])
