"""Black-box canaries through our own training on tables: an epsilon from below, measured, beside the one that was promised."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier

import privet as pv
from privet.artifact._risk_estimate import Verdict
from privet.attacks.dp_audit import audit_one_run, mislabelled

SCHEMA = {
    "age": {"kind": "number", "lower": 0, "upper": 100},
    "ward": {"kind": "category", "values": ["a", "b", "c"]},
    "ill": {"kind": "category", "values": ["no", "yes"]},
}
PROMISE = pv.ApproxDP(2, "1e-5")


def people(number: int, seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    age = draw.integers(0, 100, number)
    ill = age + draw.normal(0, 20, number) > 60
    return pa.table({"age": age, "ward": draw.choice(list("abc"), number), "ill": np.where(ill, "yes", "no")})


@pytest.fixture(scope="module")
def canaries():
    spare = people(300, 2)
    return mislabelled(spare.drop(["ill"]), spare["ill"].to_numpy(zero_copy_only=False), 250)


def together(canaries, included) -> pa.Table:
    features, labels = canaries.chosen(included)
    return pa.concat_tables([people(400, 1), features.append_column("ill", pa.array(labels))])


def test_our_training_of_tables_shows_no_more_than_it_promises(canaries, tmp_path) -> None:
    def train(included):
        table = pv.open_table(together(canaries, included), unit=pv.Row())
        with pv.Ledger(tmp_path / "b.ledger", limit=PROMISE, unit=pv.Row()) as ledger:
            return pv.train(table, PROMISE, target="ill", schema=SCHEMA, records=500, ledger=ledger)

    found = audit_one_run(train, canaries, PROMISE)
    shown = found["canaries-one-run"]
    assert shown.verdict in {Verdict.WITHIN, Verdict.EDGE}, shown.sentence()
    assert shown.success.low <= 2 < shown.detectable
    assert found["canaries-one-run-tradeoff"].verdict is Verdict.NOT_PROMISED  # no Gaussian noise on answers
    assert found.contradicted == ()


def test_a_model_that_remembers_is_caught_by_the_same_canaries(canaries) -> None:
    class Tree:
        def __init__(self, table: pa.Table) -> None:
            self.tree = DecisionTreeClassifier(random_state=1).fit(
                self.numbers(table), table["ill"].to_pylist()
            )
            self.classes_ = self.tree.classes_

        def numbers(self, table: pa.Table) -> np.ndarray:
            wards = table["ward"].to_numpy(zero_copy_only=False)
            return np.column_stack([table["age"].to_numpy(), np.searchsorted(list("abc"), wards)])

        def predict_proba(self, table: pa.Table) -> np.ndarray:
            return self.tree.predict_proba(self.numbers(table))

    found = audit_one_run(
        lambda included: Tree(together(canaries, included)), canaries, pv.ApproxDP("0.5", "1e-5")
    )
    assert found["canaries-one-run"].verdict is Verdict.CONTRADICTS, found["canaries-one-run"].sentence()
