"""`privet gc`: outputs whose purpose has ended."""

from __future__ import annotations

from typing import Annotated

import typer

from privet.app import output
from privet.app.policies import DEFAULT, PolicyOption


def command(
    *,
    policy: PolicyOption = DEFAULT,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be removed; remove nothing.")
    ] = False,
    as_json: output.JsonOption = False,
) -> None:
    """Remove outputs whose purpose has ended; what was handed on has to be removed by those who have it."""
    from privet.pipeline.keeping import expired, remove_expired
    from privet.pipeline.planning import OUT

    out = policy.resolve().parent / OUT
    found = expired(out) if dry_run else remove_expired(out)
    done = "would be removed" if dry_run else "removed"
    lines = [f"{one.path} ({one.kind} for {one.recipient!r}) ended on {one.expires}: {done}" for one in found]
    record = {"dry_run": dry_run, "expired": [one.to_json() for one in found]}
    output.emit(record, "\n".join(lines) or "nothing has ended", plain=str(len(found)), as_json=as_json)
