"""After booking, a failure of the engine is the owner's business alone: the asker gets a noised nothing.

Every path that computes what it has booked takes its exact answers from here. Where the engine failed they are those
of a table without rows: they get the planned noise, are remembered and shown like any other, and the ledger's
owner-only log says what happened.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from privet.artifact import Receipt
from privet.engine import SealedGroups
from privet.ledger import Ledger

_LONGEST = 200


def computed(compute: Callable[[], SealedGroups], ledger: Ledger, receipt: Receipt) -> SealedGroups:
    """The exact answers that this receipt paid for; raises nothing that could depend on a row."""
    groups = compute()
    if groups.failure is not None:
        said = "".join(letter if letter.isprintable() else "?" for letter in groups.failure.said)
        # Should the log be out of reach, an error about it would tell the asker what the log was to keep from them.
        with contextlib.suppress(Exception):
            ledger.incident(receipt, groups.failure.code, said[:_LONGEST])
    return groups
