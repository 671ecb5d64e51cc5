"""That a second person stands for what is booked: while approval is demanded, a ledger books for approved plans alone.

The demand is an anchor like others, and its entry leaves a running state behind, which every booking reads in its own
transaction. So the rule is written once and holds through every door: a program, the command line, a notebook, a policy.
Whoever holds the ledger cannot talk it out of it: the demand, and its end, are signed by the data set's key that the book
knows (`privet.ledger._owner_keys`), for this book and after the demand before, so that none is said a second time; and a
plan is carried out (`Ledger.carry_out`) with the signatures of the people whom the demand names, which are entered with it.
All of it is checked again when the book is verified.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from privet.errors import BadBooking, EvidenceBroken, NotApproved, PrivetError
from privet.evidence import Signature, digest, read_json
from privet.ledger import _owner_keys as owner
from privet.ledger._anchors import APPROVERS, JOURNAL, KEYS, PLAN
from privet.ledger._entry_journal import EntryJournal
from privet.ledger._hash_chain import GENESIS, Entry

APPROVAL = "approval"  # the name of the running state, beside those of budgets
DEMAND_DOMAIN, APPROVAL_DOMAIN = "privet/approvers", "privet/plan-approval"
_LARGEST = 50_000
_DIGEST = re.compile(r"[0-9a-f]{64}")
State = dict[str, Any]


# --- the demand --------------------------------------------------------------------------------


def states_after(
    content: Mapping[str, Any], ledger: str, demand: State | None, keys: State | None
) -> dict[str, State]:
    """The running states that an anchor leaves behind; refuses one that is not the word of whom it needs."""
    what, said = content["what"], content["said"]
    if what == KEYS:
        return {owner.SIGNERS: owner.state_after(content["digest"], said, owner.known(keys))}
    if what == APPROVERS:
        return {APPROVAL: _demanded(content, ledger, demand, owner.known(keys))}
    if what == PLAN:
        return {APPROVAL: _with_plan(content, demand)}
    if what == JOURNAL and demand and demand.get("plan") and demand["plan"] == said.get("plan"):
        return {APPROVAL: {**demand, "plan": ""}}  # its run has ended
    return {}


def demand_follows(ledger: str, last: str) -> dict[str, str]:
    """What a demand is signed to follow from: the book it is for, and the demand that it replaces."""
    return {"ledger": ledger, "before": last}


def _demanded(content: Mapping[str, Any], ledger: str, before: State | None, known: list[str]) -> State:
    broken = EvidenceBroken(
        "who approves plans, or that nobody need do so, is said by the data set's key: for this ledger, and once.",
        "`privet keys approvers` enters it. Nothing was entered.",
    )
    try:
        record = read_json(content["said"].get("record", ""), what="the demand", largest=_LARGEST)
        needed, people = record["needed"], list(record["keys"])
        signature = Signature.from_json(record["signature"])
    except (PrivetError, ValueError, KeyError, TypeError, AttributeError):
        raise broken from None
    plain = type(needed) is int and 0 <= needed <= len(people) and len(set(people)) == len(people)
    if not plain or any(not isinstance(one, str) or not _DIGEST.fullmatch(one) for one in people):
        raise broken
    follows = demand_follows(ledger, last_demand(before)).items() <= signature.follows.items()
    # The newest key alone: one that was renewed may be in other hands by now, whatever time it writes into its signature.
    if not known or signature.key != known[-1] or set(known) & set(people) or not follows:
        raise broken
    if digest(record) != content["digest"] or not signature.covers(record, DEMAND_DOMAIN):
        raise broken
    return {"needed": needed, "people": people, "record": content["digest"], "plan": ""}


def last_demand(state: State | None) -> str:
    """The digest of the last demand, which the next one names; zeros where there is none."""
    return GENESIS if state is None else str(state.get("record", GENESIS))


def people_needed(journal: EntryJournal) -> int | None:
    """How many approve a plan now; None where nobody ever demanded it."""
    state = journal.state(APPROVAL)
    return None if state is None else int(state["needed"])


# --- a plan that is carried out ----------------------------------------------------------------


def plan_digest(plan: str) -> str:
    """The digest by which a plan is known."""
    if not _DIGEST.fullmatch(plan):
        raise BadBooking("a plan is known by its digest.", "Give SHA-256 as 64 hexadecimal digits.")
    return plan


def approval_record(plan: str, ledger: str) -> dict[str, Any]:
    """What somebody who approves a plan signs: the plan's digest, and the head of the ledger that it was made for."""
    return {"schema": 1, "artifact": "plan-approval", "plan": plan, "ledger": ledger}


def who_approved(plan: str, ledger: str, approvals: Iterable[Signature], people: Iterable[str]) -> set[str]:
    """Those of the people whose signature of this very plan is among these."""
    record, asked = approval_record(plan, ledger), set(people)
    return {
        one.key
        for one in approvals
        if one.key in asked and one.follows == {"plan": plan} and one.covers(record, APPROVAL_DOMAIN)
    }


def plan_anchor(ledger: str, approvals: Iterable[Signature]) -> dict[str, str]:
    """What the anchor of a plan says: the head it was made for, and who signed it."""
    text = json.dumps([one.to_json() for one in approvals], separators=(",", ":"))
    return {"ledger": plan_digest(ledger), "approvals": text}


def _with_plan(content: Mapping[str, Any], demand: State | None) -> State:
    plan, said = content["digest"], content["said"]
    if not demand or "people" not in demand or not demand["needed"]:
        raise NotApproved(
            "nobody says yet, in a way that can be checked, who approves plans.",
            "`privet keys approvers` enters it.",
        )
    try:
        listed = read_json(said.get("approvals", ""), what="the approvals", largest=_LARGEST)
        given = who_approved(plan, said["ledger"], map(Signature.from_json, listed), demand["people"])
    except (PrivetError, ValueError, KeyError, TypeError, AttributeError):
        given = set()
    if len(given) < demand["needed"]:
        raise NotApproved(
            f"the plan has {len(given)} of {demand['needed']} approvals by people whom the data set's owner named.",
            "Let one of them approve it: privet approve plan.json --key FILE. Nothing was booked.",
        )
    return {**demand, "plan": plan}


def refuse_spent_plan(history: Iterable[Entry], plan: str, ledger: str) -> None:
    """A plan is carried out once, and in the book that it was made for: an approval is none for ever, nor for another."""
    here = False
    for entry in history:
        here = here or entry.hash == ledger
        if entry.body.get("what") == JOURNAL and entry.body["said"].get("plan") == plan:
            raise NotApproved(
                "this plan was carried out before, and its approval was for that.",
                "Make a new one with `privet plan`, and let it be approved.",
            )
    if not here:
        raise NotApproved(
            "this plan was made for another ledger, or for another state of it.",
            "Make a new one with `privet plan`, and let it be approved.",
        )


def refuse_unplanned(journal: EntryJournal, plan: str | None) -> None:
    """Refuse a booking outside of the approved plan that is being carried out, while approval is demanded."""
    state = journal.state(APPROVAL)
    if state is not None and state["needed"] and (plan is None or state.get("plan") != plan):
        raise NotApproved(
            "what is booked for this data set is approved by a second person first, as part of a plan.",
            "Write it as a step into privet.yaml; then `privet plan`, let somebody approve it (`privet approve plan.json --key "
            "FILE`), and `privet run plan.json`. Nothing was read or spent.",
        )
