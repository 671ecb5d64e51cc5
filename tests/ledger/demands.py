"""Demands for approval as a data set's owner enters them, and plans that people approve; for tests of the book alone."""

import json

from tests.evidence.keys import FORGER, NEXT, OWNER, SINCE

from privet.artifact import IN_MEMORY
from privet.evidence import KeyHistory, Signing, digest
from privet.ledger import (
    APPROVAL_DOMAIN,
    APPROVERS,
    DEMAND_DOMAIN,
    GENESIS,
    KEYS,
    Ledger,
    approval_record,
    demand_follows,
)


def person(signer):
    return Signing(signer, KeyHistory.first(signer, SINCE))


DATA_SET, ADA, MALLORY = person(OWNER), person(NEXT), person(FORGER)
PLAN = "5a" * 32


def enter_keys(ledger, keys=DATA_SET.keys):
    record = keys.to_json()
    said = {"keys": " ".join(key.public for key in keys.keys), "record": json.dumps(record)}
    return ledger.anchor(KEYS, digest(record), why="a key", said=said)


def demand_record(ledger, needed, people=(ADA,), *, by=DATA_SET, follows=None):
    """A demand, signed."""
    record = {
        "schema": 1,
        "artifact": "approvers",
        "needed": needed,
        "keys": [one.signer.public for one in people],
    }
    usual = demand_follows(ledger.id.removeprefix(IN_MEMORY), ledger.last_demand)
    return by.following(**(usual if follows is None else follows)).signed(record, DEMAND_DOMAIN)


def enter_demand(ledger, record):
    said = {"record": json.dumps(record)}
    return ledger.anchor(APPROVERS, digest(record), why="who approves", said=said)


def demand(ledger, needed, people=(ADA,)):
    """What the data set's owner does."""
    if not ledger.anchors(KEYS):
        enter_keys(ledger)
    return enter_demand(ledger, demand_record(ledger, needed, people))


def head(ledger: Ledger) -> str:
    return list(ledger.history())[-1].hash


def approval(plan=PLAN, ledger=GENESIS, *, by=ADA):
    return by.following(plan=plan).signature(approval_record(plan, ledger), APPROVAL_DOMAIN)
