"""A sweep under a policy: its roles, unit and public facts, and what its purpose allows, checked as for any other step."""

from __future__ import annotations

import datetime
from pathlib import Path

from privet.dataset import opened
from privet.errors import BadSweep
from privet.pipeline._policy import Policy, PolicyStep, read_policy
from privet.pipeline._purpose_limitation import checked
from privet.source import Table


def table_under(
    policy_file: Path,
    data: str,
    *,
    target: str,
    purpose: str | None,
    today: datetime.date,
    delimiter: str | None = None,
) -> tuple[Table, str]:
    """The rows of `data` as a step of the policy may see them, and the purpose's name. Refuses before a row is read."""
    policy, placed = read_policy(policy_file)
    name = purpose or _only_purpose(policy)
    if name not in policy.purposes:
        raise BadSweep("there is no such purpose in the policy.", f"There are: {', '.join(policy.purposes)}.")
    source = data if "://" in data else str(Path(data).resolve())
    dataset = policy.dataset.model_copy(
        update={"source": source, **({"delimiter": delimiter} if delimiter else {})}
    )
    step = PolicyStep.model_validate(
        {"do": "tradeoff", "purpose": name, "name": "tradeoff", "target": target}
    )
    alone = policy.model_copy(update={"dataset": dataset, "steps": [step]})
    (bound,) = checked(alone, placed, today)
    whole = opened(alone, policy_file.resolve().parent)
    return bound.seen(whole, alone).table, name


def _only_purpose(policy: Policy) -> str:
    """The purpose that allows a report; where several do, somebody has to say which."""
    fit = [name for name, purpose in policy.purposes.items() if "report" in purpose.outputs]
    if len(fit) == 1:
        return fit[0]
    said = "several purposes allow a report" if fit else "no purpose of the policy allows a report"
    raise BadSweep(f"{said}.", f"Name one with --purpose: {', '.join(fit or policy.purposes)}.")
