"""Who stands for a plan: the data set's key, and the people whom its owner named. Checked before anything is read.

Who approves stands in the ledger (`privet.dataset._approvers`), which books for approved plans alone.
"""

from __future__ import annotations

from dataclasses import replace

from privet.dataset import Approvers
from privet.errors import NotApproved
from privet.evidence import KeyHistory, Signing, short
from privet.ledger import who_approved
from privet.pipeline._run_plan import PLAN_DOMAIN, RunPlan, altered


def refuse_unapproved(plan: RunPlan | None, wanted: Approvers | None) -> None:
    """A plan has as many approvals by different people as are demanded."""
    if wanted is None:
        return
    people = f"{', '.join(short(key) for key in wanted.keys)}"
    if plan is None:
        raise NotApproved(
            "plans are approved by a second person here before they are run, and there is no plan.",
            f"Make one with `privet plan`; one of {people} approves it: privet approve plan.json --key FILE.",
        )
    given = who_approved(plan.digest, plan.ledger, plan.approvals, wanted.keys)
    if len(given) < wanted.needed:
        raise NotApproved(
            f"the plan has {len(given)} of {wanted.needed} approvals by people whom the data set's owner named.",
            f"Let one of {people} approve it: privet approve plan.json --key FILE. Nothing was read or spent.",
        )


def refuse_unsigned(plan: RunPlan, keys: KeyHistory | None) -> None:
    """The plan of a data set with a key is as that key signed it; of one without, nobody signed it."""
    if keys is None:
        if plan.signature is not None:
            raise altered(
                "the plan", "It is signed, and the data set has no key: use the project that it was made in."
            )
        return
    found = plan.signature
    key = None if found is None else keys.find(found.key)
    if found is None or key is None or not key.signs_at(found.at):
        raise altered(
            "the plan", "It lacks a valid signature of the data set. Make a new one with `privet plan`."
        )
    if found.follows != {"policy": plan.policy} or not found.covers(plan.to_json(), PLAN_DOMAIN):
        raise altered("the plan")


def signed_plan(plan: RunPlan, signing: Signing | None) -> RunPlan:
    """The plan with the data set's signature, where it has a key."""
    return replace(plan, signature=None).signed_by(signing)
