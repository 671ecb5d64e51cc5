"""What a purpose leaves open, and to whom its outputs may go: asked by every door before rows are given out for it."""

from __future__ import annotations

import datetime

from privet.dataset._declaration import Declaration, Purpose
from privet.dataset._legal_basis import EXAMPLE, claims_none, special_gap

# What `privet init` leaves for people to say; it is never taken for an answer.
OPEN = "TO BE STATED"


def purpose_gaps(declaration: Declaration, name: str, today: datetime.date) -> list[tuple[str, str]]:
    """What nobody has said of a purpose, or has to say again: the field, and the sentence. Empty where nothing lacks.

    GDPR Art. 5(1)(b) asks for a specified purpose, Art. 6(1) for its legal basis, and Art. 9(2) for the ground on which
    special categories are used; a review that is overdue leaves open whether the purpose still stands.
    """
    purpose = declaration.purposes[name]
    found = [
        (part, "nobody has said this yet.")
        for part in ("use", "basis")
        if getattr(purpose, part).strip() in ("", OPEN)
    ]
    if OPEN in purpose.recipients:
        found.append(("recipients", "nobody has said this yet."))
    special = special_gap(declaration, name)
    if special is not None:
        found.append(("special_basis", f"{special}; write, for one, {EXAMPLE!r}, or leave them out."))
    if purpose.review is not None and purpose.review < today:
        found.append(
            (
                "review",
                f"the review was due on {purpose.review}: say when the next is, once somebody has looked whether the "
                "purpose still stands.",
            )
        )
    return found


def recipients_of(purpose: Purpose) -> tuple[str, ...]:
    """Whom outputs may go to: where no legal basis is claimed nothing is handed on, whatever the list says."""
    if claims_none(purpose.basis):
        return tuple(one for one in purpose.recipients if one == "internal")
    return tuple(purpose.recipients)
