"""Which columns of a table name people, single them out, or tell what nobody should learn.

    findings = classify(pv.open_table("patients.csv"))
    findings["born"].role            # "quasi"

Values decide, so that a social security number is found in a column called `x7`; the name decides where values are
opaque; and what the owner says always wins. A finding is a proposal, with its reason and confidence: somebody who knows
the data confirms it. Where nothing was recognised the role is "unknown", which is never the same as harmless. A finding
carries no value of the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from privet.audits._column_finding import ColumnFinding
from privet.audits._person_key import PersonKey, PersonKeys, person_keys
from privet.audits.columns import CATEGORIES, ROLES, Decision, Evidence, SampledColumn, decide
from privet.audits.columns import presidio_text as with_presidio
from privet.engine import Profile, did_you_mean, profile
from privet.errors import BadDeclaration
from privet.source import Role, Table

__all__ = ["ColumnFinding", "Evidence", "Proposal", "classify", "propose"]


@dataclass(frozen=True)
class Proposal:
    """What the data say about a table before anybody has: each column's role, and who may own the rows.

    For the owner; holds no value of the data. Nothing in it is confirmed: `unknown` columns are to be withheld, and the
    unit is to be stated by a person.
    """

    columns: dict[str, ColumnFinding]
    keys: PersonKeys

    @property
    def unknown(self) -> tuple[str, ...]:
        """Columns of which nothing is known: the first to be looked at."""
        return tuple(name for name, finding in self.columns.items() if finding.unknown)

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """Columns whose role nobody has stated."""
        return tuple(name for name, finding in self.columns.items() if not finding.stated)

    def to_json(self) -> dict[str, Any]:
        """As plain data; unknown columns first, for somebody to look at."""
        return {
            "unknown": list(self.unknown),
            "columns": {name: finding.to_json() for name, finding in self.columns.items()},
            "person_keys": self.keys.to_json(),
        }


def propose(
    table: Table, *, roles: Mapping[str, Role | str] | None = None, presidio: bool = False
) -> Proposal:
    """A role for every column with its reason and confidence, and the columns that may say whose rows they are.

    Args:
        table: The table; its own stated roles count as `roles` do.
        roles: What the owner says: "direct", "quasi", "sensitive", "insensitive" or "free text". Always wins.
        presidio: Also look into texts with Presidio's pattern recognisers, offline (extra `privet[presidio]`).
    """
    stated = _stated(table, roles or {})
    profiles = profile(table.relation)
    findings = _findings(profiles, stated, presidio=presidio)
    keys = person_keys(table, findings, profiles)
    for key in keys.repeated:
        finding = findings[key.columns[-1]]
        sure = finding.unknown or key.confidence == "proposed"
        if key.kind != "group" and sure and finding.role != "direct" and not finding.stated:
            findings[finding.name] = _by_key(finding, key)
    return Proposal(findings, keys)


def classify(
    table: Table, *, roles: Mapping[str, Role | str] | None = None, presidio: bool = False
) -> dict[str, ColumnFinding]:
    """A finding for every column, in the table's order: the columns of `propose`."""
    return propose(table, roles=roles, presidio=presidio).columns


def _findings(
    profiles: Mapping[str, Profile], stated: Mapping[str, str], *, presidio: bool
) -> dict[str, ColumnFinding]:
    analyser = with_presidio.analyser() if presidio else None
    findings = {}
    for name, one in profiles.items():
        column = SampledColumn.of(name, one)
        decision = decide(column)
        if analyser is not None:
            decision = with_presidio.deepened(decision, column, analyser)
        findings[name] = _finding(column, decision, stated.get(name))
    return findings


def _by_key(finding: ColumnFinding, key: PersonKey) -> ColumnFinding:
    """A column that the data show to say whose rows they are, though neither its name nor its values do."""
    category = CATEGORIES["user.unique_id"]
    beside = "".join(f", together with {name!r}" for name in key.columns[:-1])
    says = f"repeats as the number of a {key.kind} does{beside}"  # counts stay with the key: policies repeat this
    return replace(
        finding,
        role=category.role,
        category=category.key,
        evidence=(Evidence("key", says, category.key), *finding.evidence),
        confidence=0.9 if key.confidence == "proposed" else 0.6,
        hipaa=category.hipaa,
        special=category.special,
    )


def _finding(column: SampledColumn, decision: Decision, stated: str | None) -> ColumnFinding:
    category = CATEGORIES[decision.category]
    evidence, confidence, role = decision.evidence, decision.confidence, category.role
    if stated is not None:
        said = Evidence("stated", f"its owner says {stated}", decision.category)
        evidence, confidence, role = (said, *evidence), 1.0, stated
    facts = column.profile
    return ColumnFinding(
        name=column.name,
        role=role,
        category=category.key,
        evidence=evidence,
        confidence=confidence,
        hipaa=category.hipaa,
        special=category.special,
        distinct=facts.distinct,
        missing_share=facts.missing / facts.rows if facts.rows else 0.0,
        kind=facts.kind.value,
        exact=facts.exact,
    )


def _stated(table: Table, roles: Mapping[str, Role | str]) -> dict[str, str]:
    known = table.columns
    found = {name: role.value for name, role in table.roles.items()}
    faults = []
    for name, role in roles.items():
        word = role.value if isinstance(role, Role) else role
        if name not in known:
            faults.append(f"roles: there is no column {name!r}. {did_you_mean(str(name), known)}")
        if word not in ROLES:
            faults.append(f"roles: {name!r} is given an unknown role. Use {', '.join(ROLES)}.")
        else:
            found[name] = word
    if faults:
        raise BadDeclaration(" ".join(faults), "Correct the roles; nothing was read.", faults=faults)
    return found
