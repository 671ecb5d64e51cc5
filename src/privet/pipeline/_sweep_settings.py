"""What a sweep tries: techniques, strengths, and how carefully they are measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from privet.engine import did_you_mean
from privet.errors import BadSweep, checked_class

USUAL = (
    "anonymize",
    "train",
)  # tried where nobody names any: twins and halves take longer, and are asked for
TECHNIQUES = (*USUAL, "synthesize", "pac")

_USUAL_K, _USUAL_K_ALL = (2, 5, 10, 25), (5, 25)

Amount: TypeAlias = Decimal | str | float


def amount(given: Amount) -> Decimal:
    """The number that was meant; not-a-number for what is none."""
    try:
        return Decimal(str(given))
    except InvalidOperation:
        return Decimal("nan")


@checked_class
@dataclass(frozen=True)
class Sweep:
    """What is tried: strengths are k, l and epsilon; nats are those that bound membership as the epsilons do.

    Numbers may be given as text, so that 0.1 is a tenth.
    """

    techniques: tuple[str, ...] = USUAL
    k: tuple[int, ...] = _USUAL_K
    # With every column generalized but the target, not only quasi-identifiers. None: 5 and 25 with the usual k, else none.
    k_all: tuple[int, ...] | None = None
    l: int | None = 3  # noqa: E741  the literature's name; with the middle k
    epsilon: tuple[Amount, ...] = ("0.1", "0.5", "1", "2", "4", "8", "20")
    delta: Amount = "1e-6"
    models: tuple[str, ...] = ("linear",)
    twin: str = "aim"  # how synthetic twins are made
    max_suppressed: Amount = "0.1"
    holdout: float = 0.5
    repeats: int = 5  # fits of each private model, to see how much its noise matters
    confidence: float = 0.95

    @property
    def every_column(self) -> tuple[int, ...]:
        """The sizes of classes that are tried with every column generalized but the target."""
        if self.k_all is not None:
            return self.k_all
        return _USUAL_K_ALL if set(self.k) == set(_USUAL_K) else ()

    def checked(self) -> Sweep:
        """Itself; an error with everything that is wrong with it."""
        k_all = self.every_column
        faults = self._unknown()
        if not all(number >= 2 for number in (*self.k, *k_all)):
            faults.append("a k is a whole number of at least 2.")
        if self.l is not None and self.l < 2:
            faults.append("an l is a whole number of at least 2.")
        epsilons, delta, most = (
            tuple(map(amount, self.epsilon)),
            amount(self.delta),
            amount(self.max_suppressed),
        )
        if not all(number.is_finite() and number > 0 for number in epsilons):
            faults.append("an epsilon is a number above 0.")
        if not (delta.is_finite() and 0 < delta < 1):
            faults.append("delta lies between 0 and 1.")
        if not (most.is_finite() and 0 <= most < 1):
            faults.append("the share of suppressed rows lies between 0 and 1.")
        if self.repeats < 1:
            faults.append("there is at least one fit of each model.")
        faults += self._unnamed()
        if faults:
            raise BadSweep(" ".join(faults), "Correct what is named; nothing was read.", faults=faults)
        return replace(
            self,
            k=tuple(sorted(set(self.k))),
            k_all=tuple(sorted(set(k_all))),
            epsilon=tuple(sorted(set(epsilons))),
            delta=delta,
            max_suppressed=most,
        )

    def _unknown(self) -> list[str]:
        """Names that nobody knows."""
        from privet.protect.synthesize import METHODS
        from privet.protect.train.tabular import LEARNERS

        known = [("technique", self.techniques, TECHNIQUES), ("learner", self.models, tuple(LEARNERS))]
        faults = [
            f"there is no {what} {name!r}. {did_you_mean(name, these)}"
            for what, named, these in [*known, ("way to make a twin,", (self.twin,), tuple(METHODS))]
            for name in named
            if name not in these
        ]
        return faults + ([] if self.techniques else ["no technique is named."])

    def _unnamed(self) -> list[str]:
        """Techniques that are to be tried at no strength."""
        faults = []
        if "anonymize" in self.techniques and not (self.k or self.every_column):
            faults.append("no k is named.")
        if "train" in self.techniques and not (self.epsilon and self.models):
            faults.append("no epsilon or no model is named.")
        elif {"synthesize", "pac"} & set(self.techniques) and not self.epsilon:
            faults.append("no epsilon is named.")
        return faults
