"""What a table would give away, for the eyes of its owner only."""

from privet.audit.auditing import audit
from privet.audit.classification import ColumnFinding, classify
from privet.audit.publishing import PublicAudit
from privet.audit.result import Audit

__all__ = ["Audit", "ColumnFinding", "PublicAudit", "audit", "classify"]
