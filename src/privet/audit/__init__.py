"""What a table would give away, for the eyes of its owner only."""

from privet.audit.auditing import audit
from privet.audit.classification import ColumnFinding, Proposal, classify, propose
from privet.audit.person_key import PersonKey, PersonKeys
from privet.audit.privacy_unit import WhoseRows, whose_rows
from privet.audit.publishing import PublicAudit
from privet.audit.result import Audit

__all__ = [
    "Audit",
    "ColumnFinding",
    "PersonKey",
    "PersonKeys",
    "Proposal",
    "PublicAudit",
    "WhoseRows",
    "audit",
    "classify",
    "propose",
    "whose_rows",
]
