"""The verb: try what an adversary would on a thing, with everything that fits it and what is held."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from privet.artifact import RiskEstimate
from privet.attacks._attack_registry import Attack, Case, attacks, fitting, in_words
from privet.attacks._attack_report import AttackReport
from privet.attacks._attack_settings import AttackSettings
from privet.errors import BadAttack, BadInput, MissingExtra, checked
from privet.guarantee import Promise
from privet.source import admitted_by

# Libraries that some attacks learn with, and the extra that brings each.
_EXTRAS = {"sklearn": "tabular", "threadpoolctl": "tabular", "torch": "torch", "transformers": "language"}


@checked
def attack(  # noqa: PLR0913
    thing: Any,
    *,
    members: Any = None,
    control: Any = None,
    auxiliary: Any = None,
    promise: Promise | None = None,
    attacks: Iterable[str] | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    workers: int = 1,
    cache: str | Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **settings: Unpack[AttackSettings],
) -> AttackReport:
    """Attack a model, a table, a shield, statistics, an update, a training run, a mechanism or a client, and say how far that got.

    Args:
        thing: what left the house, or is to: a released model or table, anything with `predict_proba`, a PyTorch
            module, a causal network with its tokenizer as a pair, an input shield, a function to probabilities, a frame, a released answer or several, `Answered` statistics, an
            `Update`, an `Observed` run, a `CanaryRun`, `Neighbours`, a `Collection` or a `LocalClient`; or the path of a model's folder, or of a file with
            a table or an answer.
        members: the records that were used. For the scoring, and for adversaries who hold some.
        control: records like them that were not used.
        auxiliary: what the adversary has from elsewhere.
        promise: what is claimed [default: what the artifact says].
        attacks: names of attacks [default: all that fit and whose needs are met; the others are named].
        seed: for the adversary's own chance.
        confidence: of all intervals together: the error is shared between the attacks (Bonferroni), so that a kept
            promise is contradicted by any of them with a probability of at most what is left.
        workers: processes for shadow models.
        cache: a folder to keep them in, by content.
        progress: called with what begins, how many are done, and how many there are.
        settings: what single attacks take: `label`, `attribute`, `quasi`, `draws`, …

    The report is for the owner alone: it was scored with the truth. No attack proves that a thing is safe.
    """
    from privet.attacks._target_detection import (
        asked_of,
        implied,
        is_released_answer,
        kind_of,
        opened,
        own_promise,
        records_for,
    )

    if not 0.5 <= confidence < 1:
        raise BadAttack("a confidence lies between 0.5 and 1.", "Give confidence=0.95.")
    for rows in (members, control):
        admitted_by(rows, "report")
    target = opened(thing)
    kind = kind_of(target)
    own, held = own_promise(target), getattr(target, "standing", None)
    if is_released_answer(target):
        target, members, own = asked_of(target, members, settings.get("secret"), settings.get("value"))
    if kind == "model":
        members, control, auxiliary = (records_for(target, one) for one in (members, control, auxiliary))
    case = Case(
        members=members,
        control=control,
        auxiliary=auxiliary,
        promise=promise if promise is not None else own,
        seed=seed,
        confidence=confidence,
        workers=workers,
        cache=None if cache is None else Path(cache),
        progress=progress,
        settings={**implied(target, kind), **settings},
    )
    named = None if attacks is None else tuple(attacks)
    chosen = fitting(kind, case, named)
    compares = any("control" in one.needs for one in chosen)
    unfair, uncompared = _unfair(target, kind, case) if compares else ("", ())
    shared = replace(case, confidence=1 - (1 - confidence) / max(1, len(chosen)))
    found, refused = _run(target, shared, chosen, strict=named is not None)
    if unfair:
        compared = {one.name for one in chosen if "control" in one.needs}
        found = [replace(one, unfair=unfair) if one.attack in compared else one for one in found]
    left_out = uncompared if named is not None else (*_unmet(kind, case), *refused, *uncompared)
    if not found:
        raise BadAttack(
            f"no attack on a {kind} could be run. {_grouped(left_out)}",
            "Give what they need; `privet attack --list` says it.",
            faults=list(left_out),
        )
    said = held.sentence() if held is not None and promise is None else ""
    report = AttackReport(tuple(found), _name(thing, kind), left_out, confidence, said)
    if kind != "shield":
        return report
    from privet.attacks.inversion import shield_report

    return shield_report(report, settings.get("limit"))


def _unfair(target: Any, kind: str, case: Case) -> tuple[str, tuple[str, ...]]:
    """Why members and control cannot be compared, if they cannot; and that nobody looked, where a library is missing."""
    from privet.attacks._control_check import unfairness

    if kind not in {"model", "table"}:
        return "", ()
    if case.progress:
        case.progress("comparing members with control", 0, 1)
    try:
        return unfairness(target, kind, case), ()
    except ModuleNotFoundError as problem:
        return "", (f"comparing members with control: {_lacking(problem).fact}",)


def _run(
    target: Any, case: Case, chosen: tuple[Attack, ...], *, strict: bool
) -> tuple[list[RiskEstimate], list[str]]:
    """What every attack found. One that was not asked for by name may refuse, and is named with its reason."""
    found, refused = [], []
    for place, one in enumerate(chosen):
        if case.progress:
            case.progress(one.name, place, len(chosen))
        try:
            found.append(_tried(one, target, case))
        except (BadInput, MissingExtra) as problem:
            if strict:
                raise
            refused.append(f"{one.name}: {problem.fact}")
    return found, refused


def _tried(one: Attack, target: Any, case: Case) -> RiskEstimate:
    """Run an attack; a library that it lacks is named."""
    try:
        return one.run(target, case)
    except ModuleNotFoundError as problem:
        raise _lacking(problem) from None


def _lacking(problem: ModuleNotFoundError) -> MissingExtra:
    """The extra that brings a library; a module of our own that is missing is a mistake of ours."""
    library = (problem.name or "").partition(".")[0]
    if library not in _EXTRAS:
        raise problem
    return MissingExtra(
        f"this needs {library}, which is not installed.", f"pip install 'privet[{_EXTRAS[library]}]'"
    )


def _unmet(kind: str, case: Case) -> list[str]:
    return [
        f"{one.name} needs {in_words(missing)}."
        for one in attacks(kind)
        if (missing := case.lacks(one.needs))
    ]


def _grouped(left_out: Iterable[str]) -> str:
    """Each reason once, with the attacks that gave it."""
    reasons: dict[str, list[str]] = {}
    for said in left_out:
        name, _, reason = said.partition(" ")
        reasons.setdefault(reason, []).append(name.removesuffix(":"))
    return " ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())


def _name(thing: Any, kind: str) -> str:
    if isinstance(thing, str | Path):
        return Path(thing).name
    return {"run": "training run", "canaries": "training with canaries"}.get(kind, kind)
