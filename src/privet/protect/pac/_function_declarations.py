"""What each ready-made function of `PacFunction` is on given columns: its computation, shape, public bounds, labels and note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from privet.errors import BadFunction, MissingExtra
from privet.protect.pac._clusters import Centres, Components, PacClusters, PacComponents, spread_start
from privet.protect.pac._design_matrix import Array, Classes, DesignMatrix, binned_feature
from privet.protect.pac._linear_learners import (
    LogisticWeights,
    MarginWeights,
    PacModel,
    RidgeWeights,
    with_last_class,
)
from privet.protect.pac._private_responses import (
    EstimatorResponses,
    PacResponses,
    TreeResponses,
    spread_points,
)
from privet.protect.pac._summary_functions import (
    Bins,
    Covariances,
    Means,
    Quantiles,
    Shares,
    covariance_matrix_of,
    triangle_labels,
)
from privet.source import BlackBox, ColumnFacts, mean

Declare = Callable[[Sequence[ColumnFacts], dict[str, Any]], BlackBox]


def _means(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    del settings
    design = DesignMatrix.of(columns)
    low, high = design.ends()
    # Truth values have no sum in the engine: with one among them, every half is handed over.
    whole = all(one.kind.is_number for one in columns)
    made = {f"mean of {one.column}": mean(one.column, (one.low, one.high)) for one in design.numbers}
    return BlackBox(
        Means(design),
        "means",
        (len(low),),
        (np.minimum(low, 0.0), np.maximum(high, 0.0)),
        rows="arrow",
        aggregates=made if whole else None,
        labels=tuple(made),
        note="A mean moves by one value's share of it; bounds keep an outlier from moving it further.",
    )


def _quantiles(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    design, at = DesignMatrix.of(columns), settings["at"]
    low, high = design.ends()
    return BlackBox(
        Quantiles(design, at),
        "quantiles",
        (len(low), len(at)),
        (low[:, None], high[:, None]),
        rows="arrow",
        labels=tuple(f"quantile {share:g} of {one.column}" for one in design.numbers for share in at),
        note="A weighted mean of all order statistics (Harrell and Davis) varies less between halves than the one in the middle.",
    )


def _covariance(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    del settings
    design = DesignMatrix.of(columns)
    low, high = design.ends()
    most = (np.outer(high - low, high - low) / 4)[np.triu_indices(len(low))]
    return BlackBox(
        Covariances(design),
        "covariance",
        most.shape,
        (-most, most),
        rows="arrow",
        labels=triangle_labels([one.column for one in design.numbers]),
        reader=lambda numbers: covariance_matrix_of(numbers, len(low)),
        note="Each number of the matrix leaves once, and is noised by the scale of its own columns.",
    )


def _histogram(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    bins = tuple(Bins.of(one, settings["bins"]) for one in map(binned_feature, columns))
    labels = tuple(label for one in bins for label in one.labels)
    return BlackBox(
        Shares(bins),
        "histogram",
        (len(labels),),
        (0.0, 1.0),
        rows="arrow",
        labels=labels,
        note="Shares do not move with the size of a half, as counts would. Fewer bins need less noise.",
    )


def _kmeans(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    _needs_learners()
    design = DesignMatrix.of(columns)
    low, high = design.ends()
    clusters, given = settings["clusters"], settings["start"]
    start = spread_start(clusters, len(low)) if given is None else design.points(given)
    if start.shape != (clusters, len(low)):
        raise BadFunction(
            f"the start is {clusters} points of {len(low)} numbers.",
            "Give one row for each cluster.",
            faults=[],
        )
    return BlackBox(
        Centres(design, start, settings["pull"]),
        "k-means",
        start.shape,
        (low, high),
        rows="arrow",
        reference=design.unscaled(start),
        labels=tuple(f"centre {at + 1}: {one.column}" for at in range(clusters) for one in design.numbers),
        reader=lambda centres: PacClusters(design, np.clip(centres, low, high)),
        note="Every half begins at the same public start, so that centres keep their order and settle in the same places; small "
        "clusters are drawn to the start. A start from earlier, public results needs less noise than the diagonal.",
    )


def _pca(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    design, number, given = DesignMatrix.of(columns), settings["components"], settings["reference"]
    features = len(design.numbers)
    if number > features:
        raise BadFunction(f"{features} columns have no {number} components.", "Ask for fewer.", faults=[])
    if given is None:
        return replace(
            _covariance(columns, {}),
            name="pca",
            reader=lambda numbers: PacComponents.read(numbers, design, number),
            note="The covariance matrix leaves, and components are read off it: where two variances are close, components jump "
            "between halves, and the matrix does not.",
        )
    try:
        reference = np.asarray(given, np.float64)
    except (ValueError, TypeError):
        reference = np.zeros(0)
    if reference.shape != (number, features) or not np.isfinite(reference).all():
        raise BadFunction(
            f"the reference is {number} rows of {features} numbers.",
            "Give one row for each component.",
            faults=[],
        )
    return BlackBox(
        Components(design, reference),
        "pca",
        reference.shape,
        (-1.0, 1.0),
        rows="arrow",
        reference=reference,
        labels=tuple(f"component {at + 1}: {one.column}" for at in range(number) for one in design.numbers),
        note="Directions are turned to fit public ones, so that neither their signs nor turns among themselves are noised.",
    )


def _ridge(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    _needs_learners()
    design, wanted = _features(columns), DesignMatrix.of(columns[-1:])
    (target,) = wanted.numbers
    return BlackBox(
        RidgeWeights(design, target, settings["strength"]),
        "ridge",
        (len(design.labels) + 1,),
        (-4.0, 4.0),
        rows="arrow",
        labels=_weights(design),
        reader=lambda weights: PacModel(design, target, weights),
        note=_REGULARISED,
    )


def _logistic(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    _needs_learners()
    design, target = _features(columns), Classes.of(columns[-1], settings["classes"])
    scores = target.values[1:] if len(target.values) == 2 else target.values[:-1]
    return BlackBox(
        LogisticWeights(design, target, settings["strength"]),
        "logistic regression",
        (len(scores), len(design.labels) + 1),
        (-16.0, 16.0),
        rows="arrow",
        labels=tuple(f"{label} for {one}" for one in scores for label in _weights(design)),
        reader=lambda weights: PacModel(design, target, with_last_class(weights)),
        note=_REGULARISED,
    )


def _svm(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    _needs_learners()
    design, target = _features(columns), Classes.of(columns[-1], settings["classes"])
    scores = target.values[1:] if len(target.values) == 2 else target.values
    return BlackBox(
        MarginWeights(design, target, settings["strength"]),
        "svm",
        (len(scores), len(design.labels) + 1),
        (-1.0, 1.0),
        rows="arrow",
        labels=tuple(f"{label} for {one}" for one in scores for label in _weights(design)),
        reader=lambda weights: PacModel(design, target, weights),
        note=f"{_REGULARISED} The common length of all weights decides nothing and is divided out.",
    )


def _trees(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    _needs_learners()
    design, target = _features(columns), Classes.of(columns[-1], settings["classes"])
    points = _points(design, settings["points"])
    one = settings["trees"] == 1
    made = TreeResponses(
        design, target, points, settings["trees"], settings["depth"], 1 / 16 if one else 1 / 32
    )
    return _responding(
        made,
        "decision tree" if one else "forest",
        target,
        len(points),
        "Trees are pruned, and their thresholds lie on a public grid, so that halves grow the same ones. What leaves is what they "
        "say of public points: trees themselves cannot be compared."
        + ("" if one else " The mean of many trees moves less than one."),
    )


def _responses(columns: Sequence[ColumnFacts], settings: dict[str, Any]) -> BlackBox:
    _needs_learners()
    design, target = _features(columns), Classes.of(columns[-1], settings["classes"])
    points = _points(design, settings["points"])
    made = EstimatorResponses(design, target, points, settings["estimator"], settings["labels"])
    return _responding(
        made,
        f"responses of {type(settings['estimator']).__name__}",
        target,
        len(points),
        "Labels jump between halves where the classifier is unsure."
        if settings["labels"]
        else "Probabilities move less between halves than labels, which jump.",
    )


def _responding(made: Any, name: str, target: Classes, points: int, note: str) -> BlackBox:
    shape = (points, len(target.values) - 1)
    return BlackBox(
        made,
        name,
        shape,
        (0.0, 1.0),
        rows="arrow",
        labels=tuple(f"point {at + 1}: {value}" for at in range(points) for value in target.values[1:]),
        reader=lambda found: PacResponses.read(found.reshape(shape), target),
        note=note,
    )


_REGULARISED = "The penalty is strong and counts per row, and columns are scaled by public bounds: weights then move little between halves."

DECLARED: dict[str, Declare] = {
    "means": _means,
    "quantiles": _quantiles,
    "covariance": _covariance,
    "histogram": _histogram,
    "kmeans": _kmeans,
    "pca": _pca,
    "ridge": _ridge,
    "logistic_regression": _logistic,
    "svm": _svm,
    "decision_tree": _trees,
    "forest": _trees,
    "responses": _responses,
}


def _features(columns: Sequence[ColumnFacts]) -> DesignMatrix:
    """All columns but the target, which comes last."""
    if len(columns) < 2:
        raise BadFunction("there is no column to learn from.", 'Write columns=["age", "cost"].', faults=[])
    return DesignMatrix.of(columns[:-1])


def _points(design: DesignMatrix, given: Any) -> Array:
    if isinstance(given, int) and not isinstance(given, bool):
        number = whole(given, "points", 1, 5_000)
        spread = spread_points(number, len(design.features))
        # A text is one of its values: the place between the bounds says which.
        parts = [
            spread[:, [at]]
            if one.values is None
            else np.eye(len(one.values))[((spread[:, at] + 1) / 2 * len(one.values)).astype(int)]
            for at, one in enumerate(design.features)
        ]
        return np.hstack(parts)
    return design.points(given)


def _weights(design: DesignMatrix) -> tuple[str, ...]:
    return (*(f"weight of {label}" for label in design.labels), "intercept")


def _needs_learners() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "this function learns with scikit-learn, which is not installed.", "pip install 'privet[tabular]'"
        ) from None


def whole(given: Any, name: str, least: int, most: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise BadFunction(
            f"{name} is a whole number from {least} to {most:,}.", f"Write {name}={least}.", faults=[]
        )
    return given


def number(given: Any, name: str, above: float, most: float) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not above < given <= most:
        raise BadFunction(f"{name} is a number above {above:g}.", f"Write {name}=0.5.", faults=[])
    return float(given)
