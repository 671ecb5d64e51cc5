"""How far one privacy unit can move an exact answer."""

from __future__ import annotations

from dataclasses import dataclass

from privet.errors import BadSensitivity


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far one privacy unit can move an integer vector.

    At most `coordinates` entries change, each by at most `largest`, by at most `total` altogether (the L0,
    L-infinity and L1 sensitivities). With a `block` above one, the vector is a row of blocks of so many entries,
    and all changed entries lie in at most `blocks` of them.
    """

    coordinates: int
    largest: int
    total: int
    block: int = 1

    def __post_init__(self) -> None:
        if min(self.coordinates, self.largest, self.total, self.block) < 1:
            raise BadSensitivity(
                "a sensitivity must be at least one step.", "What cannot change needs no noise."
            )
        if not self.largest <= self.total <= self.coordinates * self.largest:
            raise BadSensitivity(
                f"a total change of {self.total} does not fit {self.coordinates} entries of at most {self.largest} each.",
            )
        if self.coordinates % self.block:
            raise BadSensitivity(f"{self.coordinates} entries are not whole blocks of {self.block}.")

    @property
    def blocks(self) -> int:
        """The most blocks that one unit changes."""
        return self.coordinates // self.block

    @classmethod
    def per_coordinate(cls, coordinates: int, largest: int) -> Sensitivity:
        """At most `coordinates` entries, each by at most `largest`, and no tighter total."""
        return cls(coordinates, largest, coordinates * largest)

    @classmethod
    def per_block(cls, blocks: int, block: int, largest: int) -> Sensitivity:
        """At most `blocks` whole blocks of `block` entries, each entry by at most `largest`."""
        return cls(blocks * block, largest, blocks * block * largest, block)

    def scaled(self, factor: int) -> Sensitivity:
        """The sensitivity of the same vector with every entry multiplied by `factor`."""
        return Sensitivity(self.coordinates, self.largest * factor, self.total * factor, self.block)
