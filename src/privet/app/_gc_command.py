"""`privet gc`: outputs and vaults whose last day has passed."""

from __future__ import annotations

from typing import Annotated

import typer

from privet.app import _terminal as terminal
from privet.app._policy_amounts import DEFAULT, PolicyOption


def command(
    *,
    policy: PolicyOption = DEFAULT,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be removed; remove nothing.")
    ] = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """Remove outputs and vaults of pseudonyms whose last day has passed.

    What was handed on has to be removed by those who have it, and copies of a vault by those who keep them.
    """
    from privet.artifact import inside
    from privet.pipeline import OUT, expired, kept, read_policy, refuse_foreign, remove_expired

    out = inside(policy.resolve().parent, OUT)
    terms = read_policy(policy)[0]
    if dry_run:
        refuse_foreign(out, found := expired(out, terms), terms)
    else:
        found = remove_expired(out, terms)
    stay = [one for one in kept(out, terms) if one not in found]
    done = "would be removed" if dry_run else "removed"
    lines = [f"{one.path} ({one.kind} for {one.recipient!r}) ended on {one.expires}: {done}" for one in found]
    lines += [f"{one.path} ({one.kind} for {one.recipient!r}) stays until {one.expires}" for one in stay]
    record = {
        "dry_run": dry_run,
        "expired": [one.to_json() for one in found],
        "kept": [one.to_json() for one in stay],
    }
    words = "\n".join(lines if found else ["nothing has ended", *lines])
    terminal.emit(record, words, plain=str(len(found)), as_json=as_json)
