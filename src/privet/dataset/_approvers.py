"""Who approves plans, and which keys sign for the data set, as its ledger knows them.

Both stand in the ledger, signed by the data set's key, and not in the policy: whoever may edit the policy must not thereby do
without approval. The ledger itself refuses what is booked outside of an approved plan, and a demand, or the end of it, that the
data set's key did not sign; here it is made sure that the key it knows is the data set's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from privet.artifact import IN_MEMORY
from privet.errors import EvidenceBroken, NotApproved
from privet.evidence import KeyHistory, Signature, Signing, digest, read_json, unsigned
from privet.ledger import APPROVERS, DEMAND_DOMAIN, KEYS, Ledger, demand_follows


@dataclass(frozen=True, slots=True)
class Approvers:
    """How many of which people approve a plan before it is run."""

    needed: int
    keys: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {"schema": 1, "artifact": "approvers", "needed": self.needed, "keys": list(self.keys)}


def demand_approval(ledger: Ledger, signing: Signing, keys: Sequence[str], needed: int) -> Approvers:
    """Enter in the ledger who approves from now on; none needed ends it."""
    wanted = Approvers(needed, tuple(dict.fromkeys(keys)))
    own = {key.public for key in signing.keys.keys}
    if not 0 <= needed <= len(wanted.keys) or own & set(wanted.keys):
        raise NotApproved(
            f"{needed} of {len(wanted.keys)} people cannot approve, or the data set's own key is among them.",
            "Name as many public keys of other people as are needed.",
        )
    anchor_keys(ledger, signing.keys)
    follows = demand_follows(ledger.id.removeprefix(IN_MEMORY), ledger.last_demand)
    signed = signing.following(**follows).signed(wanted.to_json(), DEMAND_DOMAIN)
    text = json.dumps(signed, separators=(",", ":"))
    ledger.anchor(APPROVERS, digest(signed), why="who approves plans", said={"record": text})
    return wanted


def approvers_in(
    ledger: Ledger | None, keys: KeyHistory | None, *, before: int | None = None
) -> Approvers | None:
    """Who approves now, or did before an entry, as the ledger says it; what the data set's key did not sign is refused."""
    every = [] if ledger is None else ledger.anchors(APPROVERS)
    found = [one for one in every if before is None or one.entry < before]
    if not found:
        return None
    record = read_json(found[-1].said.get("record", ""), what="the entry of approvers", largest=50_000)
    signature = Signature.from_json(record.get("signature"))
    key = None if keys is None else keys.find(signature.key)
    bare = unsigned(record)
    if key is None or digest(record) != found[-1].digest or not signature.covers(record, DEMAND_DOMAIN):
        raise EvidenceBroken(
            "the ledger's entry of who approves is not signed by the data set's key.",
            "Find out who wrote it; `privet keys approvers` enters it anew.",
        )
    wanted = Approvers(int(bare["needed"]), tuple(bare["keys"]))
    return wanted if wanted.needed else None


def anchor_keys(ledger: Ledger, keys: KeyHistory | None) -> None:
    """Enter the data set's public keys, where the ledger does not have them yet; refused where it has others."""
    refuse_other_keys(ledger, keys)
    if keys is None:
        return
    there = ledger.anchors(KEYS)
    now = digest(keys.to_json())
    if not there or there[-1].digest != now:
        listed = " ".join(key.public for key in keys.keys)
        said = {"keys": listed, "record": json.dumps(keys.to_json(), separators=(",", ":"))}
        ledger.anchor(KEYS, now, why="the key that signs for the data set", said=said)


def refuse_other_keys(ledger: Ledger | None, keys: KeyHistory | None) -> None:
    """The data set's keys go on from those that its ledger knows: none was replaced, and none taken away."""
    if ledger is None:
        return
    known = ledger.signing_keys
    if not known:  # books of old say it in their anchors alone
        found = ledger.anchors(KEYS)
        if not found:
            return
        known = found[-1].said.get("keys", "").split(" ")
    own = [] if keys is None else [key.public for key in keys.keys]
    if own[: len(known)] != known:
        raise EvidenceBroken(
            "the data set's signing keys are gone."
            if not own
            else "the data set's signing key was replaced.",
            "The ledger names others. Put privet.signing back from your backup; nothing was read or spent.",
        )


def refuse_forged_demand(ledger: Ledger, keys: KeyHistory | None) -> None:
    """Where approval was ever demanded, the last word on it is signed by a key of the data set that the ledger knows.

    And where the ledger knows keys, the data set's are those: one that was renewed, and put back, signs nothing more.
    """
    if ledger.approvals_needed is not None or ledger.signing_keys:
        refuse_other_keys(ledger, keys)
    if ledger.approvals_needed is not None:
        approvers_in(ledger, keys)
