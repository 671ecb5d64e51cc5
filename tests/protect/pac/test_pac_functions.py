"""Ready-made functions: what is refused before anything is read, and that the stable variants need less noise."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from tests.protect.pac.people import people

from privet import BlackBox, PacFunction
from privet.engine import world_rows
from privet.errors import BadFunction, BadUsage
from privet.protect.pac import WorldRows, outputs_of


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: PacFunction.quantiles([]),
        lambda: PacFunction.quantiles([0.5, 0.5]),
        lambda: PacFunction.quantiles([0]),
        lambda: PacFunction.quantiles([1]),
        lambda: PacFunction.histogram(1),
        lambda: PacFunction.kmeans(1),
        lambda: PacFunction.kmeans(3, pull=-1),
        lambda: PacFunction.pca(0),
        lambda: PacFunction.ridge("cost", strength=0),
        lambda: PacFunction.forest("ill", trees=1),
        lambda: PacFunction.decision_tree("ill", depth=0),
        lambda: PacFunction.responses(KMeans, "ill"),
        lambda: PacFunction.responses(len, "ill"),
        lambda: people().apply(PacFunction.kmeans(3, start=[[1, 2]]), ["age", "cost"]),
        lambda: people().apply(PacFunction.pca(3), ["age", "cost"]),
        lambda: people().apply(PacFunction.pca(1, reference=[[1]]), ["age", "cost"]),
        lambda: people().apply(PacFunction.pca(1, reference="up"), ["age", "cost"]),
        lambda: people().apply(PacFunction.ridge("ward"), ["age"]),
        lambda: people().apply(PacFunction.ridge("cost"), []),
        lambda: people().apply(PacFunction.svm("ward"), ["age"]),
        lambda: people().apply(PacFunction.svm("nothing"), ["age"]),
        lambda: people().apply(PacFunction.kmeans(2), ["age", "ward"], keys={"ward": ["a", "b"]}),
        lambda: people().apply(PacFunction.forest("ill", points=0), ["age"]),
        lambda: people().apply(PacFunction.forest("ill", points=[[1, 2, 3]]), ["age"]),
    ],
)
def test_what_cannot_be_computed_is_refused_first(wrong) -> None:
    with pytest.raises(BadFunction):
        wrong()


def test_a_slip_in_a_keyword_is_named() -> None:
    with pytest.raises(BadUsage, match="clusers"):
        PacFunction.kmeans(clusers=3)


def test_a_public_start_and_order_need_a_fraction_of_the_noise() -> None:
    """The variance that noise must cover: plain k-means with a start of its own, against the ready-made one."""
    table = people(200)
    columns = ("age", "cost")
    batches = list(world_rows(table.relation, columns, table.unit, seed="s", worlds=32))
    ready = table.apply(PacFunction.kmeans(3), columns).function
    plain = BlackBox(_plain, "plain", shape=(3, 2), rows="arrow")

    def spread(box: BlackBox) -> float:
        rows = WorldRows.of(batches, columns, table.bounds, "arrow", 32)
        found, failed = outputs_of(rows, box, (3, 2), 32, processes=1)
        assert failed == 0
        return float((found / np.tile([100, 5_000], 3)).var(axis=0).sum())

    assert spread(ready) < spread(plain) / 5


def _plain(rows):
    points = np.column_stack([rows["age"].to_numpy() / 100, rows["cost"].to_numpy() / 5_000])
    return KMeans(3, n_init=1, random_state=len(points)).fit(points).cluster_centers_ * [100, 5_000]
