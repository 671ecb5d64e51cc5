"""What columns are called in many languages: the roles of a whole table."""

import pytest
from tests.audits.headings import HEADINGS, ROLES, patients

import privet as pv
from privet.audits import propose

WITHHELD = ("direct", "free text", "unknown")
# Patient number, name, postal code and telephone: what must never be called harmless.
NUMBER, NAME, POSTAL, PHONE = 0, 1, 4, 5


@pytest.mark.parametrize("language", HEADINGS)
def test_nine_of_ten_roles_are_right(language: str) -> None:
    for variant in range(len(HEADINGS[language])):
        proposal = propose(pv.open_table(patients(language, variant)))
        roles = [finding.role for finding in proposal.columns.values()]
        right = sum(role == wanted for role, wanted in zip(roles, ROLES, strict=True))
        assert right >= 9, (language, variant, dict(zip(proposal.columns, roles, strict=True)))
        assert "insensitive" not in roles
        assert {roles[at] for at in (NUMBER, NAME, PHONE)} <= set(WITHHELD)
        assert roles[POSTAL] in ("quasi", "unknown")
        assert proposal.keys.proposed is not None
        assert proposal.keys.proposed.columns == (list(proposal.columns)[NUMBER],)
