"""What a learner found: weights by name, and how scores follow from them. No code is stored, only its name.

Scores are one number for each output: one for two classes (the log-odds of the second), one for each class of more,
one for a number. `SCORERS` is the closed list of ways to compute them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.artifact._feature_encoding import CategoryColumn, Features, numbers_in
from privet.artifact._field_types import fitting
from privet.errors import UnknownRecord

if TYPE_CHECKING:
    import pyarrow as pa

Scores: TypeAlias = NDArray[np.float64]
TargetKind = Literal["classes", "number"]


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """What is predicted: one of a public list of classes, or a number between public bounds."""

    name: str
    classes: tuple[str, ...] = ()
    lower: float = 0.0
    upper: float = 1.0

    @property
    def kind(self) -> TargetKind:
        """Whether it is a class or a number."""
        return "classes" if self.classes else "number"

    @property
    def outputs(self) -> int:
        """How many scores a model gives for it."""
        return len(self.classes) if len(self.classes) > 2 else 1

    def encode(self, column: pa.ChunkedArray, *, lenient: bool = False) -> NDArray[np.float64]:
        """Class numbers, or places between the bounds from -1 to 1; not-a-number where there is none of it.

        With `lenient` no single value is an error.
        """
        if self.classes:
            codes = CategoryColumn(self.name, self.classes).codes(column)
            return np.where(codes < len(self.classes), codes, np.nan)
        values = numbers_in(self.name, column, dates=False, lenient=lenient)
        values = np.clip(values, self.lower, self.upper)
        return (values - self.lower) / (self.upper - self.lower) * 2 - 1

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "name": self.name,
            "classes": list(self.classes),
            "lower": self.lower,
            "upper": self.upper,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> ModelTarget:
        """The target that a record describes."""
        values = dict(record)
        try:
            found = fitting(cls(**{**values, "classes": tuple(values["classes"])}))
        except (TypeError, KeyError):
            raise UnknownRecord("the target of this model is of an unknown kind.") from None
        bounded = -math.inf < found.lower < found.upper < math.inf
        if not bounded or len(found.classes) == 1 or len(set(found.classes)) < len(found.classes):
            raise UnknownRecord("the target of this model has neither classes nor bounds.")
        return found


@dataclass(frozen=True, eq=False)
class FittedWeights:
    """Weights that keep the promise they were fitted under, with the settings that led to them."""

    kind: str
    weights: Mapping[str, NDArray[Any]] = field(repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def refuse_misshapen(self, features: Features, outputs: int) -> None:
        """Refuse weights that do not go with these columns and so many outputs."""
        known = SHAPES.get(self.kind)
        if known is None:
            raise UnknownRecord(f"models of kind {self.kind!r} are not known here.", "Use a newer version.")
        wide = self.weights["hidden"].shape[-1] if self.kind == "network" and "hidden" in self.weights else 0
        trees, depth = self._forest()
        sizes = {"levels": features.levels, "outputs": outputs, "hidden": wide}
        sizes |= {"trees": trees, "depth": depth, "leaves": 2**depth, "split": 3}
        wanted = {name: tuple(sizes[one] for one in shape) for name, shape in known.items()}
        found = {name: value.shape for name, value in self.weights.items()}
        if (
            found != wanted
            or any(value.dtype.kind != "f" for value in self.weights.values())
            or (self.kind == "trees" and not _splits_of(self.weights["splits"], features))
        ):
            raise UnknownRecord("the weights of this model do not go with its columns.")

    def _forest(self) -> tuple[int, int]:
        """How many trees there are and how deep they are; no file makes that more than can be held."""
        shape = self.weights["splits"].shape if self.kind == "trees" and "splits" in self.weights else (0, 0)
        return (shape[0], shape[1]) if len(shape) > 1 and shape[1] <= _DEEPEST else (0, 0)

    def scores(self, features: Features, codes: NDArray[np.int32]) -> Scores:
        """One row of scores for each row of codes."""
        if self.kind not in SCORERS:
            raise UnknownRecord(f"models of kind {self.kind!r} are not known here.", "Use a newer version.")
        return SCORERS[self.kind](self, features, codes)


def additive_scores(fitted: FittedWeights, features: Features, codes: NDArray[np.int32]) -> Scores:
    """The sum over columns of what each column's level is worth: a generalized additive model."""
    shapes, total = fitted.weights["shapes"], fitted.weights["intercept"]
    found = np.repeat(np.asarray(total, dtype=np.float64)[None, :], len(codes), axis=0)
    for at, offset in enumerate(features.offsets):
        found += shapes[offset + codes[:, at]]
    return found


def network_scores(fitted: FittedWeights, features: Features, codes: NDArray[np.int32]) -> Scores:
    """One hidden layer of tanh over the indicators of the levels, each row of which has length 1."""
    weights, inner = fitted.weights, np.zeros((len(codes), fitted.weights["hidden"].shape[1]))
    for at, offset in enumerate(features.offsets):
        inner += weights["hidden"][offset + codes[:, at]]
    inner = np.tanh(inner / np.sqrt(len(features.columns)) + weights["hidden_bias"])
    found: Scores = inner @ weights["output"] + weights["output_bias"]
    return found


def tree_scores(fitted: FittedWeights, features: Features, codes: NDArray[np.int32]) -> Scores:
    """The sum over trees of what a row's leaf is worth; each level of a tree asks all rows one question."""
    del features
    weights = fitted.weights
    found = np.repeat(np.asarray(weights["intercept"], dtype=np.float64)[None, :], len(codes), axis=0)
    for splits, leaves in zip(weights["splits"].astype(np.int64), weights["leaves"], strict=True):
        leaf = np.zeros(len(codes), dtype=np.int64)
        for place, split in enumerate(splits):
            leaf += right_side(codes, split).astype(np.int64) << place
        found += leaves[leaf]
    return found


def right_side(codes: NDArray[Any], split: Sequence[int] | NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows a split (a column, the first code on the right side, the code after the last) sends to the right."""
    column, low, high = split
    code = codes[:, column]
    return np.asarray((code >= low) & (code < high))


def _splits_of(splits: NDArray[Any], features: Features) -> bool:
    """Whether these are splits of these columns: whole numbers within them."""
    if not (np.isfinite(splits).all() and (splits == np.floor(splits)).all()):
        return False
    column, low, high = np.moveaxis(splits, -1, 0)
    if not ((column >= 0) & (column < len(features.columns))).all():
        return False
    levels = np.array([one.levels for one in features.columns])[column.astype(np.int64)]
    return bool(((low >= 0) & (low < high) & (high <= levels)).all())


_DEEPEST = 16  # levels of a tree
# The weights of each kind, and what their sizes are.
SHAPES: dict[str, dict[str, tuple[str, ...]]] = {
    "additive": {"shapes": ("levels", "outputs"), "intercept": ("outputs",)},
    "network": {
        "hidden": ("levels", "hidden"),
        "hidden_bias": ("hidden",),
        "output": ("hidden", "outputs"),
        "output_bias": ("outputs",),
    },
    "trees": {
        "splits": ("trees", "depth", "split"),
        "leaves": ("trees", "leaves", "outputs"),
        "intercept": ("outputs",),
    },
}
SCORERS: dict[str, Callable[[FittedWeights, Features, NDArray[np.int32]], Scores]] = {
    "additive": additive_scores,
    "network": network_scores,
    "trees": tree_scores,
}


def probabilities(
    target: ModelTarget, scores: Scores, weights: Sequence[float] = (), balance: float | None = None
) -> NDArray[np.float64]:
    """The probability of each class. Class weights and clipping that the fit was made with are taken back out.

    `balance` is the length of a residual at which clipping sets in. A fit by clipped gradients comes to rest where
    clipped residuals cancel: a row of class j, whose residual has length d_j = |p - e_j|, counts 1 / (1 + d_j / balance)
    as much as it would unclipped (a smooth form of the least of 1 and balance / d_j), so scores p say that class j has
    a share in proportion to p_j (1 + d_j / balance). Without this, probabilities are too sure. The order of rows and
    the likeliest of two classes stay what they are.
    """
    found = _all_classes(target, scores)
    shares: NDArray[np.float64] = np.exp(found - found.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    heavy = np.asarray(weights, dtype=np.float64) if weights else np.ones(shares.shape[1])
    counts = 1 / heavy + (_distances(target, shares) / balance if balance else 0.0)
    shares = shares * counts
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def _distances(target: ModelTarget, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """How long a row's residual is if it is of each class: of one score for two classes, of all scores for more."""
    if target.outputs == 1:
        return 1 - shares
    squares = (shares**2).sum(axis=1, keepdims=True) - 2 * shares + 1
    return np.asarray(np.sqrt(np.maximum(squares, 0)))


def decided(target: ModelTarget, scores: Scores) -> NDArray[np.int64]:
    """The class with the highest score; class weights that the fit was made with count."""
    found: NDArray[np.int64] = _all_classes(target, scores).argmax(axis=1)
    return found


def number_of(target: ModelTarget, scores: Scores) -> NDArray[np.float64]:
    """The predicted number, inside the target's bounds."""
    share = (np.clip(scores[:, 0], -1, 1) + 1) / 2
    return target.lower + share * (target.upper - target.lower)


def _all_classes(target: ModelTarget, scores: Scores) -> Scores:
    if len(target.classes) > 2:
        return scores
    return np.column_stack([np.zeros(len(scores)), scores[:, 0]])
