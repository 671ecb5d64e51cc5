"""What may be said about how things are released, by what is released: the keywords of `release` and `explain`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypedDict

from privet.guarantee import Number
from privet.source import Asked, PublicTable

Weights: TypeAlias = Number | Mapping[str, Number]


class Booked(TypedDict, total=False):
    """How a release is booked."""

    purpose: str | None
    analyst: str | None
    again: bool


class AnsweredHow(TypedDict, total=False):
    """How any question is answered."""

    table: Asked | None
    tables: Mapping[str, Asked | PublicTable] | None
    confidence: float
    rows: int
    selection: str | None


class QuestionPlan(AnsweredHow, total=False):
    """How one question is answered."""

    weights: Weights | None
    error: Mapping[str, Number] | None


class BatchPlan(AnsweredHow, total=False):
    """How questions are answered together: one item for each."""

    weights: Sequence[Weights] | None
    error: Sequence[Mapping[str, Number]] | None


class QuestionOptions(QuestionPlan, Booked, total=False):
    """The keywords of `release` for one question."""


class BatchOptions(BatchPlan, Booked, total=False):
    """The keywords of `release` for several."""


class SpinePlanned(TypedDict, total=False):
    """How a spine is measured."""

    confidence: float


class SpineOptions(SpinePlanned, Booked, total=False):
    """The keywords of `release` for a spine."""

    progress: Callable[[str], None] | None


class EveryOption(Booked, AnsweredHow, total=False):
    """All keywords that some release takes."""

    worlds: int
    basis: object
    processes: int | None
    weights: Weights | Sequence[Weights] | None
    error: Mapping[str, Number] | Sequence[Mapping[str, Number]] | None
    progress: Callable[[str], None] | None
