"""`privet.yaml`: the declaration of a data set, and what is to be done with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationError

from privet.dataset import Declaration, Part, Placed, cross_faults, faults_of, raise_all, read_placed
from privet.engine import did_you_mean
from privet.errors import BadPolicy

VERSION = 1
NAME = "privet.yaml"


class PolicyStep(Part):
    """One thing to be done. What else it takes depends on what is done; see the verbs."""

    model_config = ConfigDict(extra="allow", frozen=True)

    do: str
    purpose: str | None = None
    name: str | None = None
    to: str | None = None
    recipient: str = "internal"


class Policy(Declaration):
    """The whole file."""

    version: Literal[1]
    steps: list[PolicyStep] = Field(default_factory=list)
    limits: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)


def read_policy(path: str | Path) -> tuple[Policy, Placed]:
    """Read and check a policy; every fault is named with its place, and near words are proposed."""
    found = read_placed(Path(path))
    return check_policy(found), found


def check_policy(found: Placed) -> Policy:
    """The policy that a file holds."""
    if not isinstance(found.content, dict):
        raise BadPolicy(f"{found.name} holds no policy.", "`privet init DATA` writes one.")
    try:
        policy = Policy.model_validate(found.content)
    except ValidationError as problem:
        raise faults_of(problem, found, Policy).error() from None
    faults = [
        f"{found.place(('steps', at, 'purpose'))} steps.{at}.purpose: there is no such purpose. "
        f"{did_you_mean(step.purpose, policy.purposes)}"
        for at, step in enumerate(policy.steps)
        if step.purpose is not None and step.purpose not in policy.purposes
    ]
    raise_all([*faults, *cross_faults(policy, found)])
    return policy
