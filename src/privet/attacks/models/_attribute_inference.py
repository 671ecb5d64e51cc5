"""Attribute inference: the missing value of a record from the model's answers.

A guess can be right because the attribute follows from the rest of the record: that is statistics, not leakage. So the
attack is set against an imputation that never asked the model, and against the same attack on people who were not in
the data. Only what members lose beyond others is the model's doing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_records import AttackRecords, matrix, records_of, stacked
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import lower_rate, rate
from privet.attacks._attack_target import AttackTarget, label_of, target_of
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.models._adversary_learners import classifier
from privet.attacks.models._candidate_values import as_codes, difference, paired_difference
from privet.errors import BadAttack, NoPower
from privet.guarantee import most_true_positives

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEWEST = 10
_NEEDS = ("members", "control", "attribute")
_WHO = Adversary(
    "somebody who knows the rest of a record",
    ("all other attributes and the label", "the attribute's values and how common they are", "other records"),
    "black box: probabilities",
)


@dataclass(frozen=True)
class Hunt:
    """Everything an attribute attack works with; guesses are codes of `values`."""

    target: AttackTarget
    attribute: str | int
    values: NDArray[Any]
    known: AttackRecords  # other people's records, whole: the adversary's own
    members: AttackRecords
    others: AttackRecords
    truth: dict[str, NDArray[np.int64]]  # of known, members and others
    plain: dict[str, NDArray[np.float64]]  # the rest of each record as numbers, label included
    started: float


def hunt_of(thing: Any, case: Case) -> Hunt:
    """Set it up. Without auxiliary records, half of the control is the adversary's own."""
    started, attribute = time.process_time(), case.settings["attribute"]
    label = label_of(thing, case.setting("label", None))
    members, control = records_of(case.members, label), records_of(case.control, label)
    if case.auxiliary is not None:
        known, others = records_of(case.auxiliary, label), control
    else:
        order = repeatable_generator(case.seed, "attribute halves").permutation(len(control))
        known, others = control.take(order[: len(control) // 2]), control.take(order[len(control) // 2 :])
    if any(part.labels is None for part in (members, known, others)):
        raise BadAttack(
            "attribute inference needs the labels.", "Give (features, labels), or the label's column."
        )
    target = target_of(thing)
    known, members, others = (_complete(part, target, attribute) for part in (known, members, others))
    everything = stacked(known, members, others)
    values, codes = as_codes(everything.column(attribute), case.setting("values", None))
    ends = np.cumsum([len(known), len(members)])
    rest = everything.without(attribute)
    labels = np.unique(np.asarray(everything.labels), return_inverse=True)[1].astype(float)
    plain = np.column_stack([matrix(rest), labels])
    names = ("known", "members", "others")
    return Hunt(
        target,
        attribute,
        values,
        known,
        members,
        others,
        dict(zip(names, np.split(codes, ends), strict=True)),
        dict(zip(names, np.split(plain, ends), strict=True)),
        started,
    )


def _complete(records: AttackRecords, target: AttackTarget, attribute: str | int) -> AttackRecords:
    """The records that have a label which the model knows, and a value of the attribute."""
    column = records.column(attribute)
    there = np.array([one is not None and one == one for one in column.tolist()], bool)  # noqa: PLR0124  NaN
    found = records.take(there & (target.codes(np.asarray(records.labels)) >= 0))
    if len(found) < _FEWEST:
        raise NoPower(
            f"fewer than {_FEWEST} records have a known label and a value of the attribute.",
            "Give more members, control or auxiliary records.",
        )
    return found


def tried(hunt: Hunt, records: AttackRecords) -> NDArray[np.float64]:
    """The target's answers with each candidate value put in: value, record, class."""
    return np.stack(
        [hunt.target.probabilities(records.with_value(hunt.attribute, value.item())) for value in hunt.values]
    )


@register(name="attribute-map", on="model", needs=_NEEDS)
def most_probable(target: Any, case: Case) -> RiskEstimate:
    """Guess the value that makes the model's answer and the label likeliest together (Fredrikson et al. 2014)."""
    hunt = hunt_of(target, case)
    prior = _prior(hunt)
    answers, labels = hunt.target.probabilities(hunt.known), hunt.target.codes(np.asarray(hunt.known.labels))
    classes = answers.shape[1]
    confusion = np.full(
        (classes, classes), 1.0
    )  # P[label | answer], one added to each so that none is nought
    np.add.at(confusion, (np.clip(labels, 0, classes - 1), answers.argmax(axis=1)), 1.0)
    confusion /= confusion.sum(axis=0)

    def guess(records: AttackRecords, _: NDArray[np.float64]) -> NDArray[np.int64]:
        said = tried(hunt, records).argmax(axis=2)
        own = np.clip(hunt.target.codes(np.asarray(records.labels)), 0, classes - 1)
        return np.asarray((confusion[own[None, :], said] * prior[:, None]).argmax(axis=0))

    return _scored("attribute-map", hunt, case, guess)


@register(name="attribute-confidence", on="model", needs=_NEEDS)
def by_confidence(target: Any, case: Case) -> RiskEstimate:
    """Guess the value with which the model tells the label, by its confidence (CSMIA, Mehnaz et al. 2022).

    One value that gives the right label is taken; of several, the one with the highest confidence; of none, the one
    with the lowest.
    """
    hunt = hunt_of(target, case)

    def guess(records: AttackRecords, _: NDArray[np.float64]) -> NDArray[np.int64]:
        answers = tried(hunt, records)
        right = answers.argmax(axis=2) == hunt.target.codes(np.asarray(records.labels))
        confidence = answers.max(axis=2)
        best = np.where(right, confidence, -1).argmax(axis=0)
        return np.asarray(np.where(right.any(axis=0), best, confidence.argmin(axis=0)))

    return _scored("attribute-confidence", hunt, case, guess)


@register(name="attribute-learned", on="model", needs=_NEEDS)
def learned(target: Any, case: Case) -> RiskEstimate:
    """Learn the attribute from the rest of a record and from the model's answers with each value put in."""
    hunt = hunt_of(target, case)
    asked = [_flat(tried(hunt, hunt.known)), hunt.plain["known"]]
    learner = classifier(np.column_stack(asked), hunt.truth["known"])

    def guess(records: AttackRecords, plain: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.asarray(learner.predict(np.column_stack([_flat(tried(hunt, records)), plain])))

    return _scored("attribute-learned", hunt, case, guess)


def _flat(answers: NDArray[np.float64]) -> NDArray[np.float64]:
    """All but the last class, whose probability follows."""
    return np.moveaxis(answers[:, :, :-1], 1, 0).reshape(answers.shape[1], -1)


def _prior(hunt: Hunt) -> NDArray[np.float64]:
    counts = np.bincount(hunt.truth["known"], minlength=len(hunt.values)) + 1.0
    found: NDArray[np.float64] = counts / counts.sum()
    return found


def _scored(
    name: str,
    hunt: Hunt,
    case: Case,
    guess: Callable[[AttackRecords, NDArray[np.float64]], NDArray[np.int64]],
) -> RiskEstimate:
    """Guesses for members and others beside an imputation's; the promise bounds what members lose beyond others."""
    right = guess(hunt.members, hunt.plain["members"]) == hunt.truth["members"]
    elsewhere = guess(hunt.others, hunt.plain["others"]) == hunt.truth["others"]
    imputed = classifier(hunt.plain["known"], hunt.truth["known"]).predict(hunt.plain["members"])
    without = imputed == hunt.truth["members"]
    control = rate(int(elsewhere.sum()), len(elsewhere), case.confidence)
    bound = None if case.promise is None else most_true_positives(case.promise, control.high)
    beyond_others = difference(right, elsewhere, case.confidence)
    beyond_imputer = paired_difference(right, without, case.confidence)
    notes = (
        ()
        if beyond_others.low > 0
        else (
            f"That members lose more than people who were not in the data was not shown: {beyond_others.text()}.",
        )
    )
    return RiskEstimate(
        attack=name,
        measure="share of attribute values told right",
        success=rate(int(right.sum()), len(right), case.confidence),
        baseline=float(without.mean()),
        adversary=_WHO,
        cost=AttackCost(
            time.process_time() - hunt.started,
            records=len(right),
            queries=len(hunt.values) * (len(hunt.members) + len(hunt.others)),
        ),
        control=control,
        bound=bound,
        bound_reason=""
        if bound is None
        else "a guess is an event: the promise bounds how much likelier it is right for members",
        promise=case.promise,
        detectable=lower_rate(len(right), len(right), (1 - case.confidence) / 2),
        artifact=hunt.target.name,
        notes=notes,
        details={
            "members minus others": _plain(beyond_others),
            "attack minus imputation": _plain(beyond_imputer),
            "values": len(hunt.values),
        },
    )


def _plain(estimate: IntervalEstimate) -> dict[str, float]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}
