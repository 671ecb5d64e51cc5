"""A released model: weights, preprocessing, promise, receipt and a card, in a folder without executable content.

A folder holds `model.safetensors` (the weights), `model.json` (everything else, with a digest of the weights) and
`card.md` (for people). Loading runs no code from it: safetensors holds numbers only, JSON holds values only, and what
computes with them is in this package.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.artifact._atomic_write import UNFINISHED, put_in_place
from privet.artifact._feature_encoding import Features, NumberColumn, as_arrow
from privet.artifact._file_removal import discard, refuse_ledgers
from privet.artifact._fitted_weights import FittedWeights, ModelTarget, decided, number_of, probabilities
from privet.artifact._model_card import card_text
from privet.artifact._notebook_display import Displayed
from privet.artifact._receipt import Receipt, with_note
from privet.artifact._released_answer import Provenance
from privet.errors import BadModel, FileProblem, UnknownRecord, checked
from privet.guarantee import Promise, promise_from_json, unit_in

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = 1
KIND = "released-model"
WEIGHTS, RECORD, CARD = "model.safetensors", "model.json", "card.md"
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
            "artifact": KIND,
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

        target = Path(folder)
        if target.is_symlink() or _holds_other(target):
            raise FileProblem(
                f"{target.name} is there, and holds something else than a model.", "Name a new folder."
            )
        refuse_ledgers(target)
        content = save({name: np.ascontiguousarray(value) for name, value in self.fitted.weights.items()})
        record = {**self.to_json(), "weights": hashlib.sha256(content).hexdigest()}
        record["digest"] = _digest(record)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            room = Path(
                tempfile.mkdtemp(prefix=f".{target.name[:40]}.", suffix=UNFINISHED, dir=target.parent)
            )
            try:
                self._write(room / "model", content, record)
                put_in_place(room / "model", target, room / "replaced")
            finally:
                discard(room)
        except OSError as problem:
            raise FileProblem(
                f"{target.name} could not be written ({problem.strerror or type(problem).__name__}).",
                "Check that the folder around it is writable and has room.",
            ) from None
        return target

    def _write(self, folder: Path, content: bytes, record: dict[str, Any]) -> None:
        folder.mkdir()
        (folder / WEIGHTS).write_bytes(content)
        text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
        (folder / RECORD).write_text(text, encoding="utf-8")
        (folder / CARD).write_text(self.card(), encoding="utf-8")

    @classmethod
    @checked
    def load(cls, folder: str | Path) -> ReleasedModel:
        """Read a folder back; refuses one that is incomplete, was changed, or is of an unknown version."""
        source = Path(folder)
        try:
            record = json.loads((source / RECORD).read_text(encoding="utf-8"))
            content = (source / WEIGHTS).read_bytes()
        except OSError:
            raise BadModel(
                f"{source.name} is not a folder with a model.", "Name what `privet train -o` wrote."
            ) from None
        except ValueError:
            raise BadModel(f"the record in {source.name} is not JSON.", "Train the model again.") from None
        if not isinstance(record, dict) or record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise BadModel(
                "this is not a released model of a known version.", "Was it written by a newer one?"
            )
        if record.get("weights") != hashlib.sha256(content).hexdigest() or record.pop(
            "digest", ""
        ) != _digest(record):
            raise BadModel(f"the model in {source.name} was changed after it was saved.", "Use the original.")
        return cls._of(record, content)

    @classmethod
    def _of(cls, record: dict[str, Any], content: bytes) -> ReleasedModel:
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            source = dict(record["provenance"])
            source["stages"] = tuple(source["stages"])
            return cls(
                fitted=FittedWeights(record["kind"], load(content), record["settings"]),
                features=Features.from_json(record["features"]),
                target=ModelTarget.from_json(record["target"]),
                promise=promise_from_json(record["promise"]),
                unit=dict(record["unit"]),
                receipt=Receipt.from_json(record["receipt"]) if record["receipt"] else None,
                provenance=Provenance(**source),
                metrics=dict(record["metrics"]),
                notes=tuple(record["notes"]),
            )
        except (KeyError, TypeError, ValueError, SafetensorError, UnknownRecord):
            raise BadModel(
                "the record of this model lacks a field.", "Was it written by a newer version?"
            ) from None

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
        )


def is_model(folder: Path) -> bool:
    """Whether a folder is a saved model and nothing else: neither another file nor a link is in it."""
    try:
        there = {path.name: path for path in folder.iterdir()}
        record = json.loads(there[RECORD].read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError):
        return False
    return (
        {WEIGHTS, RECORD} <= there.keys() <= {WEIGHTS, RECORD, CARD}
        and all(path.is_file() and not path.is_symlink() for path in there.values())
        and isinstance(record, dict)
        and record.get("artifact") == KIND
    )


def _holds_other(target: Path) -> bool:
    """Whether something stands there that is neither a model nor an empty folder."""
    while target.exists():
        with contextlib.suppress(FileNotFoundError):
            which = target.stat().st_ino
            if is_model(target) or (target.is_dir() and not any(target.iterdir())):
                return False
            # Otherwise another thread was just putting its own there.
            if target.stat().st_ino == which:
                return True
    return False


def _digest(record: dict[str, Any]) -> str:
    """Of everything in a record but the digest itself."""
    kept = {name: value for name, value in record.items() if name != "digest"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
