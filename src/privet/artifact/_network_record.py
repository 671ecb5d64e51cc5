"""What is said of a released network: its tensors, inputs and outputs, the plan it was trained by, promise and receipt.

Its architecture is code, and stays with whoever wrote it: only its name is here. What a record says is not believed: its
promise must be that of its receipt, and what was booked is priced again.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from privet.artifact._model_folder import NETWORK, SCHEMA
from privet.artifact._network_card import network_card
from privet.artifact._receipt import Receipt, with_note
from privet.errors import BadModel, PrivetError
from privet.evidence import Standing
from privet.guarantee import (
    ApproxDP,
    Promise,
    SealedPlan,
    ZeroConcentratedDP,
    certify,
    event_from_json,
    promise_from_json,
    unit_from_json,
    zcdp_cost,
)

_MOST = 2**40  # numbers in one tensor
# How an input is handed to the network: by itself, one after the other, or by name.
FORMS = ("one", "several", "named")
_FORGED = "Use the folder as it was saved, and ask whoever wrote it."


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """One tensor of a network: as it must be in the architecture. `kept` says whether its values are in the folder."""

    name: str
    dtype: str  # as safetensors writes it: F32, BF16, I64
    shape: tuple[int, ...]
    digest: str  # SHA-256 of its values
    trained: bool
    kept: bool


@dataclass(frozen=True, slots=True)
class NetworkInput:
    """The shape and type of one record's input, which are public."""

    name: str
    dtype: str  # as torch writes it: float32
    shape: tuple[int, ...]


@dataclass(frozen=True)
class NetworkRecord:
    """All that goes with the weights of a network that may leave the house."""

    architecture: str
    tensors: tuple[StoredTensor, ...] = field(repr=False)
    form: str
    inputs: tuple[NetworkInput, ...]
    loss: str
    plan: dict[str, Any] = field(repr=False)
    promise: Promise
    unit: dict[str, Any]
    receipt: Receipt
    target: str = ""
    classes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    standing: Standing | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", with_note(self.notes, self.receipt))

    def card(self) -> str:
        """The model card: what it is for people who decide about its use."""
        return network_card(self)

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version; the weights lie beside it."""
        return {
            "schema": SCHEMA,
            "artifact": NETWORK,
            "architecture": self.architecture,
            "tensors": [{**asdict(one), "shape": list(one.shape)} for one in self.tensors],
            "form": self.form,
            "inputs": [{**asdict(one), "shape": list(one.shape)} for one in self.inputs],
            "loss": self.loss,
            "plan": self.plan,
            "promise": self.promise.to_json(),
            "sentence": self.promise.sentence_about(unit_from_json(self.unit)),
            "unit": self.unit,
            "receipt": self.receipt.to_json(),
            "target": self.target,
            "classes": list(self.classes),
            "columns": list(self.columns),
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, record: dict[str, Any], standing: Standing) -> NetworkRecord:
        """The record of a folder, held against its receipt and what its event costs; no weight is needed."""
        try:
            found = cls(
                architecture=str(record["architecture"]),
                tensors=tuple(
                    StoredTensor(**{**one, "shape": _shape(one["shape"])}) for one in record["tensors"]
                ),
                form=record["form"],
                inputs=tuple(
                    NetworkInput(**{**one, "shape": _shape(one["shape"])}) for one in record["inputs"]
                ),
                loss=str(record["loss"]),
                plan=dict(record["plan"]),
                promise=promise_from_json(record["promise"]),
                unit=dict(record["unit"]),
                receipt=Receipt.from_json(record["receipt"]),
                target=str(record["target"]),
                classes=tuple(map(str, record["classes"])),
                columns=tuple(map(str, record["columns"])),
                notes=tuple(map(str, record["notes"])),
                standing=standing,
            )
            found._refuse_contradictions()
            found.card()  # which needs all of the plan
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadModel(
                "the record of this network lacks a field.", "Was it written by a newer version?"
            ) from None
        return found

    def _refuse_contradictions(self) -> None:
        """The promise is what was booked, and what was booked costs no more than the promise."""
        said, trained = self.promise.to_json(), [one for one in self.tensors if one.trained]
        agrees = (
            said == self.receipt.promise == self.plan["promise"]
            and self.unit == self.receipt.unit == self.plan["unit"]
            and self.receipt.event == self.plan["event"]
            and [[one.name, list(one.shape)] for one in trained] == self.plan["trained"]
            and all(one.kept for one in trained)
            and self.form in FORMS
        )
        if not agrees:
            raise BadModel("what this network promises is not what its receipt and its plan say.", _FORGED)
        try:
            paid = costs_at_most(self.promise, self.plan["event"], self.unit)
        except PrivetError:
            paid = False
        if not paid:
            raise BadModel("what was booked for this network costs more than it promises.", _FORGED)


def _shape(said: Any) -> tuple[int, ...]:
    """A shape that a tensor in memory could have."""
    shape = tuple(said)
    if any(type(size) is not int or size < 0 for size in shape) or math.prod(shape) > _MOST:
        raise ValueError(shape)
    return shape


def costs_at_most(promise: Promise, event: dict[str, Any], unit: dict[str, Any]) -> bool:
    """Whether an event, priced again, keeps a promise."""
    change = unit_from_json(unit).change
    booked = event_from_json(event)
    if isinstance(promise, ApproxDP) and isinstance(booked, SealedPlan):
        # The delta of the certificate is the plan's own, so a promise of a smaller one would go unpaid.
        return booked.delta <= promise.delta and certify(booked, change).epsilon <= math.nextafter(
            float(promise.epsilon), math.inf
        )
    if isinstance(promise, ZeroConcentratedDP):
        return zcdp_cost(booked, change=change).rho <= promise.rho
    return False


def stored_tensors(content: bytes, trained: Iterable[str]) -> tuple[StoredTensor, ...]:
    """The tensors of a file in the order of their names; those that were trained, in the order they are given, come first."""
    first = list(trained)
    there = dict(_deserialized(content))
    order = [*first, *sorted(name for name in there if name not in first)]
    return tuple(
        StoredTensor(name, *_described(there[name]), trained=name in first, kept=True) for name in order
    )


def refuse_other_tensors(listed: tuple[StoredTensor, ...], content: bytes) -> None:
    """Refuse weights whose names, types, shapes or values are not those of the record."""
    there = {name: _described(value) for name, value in _deserialized(content)}
    wanted = {one.name: (one.dtype, one.shape, one.digest) for one in listed if one.kept}
    if len({one.name for one in listed}) != len(listed) or there != wanted:
        raise BadModel(
            "the weights in this folder are not those that its record lists.",
            "Use the folder as it was saved.",
        )


def _deserialized(content: bytes) -> list[tuple[str, dict[str, Any]]]:
    from safetensors import SafetensorError, deserialize

    try:
        return list(deserialize(content))  # type: ignore[no-untyped-call]
    except SafetensorError:
        raise BadModel(
            "the weights of this network are not a safetensors file.", "Use the original."
        ) from None


def _described(tensor: dict[str, Any]) -> tuple[str, tuple[int, ...], str]:
    return str(tensor["dtype"]), tuple(tensor["shape"]), hashlib.sha256(tensor["data"]).hexdigest()
