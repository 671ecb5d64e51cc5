"""The audit in words, for a terminal."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from privet.audits._person_key import ASK
from privet.audits._phrases import listed, percent

if TYPE_CHECKING:
    from privet.audits._column_finding import ColumnFinding
    from privet.audits._findings import Findings
    from privet.audits.linkage_risk import Linkage

ROLES = ("unknown", "direct", "quasi", "sensitive", "free text", "insensitive")
_SHOWN = 12
_EACH = 40  # columns up to which every one has a line of its own
_KEYS_SHOWN = 4
_KEYS = {"proposed": "proposed:", "ask": "perhaps:", "weak": "perhaps:"}


def summary(audit: Findings) -> str:
    """The whole audit on about one screen. No value of the data is in it."""
    parts = [
        _head(audit),
        _review(audit),
        _columns(audit),
        _people(audit),
        _several(audit),
        _exposed(audit),
        _attack(audit),
        _advice(audit),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def verdict(audit: Findings) -> str:
    """One sentence: how many people could be found."""
    unit = audit.unit
    if audit.linkage is not None and audit.linkage.attempts:
        found = max(audit.linkage.attempts, key=lambda attempt: attempt.claimed)
        return (
            f"{percent(found.share)} of {unit.many} ({found.claimed:,} of {audit.people:,}) can be found by linking with "
            f"{audit.linkage.auxiliary}."
        )
    share = audit.unique_share
    if audit.alike.sizes.uniques == 0:
        return (
            f"No {unit.one} is alone: each looks like at least {audit.alike.sizes.k - 1} other(s) by "
            f"{listed(audit.quasi)}."
        )
    return (
        f"{percent(share)} of {unit.many} ({audit.alike.sizes.uniques:,} of {audit.people:,}) are alone with their "
        f"{listed(audit.quasi)}."
    )


def _head(audit: Findings) -> list[str]:
    rows = f"{audit.rows:,} row{'s' * (audit.rows != 1)}"
    units = "" if audit.unit.kind == "row" else f", {audit.unit.number(audit.people)}"
    return [f"{audit.table}: {rows}{units} ({audit.unit.why})", verdict(audit)]


def _review(audit: Findings) -> list[str]:
    """What only a person can say: columns that nobody knows first, then whose rows they are."""
    lines = ["To be said by somebody who knows the data"]
    if audit.unknown:
        names = _names(list(audit.unknown), len(audit.unknown))
        lines.append(f"  what these columns are, which is unknown: {names}")
    if audit.unit.origin != "stated":
        lines.append("  whose rows they are: --unit COLUMN, or --unit row if each is another person's")
        shown = [key for key in audit.person_keys.candidates if key.score >= ASK or key.one_row_each]
        lines += [
            f"    {_KEYS[key.confidence]} --unit {shlex.quote(key.option)}, a {key.kind}. {key.sentence()}"
            for key in shown[:_KEYS_SHOWN]
        ]
        if audit.person_keys.unkeyed is not None:
            lines.append(f"    {audit.person_keys.unkeyed}")
        if shown and audit.person_keys.sampled is not None:
            lines.append(f"    ({audit.person_keys.sampled})")
    return lines if len(lines) > 1 else []


def _columns(audit: Findings) -> list[str]:
    lines = ["Columns, as proposed"]
    roles = Counter(finding.role for finding in audit.columns.values())
    each = len(audit.columns) <= _EACH
    for role in ROLES:
        found = {name: finding for name, finding in audit.columns.items() if finding.role == role}
        if found and each:
            lines += [_column(name, finding) for name, finding in found.items()]
        elif found:
            lines.append(f"  {role:<12}{_names(list(found), roles[role])}")
    special = [name for name, finding in audit.columns.items() if finding.special]
    if special:
        lines.append(f"  special categories (GDPR Art. 9): {_names(special, len(special))}")
    criminal = [name for name, finding in audit.columns.items() if finding.article == 10]
    if criminal:
        lines.append(f"  criminal convictions (GDPR Art. 10): {_names(criminal, len(criminal))}")
    letters = sorted({finding.hipaa for finding in audit.columns.values() if finding.hipaa})
    if letters:
        lines.append(f"  HIPAA Safe Harbor identifiers: {', '.join(letters)}")
    return lines


def _column(name: str, finding: ColumnFinding) -> str:
    sure = (
        "stated"
        if finding.stated
        else ""
        if finding.unknown
        else f"{finding.confidence:.0%}".replace("%", " %")
    )
    reveals = f"; may reveal {finding.reveals}" if finding.reveals and finding.role != "direct" else ""
    reason = "" if finding.stated else finding.reason
    return f"  {finding.role:<12}{name:<18} {sure:>6}  {reason}{reveals}".rstrip()


def _names(names: list[str], number: int) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {number - _SHOWN} more" if number > _SHOWN else "")


def _people(audit: Findings) -> list[str]:
    sizes, risk = audit.alike.sizes, audit.alike.prosecutor
    many = audit.unit.many
    lines = [
        f"{many.capitalize()} that look alike, by {listed(audit.quasi, 8)} ({audit.quasi_origin})",
        f"  k = {sizes.k}; {sizes.classes:,} classes; {percent(audit.unique_share)} of {many} are alone; "
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
            f"{percent(found.single_valued_rows / max(1, audit.people))} of {many} have it given away by their class"
        )
    if audit.varying:
        lines.append(
            f"  ({listed(audit.varying)} differ{'s' * (len(audit.varying) == 1)} between the rows of one {audit.unit.one}: one row speaks for each)"
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


def _several(audit: Findings) -> list[str]:
    """What k and l mean where a unit has several rows: it depends on what the attacker knows."""
    found = audit.several
    if found is None:
        return []
    many = audit.unit.many
    lines = [f"Several rows for each {audit.unit.one} (by rows alone, k would be {found.row_k})"]
    for attacker in found.attackers:
        share = percent(attacker.alone / max(1, found.units))
        lines.append(f"  an attacker who knows {attacker.knows}: k = {attacker.k} {many}; {share} are alone")
        lines += [
            f"    {name}: l = {learned.distinct_l} and t = {learned.t_equal:.2f}, counted in {many}; "
            f"{percent(learned.certain_people / max(1, found.units))} have a value that all of their class have"
            for name, learned in attacker.diversity.items()
        ]
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
        lines.append(
            f"  {audit.unit.number(one.rows)} {'is' if one.rows == 1 else 'are'} singled out by {listed(one.columns)}{least}"
        )
    for target in sorted(found, key=lambda one: -one.share):
        known = [one for one in target.sets if not set(one.columns) & audit.secret]
        if known:
            lines.append(
                f"  {percent(known[0].unique_share or 0)} of {audit.unit.many} are singled out by {listed(known[0].columns)}"
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
        lines += linkage_lines(audit.linkage, audit.unit.many)
    caps = audit.contributions
    if caps is not None:
        lines.append(
            f"  (rows per {caps.unit}: half have at most {caps.rows.quantiles[0][1]}, the most is {caps.rows.highest}; "
            f"a cap of {caps.rows.suggested} keeps {percent(caps.rows.kept)}; read off the data)"
        )
    return lines


def linkage_lines(linkage: Linkage, many: str = "people") -> list[str]:
    """How the attempts to link went."""
    by = listed([mine for mine, _ in linkage.columns])
    lines = [f"  with {linkage.auxiliary} ({linkage.records:,} records), linking by {by}:"]
    for attempt in linkage.attempts:
        line = f"    {attempt.method}: claims {attempt.claimed:,} {many} ({percent(attempt.share)})"
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
