"""A sweep under a policy: rows of one's own on the policy's terms, its roles, unit, public facts and what its purpose allows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from privet.dataset import DataSet, Declaration
from privet.errors import BadSweep, BadUsage
from privet.verbs import Request


def asked_under(policy_file: Path, asked: Request) -> Request:
    """The request about the rows that it names, on the terms of a policy; a purpose may be left out where one allows a report."""
    if asked.unit is not None or asked.max_rows is not None:
        raise BadUsage(
            "the policy says whose rows they are.", "Leave out --unit and --max-rows, or --policy."
        )
    data = DataSet.read(policy_file)
    policy = data.declaration
    assert policy is not None
    name = asked.purpose or _only_purpose(policy)
    source = asked.data if "://" in asked.data else str(Path(asked.data).resolve())
    said = {"source": source, **({"delimiter": asked.delimiter} if asked.delimiter else {})}
    alone = policy.model_copy(update={"dataset": policy.dataset.model_copy(update=said)})
    return replace(asked, data=replace(data, declaration=alone), purpose=name, delimiter=None)


def _only_purpose(policy: Declaration) -> str:
    """The purpose that allows a report; where several do, somebody has to say which."""
    fit = [name for name, purpose in policy.purposes.items() if "report" in purpose.outputs]
    if len(fit) == 1:
        return fit[0]
    said = "several purposes allow a report" if fit else "no purpose of the policy allows a report"
    raise BadSweep(f"{said}.", f"Name one with --purpose: {', '.join(fit or policy.purposes)}.")
