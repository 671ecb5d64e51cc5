"""What a promise comes to against each adversary: whoever knows shares of the noise is protected against by the others alone.

Rho is priced for the shares that conspirators do not know. With u unknown shares instead of h it is rho · h / u, since variances add
and rho is inversely proportional to them (`privet.guarantee.mechanisms._distributed_gaussian`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privet.guarantee import Unit, ZeroConcentrated, ZeroConcentratedDP, epsilon_for


@dataclass(frozen=True)
class Exposure:
    """What one adversary may learn at most of a unit at a site that is not its own."""

    adversary: str
    sees: str
    unknown_shares: int
    rho: Fraction
    epsilon: float
    delta: Fraction

    def __str__(self) -> str:
        return (
            f"{self.adversary}: epsilon {self.epsilon:.4g} at delta {float(self.delta):g} (sees {self.sees})"
        )


def exposures(
    promise: ZeroConcentratedDP, threshold: int, colluders: int, unit: Unit, delta: Fraction
) -> tuple[Exposure, ...]:
    """From the outsider to the coalition that the promise is made for; each for the fewest survivors that are ever opened."""
    cases = [
        ("an outsider", "what is released", threshold),
        ("the coordinator", "masked words and the sum", threshold),
        ("one other site", "the released sum and its own share of the noise", threshold - 1),
    ]
    if colluders:
        words = f"masked words, the sum, and the shares of noise of {colluders} site(s)"
        cases.append((f"the coordinator with {colluders} site(s)", words, threshold - colluders))
    found = []
    for who, sees, unknown in cases:
        rho = promise.rho * (threshold - colluders) / unknown
        epsilon = float(epsilon_for(ZeroConcentrated(rho), delta, change=unit.change).epsilon)
        found.append(Exposure(who, sees, unknown, rho, epsilon, delta))
    return tuple(found)
