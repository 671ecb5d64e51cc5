"""Purpose limitation: may each step do what it says? Answered from the policy alone, before anything is opened.

Two answers are no: a *breach*, where the policy forbids it, and a *gap*, where the policy does not say. A gap never passes.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field
from pathlib import PurePath

from pydantic import ValidationError

from privet.dataset import (
    OPEN,
    SAY_IT,
    Faults,
    Placed,
    Purpose,
    faults_of,
    purpose_gaps,
    raise_all,
    recipients_of,
)
from privet.engine import did_you_mean
from privet.errors import BadPolicy, PolicyBreach, PolicyGap
from privet.pipeline._policy import Policy, PolicyStep
from privet.verbs import Bound, verbs

OUT = "out"  # where outputs stand, beside the policy
_NAME = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,98}[A-Za-z0-9_-])?"
)  # a last dot or space is cut off by some systems


@dataclass
class _Found:
    """What is wrong so far: malformed, forbidden, and not said."""

    place: Placed
    bad: list[str] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)

    def at(self, *where: str | int) -> str:
        return f"{self.place.place(where)} {'.'.join(map(str, where))}:"


def checked(policy: Policy, found: Placed, today: datetime.date) -> tuple[Bound, ...]:
    """Every step with its kind and purpose; raises once, with everything that is malformed, forbidden or not said."""
    faults = _Found(found)
    faults.bad += [
        f"{faults.at('dataset', part)} a place is a text in one line."
        for part in ("source", "ledger", "name", "delimiter")
        if (value := getattr(policy.dataset, part)) is not None
        and (not value.strip() or not value.replace("\t", " ").isprintable())
        and not (part == "delimiter" and value == "\t")
    ]
    steps = [
        bound
        for at, step in enumerate(policy.steps)
        if (bound := _bound(at, step, policy, faults, today)) is not None
    ]
    _names_differ(steps, faults)
    _attacks_fit(steps, policy, faults)
    _budgets_fit(policy, faults)
    _vaults_end(policy, faults)
    _ledger_stays(policy, faults)
    gaps = list(dict.fromkeys(faults.gaps))  # several steps may wait for one answer
    raise_all([*faults.bad, *faults.breaches, *gaps] if faults.bad else [])
    if faults.breaches:
        everything = [*dict.fromkeys(faults.breaches), *gaps]
        raise PolicyBreach(
            "\n".join(everything),
            "Nothing was read, written or spent. Change the step, or let somebody who may change the purpose.",
            faults=everything,
        )
    if gaps:
        raise PolicyGap("\n".join(gaps), SAY_IT, faults=gaps)
    return tuple(steps)


def step_faults(found: Placed) -> Faults:
    """What is wrong with the options of steps alone, whatever else is wrong with the file."""
    faults = Faults([], [])
    steps = found.content.get("steps") if isinstance(found.content, dict) else None
    for at, step in enumerate(steps if isinstance(steps, list) else ()):
        kind = verbs().get(str(step.get("do"))) if isinstance(step, dict) else None
        if kind is None:
            continue
        own = {name: value for name, value in step.items() if name not in PolicyStep.model_fields}
        try:
            kind.options.model_validate(own)
        except ValidationError as problem:
            more = faults_of(problem, found, Policy, ("steps", at), kind.options.model_fields)
            faults.bad.extend(more.bad)
            faults.gaps.extend(more.gaps)
    return faults


def _bound(at: int, step: PolicyStep, policy: Policy, faults: _Found, today: datetime.date) -> Bound | None:
    known = verbs()
    kind = known.get(step.do)
    if kind is None:
        faults.bad.append(
            f"{faults.at('steps', at, 'do')} there is no such kind of step. {did_you_mean(step.do, known)}"
        )
        return None
    try:
        options = kind.options.model_validate(step.model_extra or {})
    except ValidationError as problem:
        found = faults_of(problem, faults.place, Policy, ("steps", at), kind.options.model_fields)
        faults.bad += found.bad
        faults.gaps += found.gaps
        return None
    if step.purpose is None:
        faults.gaps.append(f"{faults.at('steps', at)} the step has no purpose.")
        return None
    purpose = policy.purposes[step.purpose]
    columns = kind.columns(options, policy, purpose)
    name = step.name or f"{step.do}-{at + 1}"
    to = step.to or name + kind.endings[0]
    bound = Bound(
        at, name, kind, options, step.purpose, purpose, to, step.recipient, _in_order(columns, policy)
    )
    _well_named(bound, faults)
    _allowed(bound, columns, policy, faults, today)
    _said(bound, policy, faults, today)
    return bound


def _in_order(columns: tuple[str, ...], policy: Policy) -> tuple[str, ...]:
    return tuple(name for name in policy.every_column if name in columns)


def _well_named(step: Bound, faults: _Found) -> None:
    if not _NAME.fullmatch(step.name):
        faults.bad.append(
            f"{faults.at('steps', step.at, 'name')} a name is letters, digits and . _ - in one line."
        )
    ending = step.to[step.to.rfind(".") :] if "." in step.to[1:] else ""
    if not _NAME.fullmatch(step.to):
        faults.bad.append(
            f"{faults.at('steps', step.at, 'to')} outputs stand under out/owner or out/public by a plain name, without folders."
        )
    elif ending not in step.verb.endings and "" not in step.verb.endings:
        faults.bad.append(
            f"{faults.at('steps', step.at, 'to')} what {step.verb.name} makes is called "
            f"something{' or something'.join(step.verb.endings)}."
        )


def _allowed(
    step: Bound, columns: tuple[str, ...], policy: Policy, faults: _Found, today: datetime.date
) -> None:
    """What the purpose forbids."""
    purpose, here = step.purpose, faults.at("steps", step.at)
    if purpose.expires < today:
        faults.breaches.append(
            f"{faults.at('purposes', step.purpose_name, 'expires')} the purpose ended on {purpose.expires}; "
            f"step {step.name!r} is for it."
        )
    undeclared = [name for name in columns if name not in policy.every_column]
    faults.bad += [
        f"{here} column {name!r} is not declared. {did_you_mean(name, policy.every_column)}"
        for name in undeclared
    ]
    unit = policy.dataset.unit.column
    outside = [name for name in step.columns if name not in purpose.columns and name != unit]
    faults.breaches += [
        f"{here} step {step.name!r} reads column {name!r}, which purpose {step.purpose_name!r} does not allow."
        for name in outside
    ]
    if step.verb.output not in purpose.outputs:
        faults.breaches.append(
            f"{here} step {step.name!r} makes a thing of kind {step.verb.output!r}; "
            f"purpose {step.purpose_name!r} allows {', '.join(purpose.outputs) or 'none'}."
        )
    if OPEN not in purpose.recipients and step.recipient not in purpose.recipients:
        faults.breaches.append(
            f"{faults.at('steps', step.at, 'recipient')} step {step.name!r} is for {step.recipient!r}; "
            f"purpose {step.purpose_name!r} allows {', '.join(purpose.recipients) or 'nobody'}."
        )
    elif OPEN not in purpose.recipients and step.recipient not in recipients_of(purpose):
        faults.breaches.append(
            f"{faults.at('purposes', step.purpose_name, 'basis')} no legal basis is claimed, and step {step.name!r} is for "
            f"{step.recipient!r}: what has none is for internal trials."
        )


def _said(step: Bound, policy: Policy, faults: _Found, today: datetime.date) -> None:
    """What the policy leaves open."""
    purpose, name = step.purpose, step.purpose_name
    faults.gaps += [
        f"{faults.at('purposes', name, part)} {said}" for part, said in purpose_gaps(policy, name, today)
    ]
    if not step.columns and not step.verb.counts_rows:
        faults.gaps.append(f"{faults.at('steps', step.at)} step {step.name!r} names no column to read.")
    if step.verb.pays(step.options) and purpose.budget is None:
        faults.gaps.append(
            f"{faults.at('purposes', name)} step {step.name!r} spends, and the purpose has no budget."
        )
    faults.gaps += [
        f"{faults.at('steps', step.at, part)} {said}."
        for part, said in step.verb.gaps(step.options, policy, purpose)
    ]


def _names_differ(steps: list[Bound], faults: _Found) -> None:
    for part in ("name", "to"):
        seen: set[str] = set()
        for step in steps:
            value = str(getattr(step, part)).casefold()
            if value in seen:
                faults.bad.append(f"{faults.at('steps', step.at)} another step has this {part} already.")
            seen.add(value)
    faults.bad += [
        f"{faults.at('steps', step.at, 'to')} this name is taken by the run itself."
        for step in steps
        if step.to.casefold() in RESERVED
    ]


RESERVED = (
    "journal.jsonl",
    "run.json",
    "plan.json",
    "report.html",
    "report.json",
    "report-public.html",
    "report-public.json",
)


def _attacks_fit(steps: list[Bound], policy: Policy, faults: _Found) -> None:
    """An attack reads what the step read that it is about, so its own purpose must allow that too."""
    for place, step in enumerate(steps):
        of = getattr(step.options, "of", None)
        if of is None:
            continue
        earlier = next((one for one in steps[:place] if one.name == of), None)
        if earlier is None:
            faults.bad.append(f"{faults.at('steps', step.at, 'of')} there is no earlier step of that name.")
            continue
        unit = policy.dataset.unit.column
        faults.breaches += [
            f"{faults.at('steps', step.at)} step {step.name!r} is scored with column {name!r}, which purpose "
            f"{step.purpose_name!r} does not allow."
            for name in earlier.columns
            if name not in step.purpose.columns and name != unit
        ]


def _budgets_fit(policy: Policy, faults: _Found) -> None:
    whole = policy.dataset.budget
    for name, purpose in policy.purposes.items():
        if not _NAME.fullmatch(name):
            faults.bad.append(
                f"{faults.at('purposes', name)} a purpose's name is letters, digits and . _ - ."
            )
        budget = purpose.budget
        if budget is not None and budget.exceeds(whole):
            faults.breaches.append(
                f"{faults.at('purposes', name, 'budget')} the budget is larger than the data set's own."
            )


def _vaults_end(policy: Policy, faults: _Found) -> None:
    """Vaults end some day, and do not stand among what is given to others."""
    for name in policy.vaults:
        if policy.vault_ends(name) is None:
            faults.gaps.append(f"{faults.at('vaults', name)} nothing says how long the vault is kept.")
        if PurePath(name.casefold()).parts[:1] == (OUT,):
            faults.breaches.append(
                f"{faults.at('vaults', name)} a vault is kept apart from the outputs, whose way back it is."
            )


def _ledger_stays(policy: Policy, faults: _Found) -> None:
    """Outputs are replaced and removed; the ledger of all of them never is."""
    if PurePath(policy.dataset.ledger).parts[:1] == (OUT,):
        faults.breaches.append(
            f"{faults.at('dataset', 'ledger')} a ledger is kept apart from the outputs, which are replaced and removed."
        )


def purposes_in_use(steps: tuple[Bound, ...]) -> dict[str, Purpose]:
    """The purposes that steps spend for, which need a budget in the ledger."""
    return {step.purpose_name: step.purpose for step in steps if step.verb.pays(step.options)}


def refuse_nothing_to_do(steps: tuple[Bound, ...]) -> None:
    """A policy without steps is no plan."""
    if not steps:
        raise BadPolicy("the policy has no steps.", "Add one under `steps:`; see `privet init DATA`.")
