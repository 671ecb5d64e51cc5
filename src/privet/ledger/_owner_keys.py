"""The public keys that sign for the data set, as a book knows them: each further one is handed over to by the one before.

The first is believed, since there is nobody who could vouch for it. From then on the list only grows, and by signatures: who
holds the book and not the key enters none of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privet.errors import EvidenceBroken, PrivetError
from privet.evidence import KeyHistory, digest, read_json

SIGNERS = "signing keys"  # the name of the running state, beside those of budgets
_LARGEST = 100_000


def known(state: Mapping[str, Any] | None) -> list[str]:
    """The keys in a running state, oldest first; none where there is no state."""
    return [] if state is None else list(state["keys"])


def listed(said: Mapping[str, str]) -> list[str]:
    """The keys that an anchor of them names."""
    return [one for one in said.get("keys", "").split(" ") if one]


def state_after(entered: str, said: Mapping[str, str], before: list[str]) -> dict[str, Any]:
    """The running state that an anchor of keys leaves behind; refuses a list that does not go on from the one before."""
    broken = EvidenceBroken(
        "the keys that sign for a data set are entered as their history says, and go on from those that the ledger knows.",
        "`privet keys renew` enters a new one. Nothing was entered.",
    )
    try:
        record = read_json(said.get("record", ""), what="the list of keys", largest=_LARGEST)
        history = KeyHistory.from_json(record)
    except (PrivetError, ValueError):
        raise broken from None
    found = [key.public for key in history.keys]
    if digest(record) != entered or listed(said) != found or found[: len(before)] != before:
        raise broken
    return {"keys": found}
