"""Which oracle a question gets: the one of least exact variance whose reports stay small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.errors import BadCollection, PrivetError
from privet.guarantee.oracles import Oracle, admitted, oracle_class
from privet.protect.collect._questions import NumberIn, OneOf, Question, Several, TextOf

# What "auto" chooses among. The hashing pool and Apple's sketches never have less variance than these.
CATEGORICAL = ("grr", "subset", "oue", "olh", "hadamard")
# Answers that a device keeps: for people who are asked again and again.
MEMOISED = ("l-grr", "l-sue", "loloha", "dbitflip")
NUMERIC = ("duchi", "piecewise", "hybrid")
WORDS = ("pem", "sfp")
KINDS: Mapping[type[Question], tuple[str, ...]] = {
    OneOf: (*CATEGORICAL, "sue", "flh", "rappor", "cms", "hcms", *MEMOISED),
    NumberIn: (*NUMERIC, "square-wave"),
    TextOf: WORDS,
    Several: ("sampled",),
}
LARGEST_REPORT = 256  # bytes: what a phone sends without anybody noticing


@dataclass(frozen=True)
class Candidate:
    """One oracle with its variance for one report about a rare value, and the size of its reports."""

    oracle: Oracle
    variance: float
    report_bytes: float


def candidates(question: OneOf | NumberIn, epsilon: Fraction, kinds: tuple[str, ...] = ()) -> list[Candidate]:
    """The oracles that fit the question, of least variance first; ties by the shorter report."""
    size = len(question.values) if isinstance(question, OneOf) else 0
    usual = CATEGORICAL if isinstance(question, OneOf) else NUMERIC
    found = []
    for kind in kinds or usual:
        try:
            oracle = oracle_class(kind).made(epsilon, size, {})
        except PrivetError:  # too many values, or too large a set, for this one
            continue
        found.append(Candidate(oracle, float(oracle.variance(1.0, 0.0)), oracle.report_bytes()))
    return sorted(found, key=lambda one: (round(one.variance, 12), one.report_bytes))


def chosen(question: OneOf | NumberIn, epsilon: Fraction, kind: str, settings: Mapping[str, Any]) -> Oracle:
    """The oracle of a kind, or the one of least variance whose expected report has at most 256 bytes."""
    admitted(epsilon)
    if kind != "auto":
        if kind not in KINDS[type(question)]:
            raise BadCollection(
                "this oracle does not fit the question.",
                f"Those that fit: auto, {', '.join(KINDS[type(question)])}.",
            )
        size = len(question.values) if isinstance(question, OneOf) else 0
        return oracle_class(kind).made(epsilon, size, settings)
    if settings:
        raise BadCollection("settings belong to one oracle.", 'Name it: oracle="cms", settings={…}.')
    return next(one.oracle for one in candidates(question, epsilon) if one.report_bytes <= LARGEST_REPORT)
