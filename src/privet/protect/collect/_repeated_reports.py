"""Several reports of each of many people, as their devices would make them: what is kept is drawn once, the rest each time."""

from __future__ import annotations

from typing import Any, Protocol

from privet.mechanism import WordStream, forms, own_choice, permanent, shown
from privet.protect.collect._longitudinal_cost import OverTime
from privet.protect.collect._protocols import Protocol as Answering
from privet.protect.collect._protocols import Single
from privet.protect.collect._questions import Question
from privet.protect.collect._report_tables import NOT_PRIVATE, table_of


class Repeated(Protocol):
    """What is needed of a collection."""

    @property
    def question(self) -> Question:
        """What is asked."""

    @property
    def protocol(self) -> Answering:
        """How it is answered."""

    @property
    def fingerprint(self) -> str:
        """Which specification it is."""

    @property
    def public_seed(self) -> int:
        """That of the hash functions."""

    @property
    def over_time(self) -> OverTime:
        """What is kept."""

    def reports_from(self, values: Any, stream: WordStream) -> Any:
        """Reports drawn from a stream."""


def repeated(collection: Repeated, values: Any, times: int, stream: WordStream) -> list[Any]:
    """So many tables of reports, in which a row is the same person's with the same value."""
    terms = collection.over_time
    if terms.repeats:
        return [collection.reports_from(values, stream)] * times
    if not terms.keeps:
        return [collection.reports_from(values, stream) for _ in range(times)]
    assert isinstance(collection.protocol, Single)
    oracle, seed = collection.protocol.oracle, collection.public_seed
    codes: Any = collection.question.coded(values)
    own = own_choice(oracle, len(codes), stream)
    kept = permanent(oracle, forms(oracle, codes, own, seed), own, stream, seed)
    stamp = collection.fingerprint if stream.private else collection.fingerprint + NOT_PRIVATE
    shape = collection.protocol.columns()
    return [table_of(shape, shown(oracle, kept, own, stream), len(codes), stamp) for _ in range(times)]
