"""What a table would give away, for the eyes of its owner only.

One calls: `audit`, which gives an `Audit`.
Never: shows a value of the table, or flows into a release by itself.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.audits._audit import STAGES as STAGES
    from privet.audits._audit import audit as audit
    from privet.audits._audit_result import Audit as Audit
    from privet.audits._audit_summary import verdict as verdict
    from privet.audits._column_classification import Proposal as Proposal
    from privet.audits._column_classification import classify as classify
    from privet.audits._column_classification import propose as propose
    from privet.audits._column_finding import ColumnFinding as ColumnFinding
    from privet.audits._person_key import PersonKey as PersonKey
    from privet.audits._person_key import PersonKeys as PersonKeys
    from privet.audits._phrases import listed as listed
    from privet.audits._phrases import percent as percent
    from privet.audits._privacy_unit import WhoseRows as WhoseRows
    from privet.audits._privacy_unit import whose_rows as whose_rows
    from privet.audits._public_audit import PublicAudit as PublicAudit
    from privet.audits._safe_harbor_findings import identifiers_in as identifiers_in
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
