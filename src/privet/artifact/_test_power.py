"""What a test is known to find: counted on leaks of known size that were planted, or computed from its distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

RELIABLY = 0.9  # the share of planted leaks that a test finds before it is said to find them


@dataclass(frozen=True, slots=True)
class Planted:
    """Leaks of one kind and size, looked for with the same test on as much data."""

    kind: str
    size: float  # in the test's own measure
    found: int
    trials: int

    @property
    def reliably(self) -> bool:
        """Whether nearly all were found."""
        return self.found >= RELIABLY * self.trials


@dataclass(frozen=True, slots=True)
class Power:
    """The alternatives that a test was measured against, and what it found of each kind.

    Where the chance to find them follows from the test's distribution, `computed` says what it is.
    """

    against: str = ""
    measure: str = ""
    planted: tuple[Planted, ...] = ()
    computed: str = ""

    @property
    def finds_something(self) -> bool:
        """Whether there is a leak that the test finds."""
        return bool(self.computed) or any(one.reliably for one in self.planted)

    def sentence(self) -> str:
        """For each kind the smallest leak that was found nearly always, or the largest that was not."""
        if self.computed:
            return f"Test power, computed: {self.computed}"
        kinds = dict.fromkeys(one.kind for one in self.planted)
        return f"Test power, measured on {self.against}. {'; '.join(self._said(kind) for kind in kinds)}."

    def _said(self, kind: str) -> str:
        tried = sorted((one for one in self.planted if one.kind == kind), key=lambda one: one.size)
        best = next((one for one in tried if one.reliably), None)
        if best is None:
            last = tried[-1]
            return f"{kind}: not found up to {self.measure} {last.size:.4g} ({last.found} of {last.trials} times)"
        return f"{kind}: {self.measure} {best.size:.4g} was found {best.found} of {best.trials} times"

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        planted = [asdict(one) for one in self.planted]
        return {
            "against": self.against,
            "measure": self.measure,
            "planted": planted,
            "computed": self.computed,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Power:
        """What a record describes."""
        planted = tuple(Planted(**one) for one in record["planted"])
        return cls(record["against"], record["measure"], planted, record["computed"])
