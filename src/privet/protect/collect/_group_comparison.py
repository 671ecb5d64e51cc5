"""Two groups or weeks side by side, and days in a row: differences and slopes of shares, each with an interval."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np

from privet.artifact import Answer, ReleasedAnswer
from privet.errors import BadUsage, OutsideQuestion, checked
from privet.protect._admission import admitted
from privet.protect.collect._collected import Collected
from privet.protect.collect._collection import Collection
from privet.protect.collect._estimate import answer_from, frequencies
from privet.protect.collect._frequency_estimates import Frequencies
from privet.protect.collect._protocols import Single
from privet.protect.collect._questions import OneOf
from privet.protect.collect._report_sources import collected_from, refuse_repeated, tables_in


@checked
def estimate_change(
    before: Any,
    after: Any,
    collection: Collection,
    *,
    confidence: float = 0.95,
    progress: Callable[[str], None] | None = None,
) -> ReleasedAnswer:
    """How the share of each value differs between two sets of reports of one collection, with intervals; costs nothing.

    The sets are two groups of people or two periods; the noise of their reports is independent. An interval without 0
    says that the noise alone does not explain the difference; among many values some do so by chance.

    Guarantee:
        Post-processing of reports, each of which is locally differentially private by the collection's promise.
    Assumes:
        No report stands in both sets.
    """
    _checked(collection, confidence)
    refuse_repeated(before, after)
    admitted([*tables_in(before), *tables_in(after)], "answer", ledger=None)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    parts = [collected_from(reports, collection, progress) for reports in (before, after)]
    answer = answer_from(_summed(parts), collection, confidence=confidence)
    one, two = (_shares(part, collection) for part in parts)
    change, error = two[0] - one[0], np.sqrt(one[1] ** 2 + two[1] ** 2)
    columns = (
        _column("before", "estimated share in the first set, without bias", *one, z),
        _column("after", "estimated share in the second set, without bias", *two, z),
        _column("change", "estimated difference of the shares, without bias", change, error, z),
    )
    return replace(answer, answers=columns)


@checked
def estimate_trend(
    reports: Mapping[datetime.date, Any],
    collection: Collection,
    *,
    values: Sequence[str | int] | None = None,
    confidence: float = 0.95,
    progress: Callable[[str], None] | None = None,
) -> ReleasedAnswer:
    """The share of each value on each day, and how it rises from day to day, with intervals; costs nothing.

    One row for each value and day, and one for each value without a day, which holds the slope of the straight line
    through its days. `plot()` draws it.

    Guarantee:
        Post-processing of reports, each of which is locally differentially private by the collection's promise.
    Assumes:
        Fresh randomness each day; people who report on several days give away the sum of their epsilons.
    """
    _checked(collection, confidence)
    if len(reports) < 2 or not all(isinstance(day, datetime.date) for day in reports):
        raise BadUsage("a trend needs reports of two days or more.", "Write {date(2026, 1, 1): reports, …}.")
    question = collection.question
    assert isinstance(question, OneOf)
    wanted = list(question.values if values is None else values)
    if set(wanted) - set(question.values):
        raise OutsideQuestion("a value is none that the question has.", "Name values of the question.")
    rows = [list(question.values).index(value) for value in wanted]
    refuse_repeated(*reports.values())
    admitted([one for day in reports.values() for one in tables_in(day)], "answer", ledger=None)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    days = sorted(reports)
    parts = [collected_from(reports[day], collection, progress) for day in days]
    answer = answer_from(_summed(parts), collection, confidence=confidence)
    shares = [_shares(part, collection) for part in parts]
    keys: dict[str, list[Any]] = {"value": [], "day": []}
    estimates: list[float] = []
    errors: list[float] = []
    places = np.array([day.toordinal() for day in days], float) - days[0].toordinal()
    weights = (places - places.mean()) / ((places - places.mean()) ** 2).sum()
    for value, row in zip(wanted, rows, strict=True):
        line = np.array([share[row] for share, _ in shares])
        error = np.array([spread[row] for _, spread in shares])
        keys["value"] += [value] * (len(days) + 1)
        keys["day"] += [*days, None]
        estimates += [*line, weights @ line]
        errors += [*error, np.sqrt(weights**2 @ error**2)]
    meaning = "estimated share on the day, without bias; in rows without a day, the rise of the share per day"
    column = _column("share", meaning, np.array(estimates), np.array(errors), z)
    return replace(answer, keys={name: tuple(given) for name, given in keys.items()}, answers=(column,))


def _shares(part: Collected, collection: Collection) -> tuple[Any, Any]:
    protocol, question = collection.protocol, collection.question
    assert isinstance(protocol, Single)
    assert isinstance(question, OneOf)
    answer_from(part, collection)  # refuses a set in which no report fits
    found: Frequencies = frequencies(
        protocol.oracle, part.cells[""], part.counts[""], question, collection.public_seed
    )
    return found.counts / found.reports, found.errors / found.reports


def _summed(parts: Sequence[Collected]) -> Collected:
    total = Collected()
    for part in parts:
        total = total + part
    return total


def _column(name: str, meaning: str, values: Any, errors: Any, z: float) -> Answer:
    low, high = (tuple(float(one) for one in values + sign * z * errors) for sign in (-1, 1))
    return Answer(name, meaning, tuple(float(one) for one in values), low, high)


def _checked(collection: Collection, confidence: float) -> None:
    if not 0.5 <= confidence < 1:
        raise BadUsage("confidence lies between 0.5 and 1.", "Write confidence=0.95.")
    if not isinstance(collection.question, OneOf):
        raise BadUsage("shares are compared of questions with categories.", "Ask with OneOf([…]).")
