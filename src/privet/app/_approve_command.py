"""`privet approve`: a second person's signature on a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privet.app._plan_command import words
from privet.app._terminal import JsonOption, emit


def command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan that `privet plan` wrote.")],
    *,
    key: Annotated[
        Path, typer.Option("--key", help="Your own key, as `privet keys own` made it; not the data set's.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Look at a plan and sign it with a key of your own. The approval holds for this very plan and for no other."""
    from privet.dataset import signer_in
    from privet.evidence import KeyHistory, Signing, now
    from privet.pipeline import RunPlan

    found = RunPlan.load(plan)
    signer = signer_in(key)
    approved = found.approved_by(Signing(signer, KeyHistory.first(signer, now())))
    approved.save(plan)
    data = {"plan": approved.digest, "approvals": [one.key for one in approved.approvals], "file": str(plan)}
    said = f"{words(found)}\n\napproved by {signer.public}\nnext: privet run {plan}"
    emit(data, said, plain=signer.public, as_json=as_json)
