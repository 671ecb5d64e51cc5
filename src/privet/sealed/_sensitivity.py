"""How far one privacy unit can move an exact answer."""

from __future__ import annotations

from dataclasses import dataclass

from privet.errors import BadSensitivity


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far one privacy unit can move an integer vector.

    At most `coordinates` entries change, each by at most `largest`, by at most `total` altogether (the L0,
    L-infinity and L1 sensitivities). With a `block` above one, the vector is a row of blocks of so many entries,
    and all changed entries lie in at most `blocks` of them. A `norm` bounds the Euclidean length of the change (L2),
    where that is less than the rest implies.
    """

    coordinates: int
    largest: int
    total: int
    block: int = 1
    norm: int | None = None

    def __post_init__(self) -> None:
        if min(self.coordinates, self.largest, self.total, self.block, self.norm or 1) < 1 or self.norm == 0:
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
    def squares(self) -> int:
        """The most that the squares of all changes add up to: by the norm, or by the other bounds."""
        implied = min(self.coordinates * self.largest**2, self.largest * self.total)
        return implied if self.norm is None else min(implied, self.norm**2)

    @property
    def blocks(self) -> int:
        """The most blocks that one unit changes."""
        return self.coordinates // self.block

    @classmethod
    def per_coordinate(cls, coordinates: int, largest: int) -> Sensitivity:
        """At most `coordinates` entries, each by at most `largest`, and no tighter total."""
        return cls(coordinates, largest, coordinates * largest)

    @classmethod
    def within_norm(cls, coordinates: int, norm: int) -> Sensitivity:
        """At most `coordinates` entries, and the change as a whole at most `norm` long: what normalised votes do."""
        return cls(coordinates, norm, coordinates * norm, norm=norm)

    @classmethod
    def per_block(cls, blocks: int, block: int, largest: int) -> Sensitivity:
        """At most `blocks` whole blocks of `block` entries, each entry by at most `largest`."""
        return cls(blocks * block, largest, blocks * block * largest, block)

    def scaled(self, factor: int) -> Sensitivity:
        """The sensitivity of the same vector with every entry multiplied by `factor`."""
        norm = None if self.norm is None else self.norm * factor
        return Sensitivity(self.coordinates, self.largest * factor, self.total * factor, self.block, norm)
