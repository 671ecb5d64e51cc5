"""Errors of synthesizing data under differential privacy."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput

__all__ = ["BadSynthesis", "EndpointFailed", "RuleUnmet"]


class BadSynthesis(BadInput):
    """The request for a synthetic twin is malformed: a column, a workload, a rule, a promise or a setting."""

    code = "E-SYNTHESIZE-001"


class RuleUnmet(BadInput):
    """Hardly any synthetic row keeps the stated rules, so that rejection would not end."""

    code = "E-SYNTHESIZE-002"


class EndpointFailed(BadInput):
    """A model at an address did not answer, or not as models do."""

    code = "E-SYNTHESIZE-003"
