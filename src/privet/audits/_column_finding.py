"""What one column is proposed to be, and what speaks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privet.audits.columns import CATEGORIES, UNKNOWN, Evidence


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """What one column can do to a person, and what speaks for it. For the owner; holds no value of the data.

    `role` is one of `ROLES`, or "unknown" where nothing was recognised and nobody has said. `hipaa` is a letter of
    45 CFR 164.514(b)(2)(i), `special` whether Art. 9(1) GDPR lists the category. If `exact` is false, `distinct` is an
    estimate.
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

    @property
    def unknown(self) -> bool:
        """Whether nobody has said what the column is, and nothing was recognised: it is to be withheld."""
        return self.role == UNKNOWN

    @property
    def article(self) -> int | None:
        """The article of the GDPR that protects the category specially: 9, 10 or None."""
        return CATEGORIES[self.category].article

    @property
    def reveals(self) -> str | None:
        """What the column may tell without saying so, such as ethnic origin."""
        return CATEGORIES[self.category].reveals

    @property
    def reason(self) -> str:
        """Why this role is proposed, in a sentence without a value."""
        return "; ".join(dict.fromkeys(one.says for one in self.evidence[:2]))

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "role": self.role,
            "category": self.category,
            "label": CATEGORIES[self.category].label,
            "reason": self.reason,
            "confidence": round(self.confidence, 2),
            "confirmed": self.stated,
            "evidence": [one.to_json() for one in self.evidence],
            "hipaa": self.hipaa,
            "special_category": self.special,
            "gdpr_article": self.article,
            "may_reveal": self.reveals,
            "kind": self.kind,
            "distinct": self.distinct,
            "distinct_exact": self.exact,
            "missing_share": round(self.missing_share, 4),
        }
