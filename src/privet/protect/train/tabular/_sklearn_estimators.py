"""The tabular learners behind scikit-learn's interface: `fit(X, y)` under a promise, in a ledger or standing alone."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.artifact import ReleasedModel, as_text
from privet.errors import BadTraining, MissingExtra
from privet.guarantee import ApproxDP, Person, Row
from privet.ledger import Ledger, throwaway
from privet.protect.train.tabular._train_table import train
from privet.source import open_table

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtra(
        "the estimators need scikit-learn; pv.train does not.", "pip install 'privet[tabular]'"
    ) from None

PUBLIC = "public"
_TARGET, _OWNER = "target", "owner"


class _PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """What both estimators share. `model_` is the `ReleasedModel` that may leave the house."""

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        *,
        bounds: Any = None,
        records: int | str | None = None,
        model: str = "auto",
        max_rows: int = 20,
        ledger: Ledger | None = None,
        why: str = "an estimator is fitted",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.records = records
        self.model = model
        self.max_rows = max_rows
        self.ledger = ledger
        self.why = why

    def _fitted(self, x: NDArray[Any], y: NDArray[Any], groups: Any, target: dict[str, Any] | None) -> Self:
        """Fit on checked arrays; `target` holds what is public of the target, or nothing if it is to be estimated."""
        names = [f"x{at}" for at in range(x.shape[1])]
        columns = {name: pa.array(x[:, at], from_pandas=True) for at, name in enumerate(names)}
        unit: Person | Row = Row()
        if groups is not None:
            columns[_OWNER] = pa.array(np.asarray(groups))
            unit = Person(_OWNER, max_rows=self.max_rows)
        columns[_TARGET] = pa.array(y)
        bounds = self._bounds(names)
        stated: dict[str, Any] = dict(bounds)
        keys = None
        if target is not None and "values" in target:
            keys = {_TARGET: target["values"]}
        elif target is not None:
            stated[_TARGET] = (target["lower"], target["upper"])
        table = open_table(pa.table(columns), unit=unit, bounds=stated or None, keys=keys, name="X")
        records = len(y) if self.records == PUBLIC else self.records
        promise = ApproxDP(self.epsilon, self.delta)
        self.model_: ReleasedModel = train(
            table,
            promise,
            target=_TARGET,
            ledger=throwaway(promise) if self.ledger is None else self.ledger,
            why=self.why,
            model=self.model,
            records=records,  # type: ignore[arg-type]
            classes=isinstance(self, PrivateClassifier) or None,
        )
        return self

    def _bounds(self, names: list[str]) -> dict[str, tuple[float, float]]:
        """One pair for all columns, or one for each."""
        if self.bounds is None:
            return {}
        given = np.asarray(self.bounds, dtype=np.float64)
        if given.shape == (2,):
            given = np.repeat(given[None, :], len(names), axis=0)
        if given.shape != (len(names), 2):
            raise BadTraining("bounds are one pair, or one for each column.", "Write bounds=(0, 1).")
        return {name: (float(low), float(high)) for name, (low, high) in zip(names, given, strict=True)}

    def _rows(self, x: Any) -> pa.Table:
        check_is_fitted(self)
        checked = validate_data(self, x, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return pa.table(
            {f"x{at}": pa.array(checked[:, at], from_pandas=True) for at in range(checked.shape[1])}
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = True
        return tags


class PrivateClassifier(ClassifierMixin, _PrivateEstimator):  # type: ignore[misc]
    """A classifier that keeps (epsilon, delta)-differential privacy for each row it was fitted on, or each group.

    Args:
        epsilon: Of the promise.
        delta: Of the promise.
        classes: The classes, if public; "public" if those in `y` are; by default they are estimated with noise.
        bounds: Public (lower, upper) of all columns, or one pair for each; by default they are estimated with noise.
        records: About how many rows (or groups) there are, if public; "public" if the number in `X` is; by default
            it is estimated with noise.
        model: The learner.
        max_rows: Of one group, where groups are given: at most so many rows count.
        ledger: Where it is booked; by default a ledger of its own, which this fit uses up.
        why: The reason, for the ledger.

    Guarantee:
        `model_` keeps ApproxDP(epsilon, delta) for a row, or with `groups` for all rows of a group together.
    Assumes:
        What is stated as public was known without the data. Attributes of the fitted estimator that scikit-learn's
        rules ask for (`n_features_in_`) are public figures; nothing else is kept.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        *,
        classes: Any = None,
        bounds: Any = None,
        records: int | str | None = None,
        model: str = "auto",
        max_rows: int = 20,
        ledger: Ledger | None = None,
        why: str = "an estimator is fitted",
    ) -> None:
        super().__init__(
            epsilon,
            delta,
            bounds=bounds,
            records=records,
            model=model,
            max_rows=max_rows,
            ledger=ledger,
            why=why,
        )
        self.classes = classes

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:  # noqa: N803  scikit-learn's name
        """Fit to rows and their classes; `groups` says whose rows they are, to hide persons instead of rows."""
        x, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        stated = self.classes
        listed = None if stated is None else np.unique(y) if isinstance(stated, str) else np.asarray(stated)
        if listed is not None and len(listed) < 2:
            raise ValueError("a classifier needs at least 2 classes, not one class.")
        texts = None if listed is None else [as_text(_plain(value)) for value in listed]
        named = np.array([as_text(_plain(value)) for value in y], dtype=object)
        self._fitted(x, named, groups, None if texts is None else {"values": texts})
        self.classes_ = listed if listed is not None else np.array(self.model_.classes, dtype=object)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The most likely class of each row."""
        rows = self._rows(X)
        found = self.model_.predict(rows)
        places = {name: at for at, name in enumerate(self.model_.classes)}
        chosen: NDArray[Any] = self.classes_[[places[str(name)] for name in found]]
        return chosen

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The probability of each class, in the order of `classes_`."""
        rows = self._rows(X)
        return self.model_.predict_proba(rows)


class PrivateRegressor(RegressorMixin, _PrivateEstimator):  # type: ignore[misc]
    """A regressor that keeps (epsilon, delta)-differential privacy for each row it was fitted on, or each group.

    Args:
        epsilon: Of the promise.
        delta: Of the promise.
        target_bounds: Public (lower, upper) of the target; by default they are estimated with noise.
        bounds: As for `PrivateClassifier`.
        records: As for `PrivateClassifier`.
        model: The learner.
        max_rows: Of one group, where groups are given.
        ledger: Where it is booked; by default a ledger of its own, which this fit uses up.
        why: The reason, for the ledger.

    Guarantee:
        As for `PrivateClassifier`.
    Assumes:
        As for `PrivateClassifier`.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        *,
        target_bounds: Any = None,
        bounds: Any = None,
        records: int | str | None = None,
        model: str = "auto",
        max_rows: int = 20,
        ledger: Ledger | None = None,
        why: str = "an estimator is fitted",
    ) -> None:
        super().__init__(
            epsilon,
            delta,
            bounds=bounds,
            records=records,
            model=model,
            max_rows=max_rows,
            ledger=ledger,
            why=why,
        )
        self.target_bounds = target_bounds

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:  # noqa: N803
        """Fit to rows and their numbers; `groups` says whose rows they are, to hide persons instead of rows."""
        x, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=True)
        stated = None
        if self.target_bounds is not None:
            low, high = self.target_bounds
            stated = {"lower": float(low), "upper": float(high)}
        return self._fitted(x, np.asarray(y, dtype=np.float64), groups, stated)

    def predict(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The expected number of each row."""
        rows = self._rows(X)
        return np.asarray(self.model_.predict(rows), dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # on a few hundred rows, noise decides
        return tags


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
