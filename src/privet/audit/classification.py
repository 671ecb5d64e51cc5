"""Which columns of a table name people, single them out, or tell what nobody should learn.

    findings = classify(pv.open_table("patients.csv"))
    findings["born"].role            # "quasi"

Values decide, so that a social security number is found in a column called `x7`; the name decides where values are
opaque; and what the owner says always wins. A finding carries no value of the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet.audit.columns import presidio as with_presidio
from privet.audit.columns.deciding import Decision, decide
from privet.audit.columns.evidence import Evidence
from privet.audit.columns.looking import Column
from privet.audit.columns.taxonomy import CATEGORIES, ROLES
from privet.engine.naming import did_you_mean
from privet.engine.profiling import profile
from privet.errors import BadDeclaration
from privet.source import Role, Table

__all__ = ["ColumnFinding", "Evidence", "classify"]


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """What one column can do to a person, and what speaks for it. For the owner; holds no value of the data.

    `hipaa` is a letter of 45 CFR 164.514(b)(2)(i), `special` whether Art. 9(1) GDPR lists the category. If `exact`
    is false, `distinct` is an estimate.
    """

    name: str
    role: str
    category: str
    evidence: tuple[Evidence, ...]
    confidence: float
    hipaa: str | None
    special: bool
    distinct: int
    missing_share: float
    kind: str
    exact: bool = True

    @property
    def stated(self) -> bool:
        """Whether the owner gave the role."""
        return any(one.source == "stated" for one in self.evidence)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "role": self.role,
            "category": self.category,
            "label": CATEGORIES[self.category].label,
            "confidence": round(self.confidence, 2),
            "evidence": [one.to_json() for one in self.evidence],
            "hipaa": self.hipaa,
            "special_category": self.special,
            "kind": self.kind,
            "distinct": self.distinct,
            "distinct_exact": self.exact,
            "missing_share": round(self.missing_share, 4),
        }


def classify(
    table: Table, *, roles: Mapping[str, Role | str] | None = None, presidio: bool = False
) -> dict[str, ColumnFinding]:
    """A finding for every column, in the table's order.

    Args:
        table: The table; its own stated roles count as `roles` do.
        roles: What the owner says: "direct", "quasi", "sensitive", "insensitive" or "free text". Always wins.
        presidio: Also look into texts with Presidio's pattern recognisers, offline (extra `privet[presidio]`).
    """
    stated = _stated(table, roles or {})
    analyser = with_presidio.analyser() if presidio else None
    profiles = profile(table.relation)
    findings = {}
    for name, one in profiles.items():
        column = Column.of(name, one)
        decision = decide(column)
        if analyser is not None:
            decision = with_presidio.deepened(decision, column, analyser)
        findings[name] = _finding(column, decision, stated.get(name))
    return findings


def _finding(column: Column, decision: Decision, stated: str | None) -> ColumnFinding:
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
