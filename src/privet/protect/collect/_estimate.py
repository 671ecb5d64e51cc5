"""Estimates from reports: unbiased, with intervals from the raw counts alone, and consistent ones beside them."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np

from privet.artifact import NOT_PRIVATE, Answer, Provenance, Receipt, ReleasedAnswer
from privet.errors import BadUsage, ForeignReports, checked
from privet.guarantee import Number, readable, unit_to_json, written
from privet.guarantee.oracles import BloomResponse, Oracle, SquareWave, WindowResponse
from privet.ledger import Ledger
from privet.protect._admission import admitted
from privet.protect.collect._booked_estimates import REPORT, ReportBooking, entered, refuse_unbookable
from privet.protect.collect._collected import Collected
from privet.protect.collect._collection import Collection
from privet.protect.collect._consistency import base_cut, norm_sub
from privet.protect.collect._counted_nouns import left_out_note, numbered
from privet.protect.collect._frequency_estimates import Frequencies, estimated
from privet.protect.collect._number_estimates import distribution, mean_share
from privet.protect.collect._protocols import Sampled, Single
from privet.protect.collect._questions import NumberIn, OneOf
from privet.protect.collect._report_sources import collected_from, refuse_repeated, tables_in

COUNT, CONSISTENT, CUT, ESTIMATE = "count", "norm_sub", "base_cut", "estimate"
MEAN, SHARE = "mean", "share"
MEANINGS = {
    COUNT: "estimated number of people, without bias",
    CONSISTENT: "consistent estimate: not negative, adds up to all reports (Norm-Sub)",
    CUT: "estimate where noise alone does not explain it, else 0 (Base-Cut)",
    MEAN: "estimated mean, without bias",
    SHARE: "estimated mean, without bias, and shares of people by expectation maximisation",
}
SEEDED = (
    f"{NOT_PRIVATE}: reports were drawn from a stated seed, which everybody who knows it can undo. For tests and "
    "demonstrations alone."
)


@checked
def estimate(
    reports: Any,
    collection: Collection,
    *,
    confidence: float = 0.95,
    top: int | None = None,
    ledger: Ledger | None = None,
    why: str = "estimated from reports",
    delta: Number | None = None,
    purpose: str | None = None,
    analyst: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> ReleasedAnswer:
    """What people answered, from their reports.

    Reports are an Arrow table, a file of Parquet or JSON lines, a table of a database or of Spark, or a list of these.

    With a ledger the estimate is recorded, at no cost: people paid on their devices. With `delta` as well, what the declared
    shuffler makes of the reports is promised and charged: a smaller epsilon against all who see the shuffled reports alone.
    The same reports are entered once, whatever is read off them.

    Intervals come from the unbiased counts and the oracle's exact variance. `norm_sub` and `base_cut` stand beside them:
    closer on the whole, biased one by one, and without intervals of their own. `top` keeps the most frequent values.

    Guarantee:
        Post-processing of reports, each of which is locally differentially private by the collection's promise.
    Assumes:
        Devices followed the specification; people who send made-up reports can move estimates (see the attacks).
    """
    if not 0.5 <= confidence < 1:
        raise BadUsage("confidence lies between 0.5 and 1.", "Write confidence=0.95.")
    if top is not None and (isinstance(top, bool) or top < 1):
        raise BadUsage("top is a whole number, 1 or more.", "Write top=20.")
    if delta is not None and ledger is None:
        raise BadUsage(
            "what a shuffler adds is booked, and no ledger is named.", "Add ledger=…, or leave delta out."
        )
    refuse_repeated(reports)
    allowed = admitted(tables_in(reports), "answer", ledger=ledger, purpose=purpose)
    booking = None if ledger is None else ReportBooking(ledger, why, allowed, analyst, delta)
    refuse_unbookable(collection, booking, reports)
    found = collected_from(reports, collection, progress)
    answer = answer_from(found, collection, confidence=confidence, top=top)
    if booking is None:
        return answer
    made = entered(found, collection, reports, booking)
    return replace(answer, promise=made.promise, receipt=made.receipt, notes=(*answer.notes, made.note))


def answer_from(
    found: Collected, collection: Collection, *, confidence: float = 0.95, top: int | None = None
) -> ReleasedAnswer:
    """The answer that tallies give."""
    if not found.reports:
        raise ForeignReports(
            "no report fits this specification.",
            "Check that the reports were made with it: they carry its fingerprint.",
            left_out=found.left_out,
        )
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    keys, answers = _content(found, collection, z)
    if top is not None:
        keys, answers = _first(keys, answers, top)
    return ReleasedAnswer(
        keys=keys,
        answers=answers,
        confidence=confidence,
        promise=collection.promise,
        receipt=_receipt(found, collection),
        provenance=_provenance(found, collection),
        notes=_notes(found, collection),
    )


def _content(found: Collected, collection: Collection, z: float) -> tuple[dict[str, Any], tuple[Answer, ...]]:
    protocol, question = collection.protocol, collection.question
    if isinstance(protocol, Single) and isinstance(question, OneOf):
        part = frequencies(
            protocol.oracle, found.cells[""], found.counts[""], question, collection.public_seed
        )
        return {"value": tuple(question.values)}, count_answers(part, z)
    if isinstance(protocol, Single) and isinstance(question, NumberIn):
        return number_answers(protocol.oracle, found.cells[""], question, z)
    if isinstance(protocol, Sampled):
        from privet.protect.collect._sampled_estimates import sampled_answers

        return sampled_answers(found, collection, z)
    from privet.protect.collect._discovered_words import word_answers

    return word_answers(found, collection, z)


def frequencies(oracle: Oracle, cells: Any, reports: int, question: OneOf, seed: int) -> Frequencies:
    """The counts of all categories."""
    if isinstance(oracle, BloomResponse):
        from privet.protect.collect._bloom_decoding import decoded_filters

        return decoded_filters(oracle, cells, len(question.values), seed)
    return estimated(oracle, cells, reports, np.arange(len(question.values)), seed)


def count_answers(found: Frequencies, z: float) -> tuple[Answer, ...]:
    """Counts with intervals, and the consistent ones beside them."""
    nothing = (None,) * len(found.counts)
    low, high = (_floats(found.counts + sign * z * found.errors) for sign in (-1, 1))
    consistent = _floats(norm_sub(found.counts, found.reports))
    cut = _floats(base_cut(found.counts, found.errors))
    return (
        Answer(COUNT, MEANINGS[COUNT], _floats(found.counts), low, high),
        Answer(CONSISTENT, MEANINGS[CONSISTENT], consistent, nothing, nothing),
        Answer(CUT, MEANINGS[CUT], cut, nothing, nothing),
    )


def number_answers(
    oracle: Any, cells: Any, question: NumberIn, z: float
) -> tuple[dict[str, Any], tuple[Answer, ...]]:
    """The mean with its interval; of a square wave also the distribution."""
    assert isinstance(oracle, WindowResponse)
    share, error = mean_share(oracle, cells)
    width = question.high - question.low
    mean, half = question.low + share * width, z * error * width
    if not isinstance(oracle, SquareWave):
        return {"of": (MEAN,)}, (Answer(ESTIMATE, MEANINGS[MEAN], (mean,), (mean - half,), (mean + half,)),)
    shares = distribution(oracle, cells)
    edges = [question.low + width * place / len(shares) for place in range(len(shares) + 1)]
    names = [f"share from {readable(one)} to {readable(two)}" for one, two in pairwise(edges)]
    empty = (None,) * len(shares)
    answer = Answer(
        ESTIMATE, MEANINGS[SHARE], (mean, *_floats(shares)), (mean - half, *empty), (mean + half, *empty)
    )
    return {"of": (MEAN, *names)}, (answer,)


def _first(
    keys: dict[str, Any], answers: tuple[Answer, ...], top: int
) -> tuple[dict[str, Any], tuple[Answer, ...]]:
    ranked = sorted(
        range(len(answers[0].values)), key=lambda row: -(answers[0].values[row] or 0.0), reverse=False
    )[:top]

    def cut(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(values[row] for row in ranked)

    return {name: cut(values) for name, values in keys.items()}, tuple(
        Answer(one.name, one.meaning, cut(one.values), cut(one.low), cut(one.high)) for one in answers
    )


def _receipt(found: Collected, collection: Collection) -> Receipt:
    """What people paid on their devices; no ledger of the collector is charged, since nothing of theirs is spent here."""
    head = hashlib.sha256(f"{collection.fingerprint} {found.reports} {found.left_out}".encode()).hexdigest()
    return Receipt(
        ledger=f"devices:{collection.fingerprint}",
        entry=0,
        head=head,
        at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        event=None,
        promise=collection.promise.to_json(),
        unit=unit_to_json(REPORT),
        accounting="local",
        composition="each report was paid for on its device",
        cost={"epsilon": written(collection.epsilon)},
        remaining={},
        why="estimated from reports",
    )


def _provenance(found: Collected, collection: Collection) -> Provenance:
    from privet import __version__

    return Provenance(
        question=f"{collection.name}: {collection.question.kind}",
        data=collection.fingerprint,
        engine="reports",
        versions={"privet": __version__},
        stages=(
            f"Each device randomised its value by {collection.oracle} at epsilon {readable(collection.epsilon)}.",
            f"{numbered(found.reports, 'report that fits', 'reports that fit')} the specification "
            f"{'was' if found.reports == 1 else 'were'} counted.",
            "The counts were corrected for the randomisation, without bias.",
        ),
    )


def _notes(found: Collected, collection: Collection) -> tuple[str, ...]:
    said = [collection.says()[2]]
    if found.left_out:
        said.append(left_out_note(found.left_out))
    if found.seeded:
        said.append(SEEDED)
    return tuple(said)


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
