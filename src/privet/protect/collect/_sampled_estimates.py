"""Several questions of which each person answered some: every question from the people who answered it, scaled to all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Answer
from privet.guarantee.oracles import WindowResponse
from privet.protect.collect._frequency_estimates import estimated
from privet.protect.collect._number_estimates import decoded
from privet.protect.collect._protocols import Sampled
from privet.protect.collect._questions import NumberIn, OneOf, Several

if TYPE_CHECKING:
    from privet.protect.collect._collected import Collected
    from privet.protect.collect._collection import Collection

ESTIMATE = "estimate"
MEANING = "estimated number of people with this answer, or the mean of a number; without bias"


def sampled_answers(
    found: Collected, collection: Collection, z: float
) -> tuple[dict[str, Any], tuple[Answer, ...]]:
    """One row for each category of each question, and one for the mean of each number."""
    protocol, question = collection.protocol, collection.question
    assert isinstance(protocol, Sampled)
    assert isinstance(question, Several)
    names: list[str] = []
    values: list[Any] = []
    rows: list[tuple[float, float]] = []
    answered = protocol.answered / len(protocol.oracles)
    for name, oracle in protocol.oracles.items():
        one, cells, reports = question.questions[name], found.cells[name], found.counts[name]
        if isinstance(one, OneOf):
            part = estimated(oracle, cells, reports, np.arange(len(one.values)), collection.public_seed)
            # Which people answered is random as well: a count of c is a sum of c coins of chance `answered`.
            chosen = np.maximum(part.counts, 0) * (1 - answered)
            errors = np.sqrt(part.errors**2 + chosen) / answered
            rows += zip(part.counts / answered, errors, strict=True)
            names += [name] * len(one.values)
            values += [str(value) for value in one.values]
        else:
            assert isinstance(one, NumberIn)
            assert isinstance(oracle, WindowResponse)
            rows.append(_mean(oracle, cells, one))
            names.append(name)
            values.append("mean")
    middle = tuple(float(value) for value, _ in rows)
    low, high = (tuple(float(v + sign * z * e) for v, e in rows) for sign in (-1, 1))
    return {"question": tuple(names), "value": tuple(values)}, (Answer(ESTIMATE, MEANING, middle, low, high),)


def _mean(oracle: WindowResponse, cells: Any, question: NumberIn) -> tuple[float, float]:
    """The mean of those who answered, with the error of the noise and of who was drawn: both show in the spread."""
    if cells.sum() < 2:
        return float("nan"), float("inf")
    each, reports, width = decoded(oracle), int(cells.sum()), question.high - question.low
    mean = float(cells @ each) / reports
    spread = float(cells @ (each - mean) ** 2) / (reports - 1)
    return question.low + width * mean, width * float(np.sqrt(spread / reports))
