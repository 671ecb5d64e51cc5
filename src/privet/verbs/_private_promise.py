"""The promise of differential privacy as people write it: epsilon with or without delta, or rho."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from privet.dataset import Positive
from privet.guarantee import ApproxDP, PureDP, ZeroConcentratedDP
from privet.verbs._verb_options import Flag, Options


class PrivatePromise(Options):
    """What all that is released together may cost."""

    hint: ClassVar[str] = "Add --epsilon 0.5 (and --delta 1e-7 if groups are not public), or --rho 0.1."

    epsilon: Annotated[
        Positive | None, Field(description="Promise epsilon for all answers together."), Flag(example="0.5")
    ] = None
    delta: Annotated[
        Decimal | None,
        Field(gt=0, lt=1, description="With epsilon: allow a failure probability of delta."),
        Flag(example="1e-7"),
    ] = None
    rho: Annotated[
        Positive | None, Field(description="Promise zero-concentrated DP instead."), Flag(example="0.1")
    ] = None
    confidence: Annotated[
        float, Field(gt=0, lt=1, description="Of the error bars."), Flag(example="0.95")
    ] = 0.95

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if self.rho is not None and (self.epsilon is not None or self.delta is not None):
            raise ValueError("rho is a promise of its own: give either rho, or epsilon with or without delta")
        return self

    def promised(self) -> PureDP | ApproxDP | ZeroConcentratedDP | None:
        """The promise for all answers together; None where none is stated."""
        if self.rho is not None:
            return ZeroConcentratedDP(self.rho)
        if self.epsilon is None:
            return None
        return ApproxDP(self.epsilon, self.delta) if self.delta is not None else PureDP(self.epsilon)
