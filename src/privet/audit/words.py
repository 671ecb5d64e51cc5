"""The audit in words, for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from privet.audit.phrases import listed, percent

if TYPE_CHECKING:
    from privet.audit.findings import Findings
    from privet.audit.linkage import Linkage

ROLES = ("direct", "quasi", "sensitive", "free text", "insensitive")
_SHOWN = 12


def summary(audit: Findings) -> str:
    """The whole audit on about one screen. No value of the data is in it."""
    parts = [_head(audit), _columns(audit), _people(audit), _exposed(audit), _attack(audit), _advice(audit)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def verdict(audit: Findings) -> str:
    """One sentence: how many people could be found."""
    if audit.linkage is not None and audit.linkage.attempts:
        found = max(audit.linkage.attempts, key=lambda attempt: attempt.claimed)
        return (
            f"{percent(found.share)} of people ({found.claimed:,} of {audit.people:,}) can be found by linking with "
            f"{audit.linkage.auxiliary}."
        )
    share = audit.unique_share
    if audit.alike.sizes.uniques == 0:
        return f"Nobody is alone: every person looks like at least {audit.alike.sizes.k - 1} other(s) by {listed(audit.quasi)}."
    return (
        f"{percent(share)} of people ({audit.alike.sizes.uniques:,} of {audit.people:,}) are alone with their "
        f"{listed(audit.quasi)}."
    )


def _head(audit: Findings) -> list[str]:
    rows = f"{audit.rows:,} row{'s' * (audit.rows != 1)}"
    people = f"{audit.people:,} {'people' if audit.people != 1 else 'person'}"
    return [f"{audit.table}: {rows}, {people} ({audit.unit.why})", verdict(audit)]


def _columns(audit: Findings) -> list[str]:
    lines = ["Columns"]
    roles = Counter(finding.role for finding in audit.columns.values())
    for role in ROLES:
        names = [name for name, finding in audit.columns.items() if finding.role == role]
        if names:
            lines.append(f"  {role:<12}{_names(names, roles[role])}")
    special = [name for name, finding in audit.columns.items() if finding.special]
    if special:
        lines.append(f"  special categories (GDPR Art. 9): {_names(special, len(special))}")
    letters = sorted({finding.hipaa for finding in audit.columns.values() if finding.hipaa})
    if letters:
        lines.append(f"  HIPAA Safe Harbor identifiers: {', '.join(letters)}")
    return lines


def _names(names: list[str], number: int) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {number - _SHOWN} more" if number > _SHOWN else "")


def _people(audit: Findings) -> list[str]:
    sizes, risk = audit.alike.sizes, audit.alike.prosecutor
    lines = [
        f"People who look alike, by {listed(audit.quasi, 8)} ({audit.quasi_origin})",
        f"  k = {sizes.k}; {sizes.classes:,} classes; {percent(audit.unique_share)} of people are alone; "
        f"{percent(sizes.rows_below(5) / max(1, audit.people))} in classes below 5",
        f"  risk: highest {percent(risk.highest)}, mean {percent(risk.mean)}"
        + (
            f"; against {audit.in_population.name}: k-map {audit.in_population.k}, mean "
            f"{percent(audit.in_population.risk.mean)}"
            if audit.in_population
            else ""
        ),
    ]
    for name, found in audit.diversity.items():
        lines.append(
            f"  {name}: l = {found.distinct_l} distinct, {found.entropy_l:.2f} entropy; t = {found.t_equal:.2f}; "
            f"{percent(found.single_valued_rows / max(1, audit.people))} of people have it given away by their class"
        )
    lines += _missing(audit)
    shares = [
        f"{percent(found.dankar.share)} if this is {percent(found.fraction)} of everybody"
        for found in audit.population
        if found.dankar.share is not None
    ]
    if shares:
        lines.append(f"  unique in the whole population (estimated): {'; '.join(shares)}")
    return lines


def _missing(audit: Findings) -> Iterator[str]:
    if len(audit.missing_effects) < 2:
        return
    told = ", ".join(
        f"{effect.semantics}: "
        + ("too large to match" if effect.uniques is None else f"k {effect.k}, {effect.uniques:,} alone")
        for effect in audit.missing_effects
    )
    yield f"  missing values count as {audit.missing}; {told}"


def _exposed(audit: Findings) -> list[str]:
    found = audit.singling_out
    lines = ["Most exposed"]
    for one in audit.suda.sets[:3]:
        least = " together, and by nothing less" if len(one.columns) > 1 else " alone"
        lines.append(f"  {one.rows:,} people are singled out by {listed(one.columns)}{least}")
    for target in sorted(found, key=lambda one: -one.share):
        known = [one for one in target.sets if not set(one.columns) & audit.secret]
        if known:
            lines.append(
                f"  {percent(known[0].unique_share or 0)} of people are singled out by {listed(known[0].columns)}"
            )
            break
    if not audit.suda.exact:
        lines.append(f"  (sets of more than {audit.suda.searched} columns were not searched)")
    return lines if len(lines) > 1 else []


def _attack(audit: Findings) -> list[str]:
    lines = ["An attacker"]
    curve = audit.unicity
    if curve:
        told = ", ".join(f"{point.attributes}: {percent(point.share)}" for point in curve)
        lines.append(f"  who knows any 1 … {curve[-1].attributes} attributes singles out  {told}")
    if audit.linkage is not None:
        lines += linkage_lines(audit.linkage)
    caps = audit.contributions
    if caps is not None:
        lines.append(
            f"  (rows per {caps.unit}: half have at most {caps.rows.quantiles[0][1]}, the most is {caps.rows.highest}; "
            f"a cap of {caps.rows.suggested} keeps {percent(caps.rows.kept)}; read off the data)"
        )
    return lines


def linkage_lines(linkage: Linkage) -> list[str]:
    """How the attempts to link went."""
    by = listed([mine for mine, _ in linkage.columns])
    lines = [f"  with {linkage.auxiliary} ({linkage.records:,} records), linking by {by}:"]
    for attempt in linkage.attempts:
        line = f"    {attempt.method}: claims {attempt.claimed:,} people ({percent(attempt.share)})"
        if attempt.score is not None and attempt.score.precision is not None:
            line += f", {percent(attempt.score.precision)} of them rightly"
            if attempt.score.recall is not None:
                line += f"; finds {percent(attempt.score.recall)} of those in both"
        lines.append(line)
    if linkage.direct:
        lines.append(f"    both tables hold {listed(linkage.direct)}: until that goes, no attack is needed")
    return lines


def _advice(audit: Findings) -> list[str]:
    lines = ["What to do, in order"]
    for number, step in enumerate(audit.advice, start=1):
        lines.append(f"  {number}. {step.step}")
        if step.command:
            lines.append(f"     $ {step.command}")
    return lines if len(lines) > 1 else []
