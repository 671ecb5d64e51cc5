"""How far one privacy unit can move an exact answer."""

from __future__ import annotations

from dataclasses import dataclass

from privet.errors import BadSensitivity


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far one privacy unit can move an integer vector.

    At most `coordinates` entries change, each by at most `largest`, by at most `total` altogether (the L0,
    L-infinity and L1 sensitivities).
    """

    coordinates: int
    largest: int
    total: int

    def __post_init__(self) -> None:
        if min(self.coordinates, self.largest, self.total) < 1:
            raise BadSensitivity(
                "a sensitivity must be at least one step.", "What cannot change needs no noise."
            )
        if not self.largest <= self.total <= self.coordinates * self.largest:
            raise BadSensitivity(
                f"a total change of {self.total} does not fit {self.coordinates} entries of at most {self.largest} each.",
            )

    @classmethod
    def per_coordinate(cls, coordinates: int, largest: int) -> Sensitivity:
        """At most `coordinates` entries, each by at most `largest`, and no tighter total."""
        return cls(coordinates, largest, coordinates * largest)

    def scaled(self, factor: int) -> Sensitivity:
        """The sensitivity of the same vector with every entry multiplied by `factor`."""
        return Sensitivity(self.coordinates, self.largest * factor, self.total * factor)
