"""A released model: weights, preprocessing, promise, receipt and a card, in a folder without executable content.

A folder holds `model.safetensors` (the weights), `model.json` (everything else, with a digest of the weights) and
`card.md` (for people). Loading runs no code from it: safetensors holds numbers only, JSON holds values only, and what
computes with them is in this package.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.artifact._feature_encoding import Features, NumberColumn, as_arrow
from privet.artifact._fitted_weights import FittedWeights, ModelTarget, decided, number_of, probabilities
from privet.artifact._model_card import card_text
from privet.artifact._model_folder import SCHEMA, TABULAR, read_model, write_model
from privet.artifact._notebook_display import Displayed
from privet.artifact._receipt import Receipt, with_note
from privet.artifact._released_answer import Provenance
from privet.errors import BadModel, UnknownRecord, checked
from privet.evidence import Standing
from privet.guarantee import Promise, promise_from_json, unit_in

if TYPE_CHECKING:
    import pyarrow as pa

_AT_ONCE = 100_000  # rows that are scored together


@dataclass(frozen=True, slots=True)
class FeatureShape:
    """What one column adds to the score at each of its levels, for one output: for a plot."""

    column: str
    output: str
    levels: tuple[str, ...]
    edges: tuple[float, ...]  # of the bins of a number; empty for categories
    worth: tuple[float, ...]


@dataclass(frozen=True)
class ReleasedModel(Displayed):
    """A model that may leave the house: it keeps `promise`, whatever is asked of it and however often.

    `metrics` are those of a test table that was given for this, and of nothing else.
    """

    fitted: FittedWeights
    features: Features
    target: ModelTarget
    promise: Promise
    unit: dict[str, Any]
    receipt: Receipt | None
    provenance: Provenance
    metrics: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    # Of one that was read from a folder: whether its promise is the data set's word.
    standing: Standing | None = field(default=None, compare=False)
    _drawn_as: ClassVar[str] = "model"

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", with_note(self.notes, self.receipt))

    # --- use -----------------------------------------------------------------------------------

    def scores(self, data: object) -> NDArray[np.float64]:
        """The raw scores for each row of a table: log-odds, one for each class of more than two, or a number."""
        table = as_arrow(data)
        found = [
            self.fitted.scores(self.features, self.features.encode(table.slice(start, _AT_ONCE)))
            for start in range(0, table.num_rows, _AT_ONCE)
        ]
        return np.concatenate(found) if found else np.zeros((0, self.target.outputs))

    def predict(self, data: object) -> NDArray[Any]:
        """For each row the most likely class (as text), or the number."""
        scores = self.scores(data)
        if self.target.kind == "number":
            return number_of(self.target, scores)
        return np.array(self.target.classes, dtype=object)[decided(self.target, scores)]

    def predict_proba(self, data: object) -> NDArray[np.float64]:
        """For each row the probability of each class, in the order of `classes`."""
        if self.target.kind == "number":
            raise BadModel("this model predicts a number, which has no probability.", "Use predict.")
        settings = self.fitted.settings
        weights, balance = settings.get("class_weights") or (), settings.get("balance")
        return probabilities(self.target, self.scores(data), weights, balance)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in the order of `predict_proba`."""
        return self.target.classes

    def shapes(self) -> list[FeatureShape]:
        """What each column's levels add to the score. For models that are sums over columns."""
        if self.fitted.kind != "additive":
            raise BadModel(
                f"a model of kind {self.fitted.kind!r} is no sum over columns.", "Train a linear one."
            )
        outputs = (
            self.target.classes
            if self.target.outputs > 1
            else (self.target.classes or (self.target.name,))[-1:]
        )
        found = []
        for column, offset in zip(self.features.columns, self.features.offsets, strict=True):
            worth = self.fitted.weights["shapes"][offset : offset + column.levels]
            edges = tuple(column.edges().tolist()) if isinstance(column, NumberColumn) else ()
            found += [
                FeatureShape(
                    column.name, str(name), tuple(column.words()), edges, tuple(worth[:, at].tolist())
                )
                for at, name in enumerate(outputs)
            ]
        return found

    def card(self) -> str:
        """The model card: what it is for people who decide about its use."""
        return card_text(self)

    # --- keeping -------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version; the weights lie beside it."""
        return {
            "schema": SCHEMA,
            "artifact": TABULAR,
            "kind": self.fitted.kind,
            "settings": dict(self.fitted.settings),
            "features": self.features.to_json(),
            "target": self.target.to_json(),
            "promise": self.promise.to_json(),
            "sentence": self.promise.sentence_about(unit_in(self.unit)),
            "unit": self.unit,
            "receipt": self.receipt.to_json() if self.receipt else None,
            "provenance": asdict(self.provenance),
            "metrics": dict(self.metrics),
            "notes": list(self.notes),
        }

    @checked
    def save(self, folder: str | Path) -> Path:
        """Write the folder whole or not at all; one that is there is replaced only if it holds a model."""
        from safetensors.numpy import save

        content = save({name: np.ascontiguousarray(value) for name, value in self.fitted.weights.items()})
        return write_model(folder, content, self.to_json(), self.card())

    @classmethod
    @checked
    def load(cls, folder: str | Path) -> ReleasedModel:
        """Read a folder back; refuses one that is incomplete, was changed, or is of an unknown version.

        Its `standing` says whether it is signed by a key that is trusted here, or merely claims its promise.
        """
        record, content, standing = read_model(folder, TABULAR)
        return replace(cls._of(record, content), standing=standing)

    @classmethod
    def _of(cls, record: dict[str, Any], content: bytes) -> ReleasedModel:
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            found = cls(
                fitted=FittedWeights(record["kind"], load(content), record["settings"]),
                features=Features.from_json(record["features"]),
                target=ModelTarget.from_json(record["target"]),
                promise=promise_from_json(record["promise"]),
                unit=dict(record["unit"]),
                receipt=Receipt.from_json(record["receipt"]) if record["receipt"] else None,
                provenance=Provenance.from_json(record["provenance"]),
                metrics=dict(record["metrics"]),
                notes=tuple(record["notes"]),
            )
            found._refuse_misfits()
        except (
            KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, SafetensorError, UnknownRecord,
        ):  # fmt: skip
            raise BadModel(
                "the record of this model lacks a field, or one holds something else than belongs there.",
                "Was it written by a newer version?",
            ) from None
        return found

    def _refuse_misfits(self) -> None:
        """Weights go with the columns, settings with the classes, and all that stands on a card is there."""
        self.fitted.refuse_misshapen(self.features, self.target.outputs)
        weights, balance = self.fitted.settings.get("class_weights"), self.fitted.settings.get("balance")
        if weights and not (
            len(weights) == len(self.classes)
            and all(type(one) in (int, float) and 0 < one < math.inf for one in weights)
        ):
            raise ValueError
        if balance is not None and not (type(balance) in (int, float) and 0 <= balance < math.inf):
            raise ValueError
        if not all(isinstance(note, str) for note in self.notes):
            raise TypeError
        self.card()

    def predictions(self, data: object) -> pa.Table:
        """A table with the prediction and, for classes, the probability of each."""
        import pyarrow as pa

        columns: dict[str, Any] = {f"predicted {self.target.name}": pa.array(self.predict(data))}
        if self.target.kind == "classes":
            shares = self.predict_proba(data)
            columns |= {
                f"probability {name}": pa.array(shares[:, at]) for at, name in enumerate(self.classes)
            }
        return pa.table(columns)

    def __str__(self) -> str:
        what = f"one of {len(self.classes)} classes" if self.classes else "a number"
        return (
            f"model of {self.target.name!r} ({what}) from {len(self.features.columns)} columns, kind {self.fitted.kind}\n"
            f"{self.promise.sentence_about(unit_in(self.unit))}"
            + (f"\n{self.receipt.note}" if self.receipt and self.receipt.note else "")
            + (f"\n{self.standing.sentence()}" if self.standing else "")
        )
