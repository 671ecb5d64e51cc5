"""What is said of a released language model: whose presence is hidden, how it was trained, promise and receipts.

Its weights, shape and tokenizer lie beside it, as transformers reads them. What a record says is not believed: its promise must
be what its receipts add up to, and what was booked is priced again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from privet.artifact._language_card import language_card
from privet.artifact._model_folder import LANGUAGE, SCHEMA, read_beside, read_model_record, read_weights
from privet.artifact._network_record import costs_at_most
from privet.artifact._receipt import Receipt, with_note
from privet.errors import BadModel, PrivetError
from privet.evidence import Standing
from privet.guarantee import (
    ApproxDP,
    Promise,
    event_from_json,
    promise_from_json,
    pure_cost,
    unit_from_json,
)

Kind = Literal["sequence", "document", "person", "row"]
KINDS = ("sequence", "document", "person", "row")
_FORGED = "Use the folder as it was saved, and ask whoever wrote it."


@dataclass(frozen=True, slots=True)
class UnitTerms:
    """Of what one unit's text becomes: sequences of so many tokens, and how many of them count in a step."""

    kind: Kind
    tokens: int  # of a sequence
    sequences: int  # of a unit, in a step

    def sentence(self) -> str:
        """What one unit is, in plain words."""
        step = (
            f"at most {self.sequences} of them count in a step"
            if self.sequences > 1
            else "one of them counts in a step"
        )
        cut = f"cut into sequences of {self.tokens} tokens, of which {step}"
        match self.kind:
            case "sequence":
                return (
                    f"One sequence is at most {self.tokens} tokens of one text. Longer texts are several sequences, and a "
                    "person with several texts has several: whoever wrote them is protected less than one sequence is."
                )
            case "document":
                return (
                    f"One document is one text, {cut}. All of it is hidden, however long it is. A person with several "
                    "texts is protected less."
                )
            case "row":
                return f"One row is one text, of which the first {self.tokens} tokens count; the rest is not read."
            case _:
                return f"All texts of a unit are joined and {cut}. All of them are hidden, however many there are."


@dataclass(frozen=True, slots=True)
class PaidPart:
    """Something that was bought with a part of the promise before training: what, and its receipt."""

    what: str
    promise: Promise
    receipt: Receipt


@dataclass(frozen=True)
class LanguageRecord:
    """All that goes with the weights of a language model that may leave the house."""

    architecture: str
    weights: int  # numbers in the network
    origin: str  # from scratch, or which public weights it began with
    tokenizer: str
    plan: dict[str, Any] = field(repr=False)
    promise: Promise  # of everything in the folder together
    unit: dict[str, Any]
    terms: UnitTerms
    receipt: Receipt
    parts: tuple[PaidPart, ...] = ()
    curve: tuple[tuple[int, float], ...] = ()  # steps, and the loss on public text after them
    notes: tuple[str, ...] = ()
    standing: Standing | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", with_note(self.notes, self.receipt))

    @property
    def sentence(self) -> str:
        """The promise, and what one unit is."""
        return f"{self.promise.sentence_about(unit_from_json(self.unit))} {self.terms.sentence()}"

    def card(self) -> str:
        """The model card: what it is for people who decide about its use."""
        return language_card(self)

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version; the weights and the tokenizer lie beside it."""
        return {
            "schema": SCHEMA,
            "artifact": LANGUAGE,
            "architecture": self.architecture,
            "numbers": self.weights,
            "origin": self.origin,
            "tokenizer": self.tokenizer,
            "plan": self.plan,
            "promise": self.promise.to_json(),
            "sentence": self.sentence,
            "unit": self.unit,
            "terms": asdict(self.terms),
            "receipt": self.receipt.to_json(),
            "parts": [
                {"what": one.what, "promise": one.promise.to_json(), "receipt": one.receipt.to_json()}
                for one in self.parts
            ],
            "curve": [list(one) for one in self.curve],
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, record: dict[str, Any], standing: Standing | None) -> LanguageRecord:
        """The record of a folder, held against its receipts and what their events cost; no weight is needed."""
        try:
            found = cls(
                architecture=str(record["architecture"]),
                weights=int(record["numbers"]),
                origin=str(record["origin"]),
                tokenizer=str(record["tokenizer"]),
                plan=dict(record["plan"]),
                promise=promise_from_json(record["promise"]),
                unit=dict(record["unit"]),
                terms=_terms(record["terms"]),
                receipt=Receipt.from_json(record["receipt"]),
                parts=tuple(
                    PaidPart(
                        str(one["what"]),
                        promise_from_json(one["promise"]),
                        Receipt.from_json(one["receipt"]),
                    )
                    for one in record["parts"]
                ),
                curve=tuple((int(step), float(loss)) for step, loss in record["curve"]),
                notes=tuple(map(str, record["notes"])),
                standing=standing,
            )
            found._refuse_contradictions()
            found.card()  # which needs all of the plan
            agrees = record["sentence"] == found.sentence
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadModel(
                "the record of this language model lacks a field.", "Was it written by a newer version?"
            ) from None
        if not agrees:
            raise BadModel("the record words its promise otherwise than it is.", _FORGED)
        return found

    def _refuse_contradictions(self) -> None:
        """The promise is what was booked in all, and what was booked costs no more than it."""
        training = self.plan["promise"]
        agrees = (
            training == self.receipt.promise
            and self.unit == self.receipt.unit == self.plan["unit"]
            and self.receipt.event == self.plan["event"]
            and all(one.promise.to_json() == one.receipt.promise for one in self.parts)
            and all(_same_unit(one.receipt.unit, self.unit) for one in self.parts)
            and _added([promise_from_json(training), *(one.promise for one in self.parts)]) == self.promise
            and (int(self.unit.get("max_rows") or 1) == self.terms.sequences)
        )
        if not agrees:
            raise BadModel(
                "what this language model promises is not what its receipts and its plan say.", _FORGED
            )
        try:
            paid = costs_at_most(promise_from_json(training), self.plan["event"], self.unit) and all(
                _part_paid(one, self.unit) for one in self.parts
            )
        except PrivetError:
            paid = False
        if not paid:
            raise BadModel("what was booked for this language model costs more than it promises.", _FORGED)


def verified_record(folder: str | Path) -> LanguageRecord:
    """The record of a folder whose weights and files are those that it names; refuses one that was changed."""
    said, standing = read_model_record(folder, LANGUAGE)
    found = LanguageRecord.from_json(said, standing)
    read_beside(folder, said)
    read_weights(folder, said)
    return found


def _terms(said: dict[str, Any]) -> UnitTerms:
    found = UnitTerms(**said)
    if found.kind not in KINDS or not all(
        type(size) is int and size > 0 for size in (found.tokens, found.sequences)
    ):
        raise ValueError
    return found


def _same_unit(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two bookings hide the same, however many rows each of them read."""
    return all(one.get(name) == other.get(name) for name in ("unit", "column", "change"))


def _added(promises: list[Promise]) -> Promise:
    """What several releases promise together: basic composition, exactly."""
    first, *rest = promises
    if not rest:
        return first
    if not all(isinstance(one, ApproxDP) for one in promises):
        raise TypeError
    both = [(one.epsilon, one.delta) for one in promises if isinstance(one, ApproxDP)]
    return ApproxDP(sum(epsilon for epsilon, _ in both), sum(delta for _, delta in both))


def _part_paid(part: PaidPart, unit: dict[str, Any]) -> bool:
    """Whether what was booked for a part, priced again, keeps its promise."""
    if part.receipt.event is None or not isinstance(part.promise, ApproxDP):
        return False
    cost = pure_cost(event_from_json(part.receipt.event), change=unit_from_json(unit).change)
    return cost.epsilon <= part.promise.epsilon and cost.delta <= part.promise.delta
