"""PAC privacy: how far an output can help anybody to guess the secret half of a known universe (Xiao and Devadas 2023).

For any guess whose best blind success is p0, success after seeing the output is at most the p with
KL(Bernoulli(p) ‖ Bernoulli(p0)) ≤ mutual information, in nats (CRYPTO 2023, Theorem 1). All bounds here solve that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from privet.errors import BadAmount, checked_names
from privet.guarantee._promise import Promise, store
from privet.guarantee.exact_amounts import (
    LOSS_UNIT,
    Number,
    loss,
    probability,
    readable,
    units_down,
    whole,
)

_HALF = Fraction(1, 2)
MOST_RECORDS = 1_000


@dataclass(frozen=True)
class PacPrivacy(Promise):
    """A bound on mutual information between output and secret subset (Xiao and Devadas 2023), in nats.

    It speaks of membership in a random half of a *known* universe, not of presence in the universe.
    """

    mutual_information: Fraction
    kind: ClassVar[str] = "pac-privacy"
    additive: ClassVar[dict[str, Fraction]] = {"mutual_information": LOSS_UNIT}

    def __init__(self, mutual_information: Number) -> None:
        store(self, mutual_information=loss(mutual_information, "mutual_information"))

    @classmethod
    @checked_names
    def from_advantage(cls, *, prior: Number, posterior: Number) -> Self:
        """The largest budget under which a guess of this prior success never succeeds more often than `posterior`."""
        low, high = probability(prior, "prior"), probability(posterior, "posterior", one=True)
        if high <= low:
            raise BadAmount(
                "posterior must lie above prior: an output that helps nobody is no output.",
                "Write from_advantage(prior=0.5, posterior=0.6).",
            )
        nats = Fraction(divergence(float(high), float(low)) * (1 - 1e-12))
        return cls(max(units_down(nats, LOSS_UNIT), 1) * LOSS_UNIT)

    @classmethod
    @checked_names
    def from_guess(cls, *, records: int, posterior: Number, worlds: int = 128) -> Self:
        """The largest budget under which the membership of so many records is guessed right, all at once, at most so often.

        Whoever knows the worlds guesses the pattern that most of them share: see `blind_guess`. That of one record is 1/2.
        """
        return cls.from_advantage(prior=Fraction(blind_guess(records, worlds)), posterior=posterior)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"The output carries at most {readable(self.mutual_information)} nats about which half of the known "
            f"universe was used: guessing one record's membership succeeds at most {self.posterior():.1%} of the "
            "time, where blind guessing succeeds half of the time."
        )

    @checked_names
    def sentences(
        self, *, attribute: str | None = None, prior: Number | None = None, tolerance: str | None = None
    ) -> tuple[str, ...]:
        """The promise for a lawyer: against whom, about membership, about an attribute, and what is not promised.

        Args:
            attribute: What an attacker may want to reconstruct, in a word: "income".
            prior: How often the attacker guesses it within the tolerance without the output.
            tolerance: How near a guess must come to count, in words: "1,000 euros".
        """
        said = [
            "The attacker may know every record of the universe, the function, the worlds it may have been computed on "
            "and how the noise is made; only which of the worlds was used is secret, and each record is in exactly half of them.",
            self.sentence(),
        ]
        if (attribute is None) != (prior is None) or (tolerance is not None and attribute is None):
            raise BadAmount(
                "an attribute is named with the prior of guessing it.",
                'Write sentences(attribute="income", prior=0.1, tolerance="1,000 euros").',
            )
        if attribute is not None and prior is not None:
            near = f" to within {tolerance}" if tolerance else ""
            said.append(
                f"Whoever would guess {attribute}{near} of the records used with a success of "
                f"{float(probability(prior, 'prior')):.4g} before, does so at most with {self.posterior(prior):.4g} after."
            )
        return (*said, *NOT_PROMISED)

    @checked_names
    def posterior(self, prior: Number = _HALF) -> float:
        """The best success rate of any guess that succeeds with `prior` without the output; membership's is one half."""
        blind = float(probability(prior, "prior"))
        bound, low, high = float(self.mutual_information), blind, 1.0
        if bound >= -math.log(blind):
            return 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if divergence(middle, blind) <= bound else (low, middle)
        return high

    @property
    def fewest_worlds(self) -> int:
        """The fewest worlds, an even number, of which this budget leaves anything secret: mutual information is below ln(worlds)."""
        least = math.floor(math.exp(min(float(self.mutual_information), 40.0))) + 1
        return max(2, least + least % 2)


NOT_PROMISED = (
    "Not promised: that anybody's presence in the universe stays hidden. How much noise there is depends on the whole universe.",
    "Not promised: anything for a data set other than this one, or for the worst case over data sets, as differential privacy does.",
)


def blind_guess(records: int, worlds: int = 128) -> float:
    """At most so often somebody who knows the worlds, and not which was used, names the membership of so many records at once.

    In pairs of worlds everybody's membership is a coin, and the second world of a pair is the mirror of the first: worlds / 2 balls
    fall into 2^(records - 1) bins, and the fullest is guessed. By the union bound the mean of its load is at most
    Σ_k min(1, bins · P[Binomial(balls, 1 / bins) > k]). Over the draw of the worlds the bound of PAC privacy holds with the mean in
    the place of the prior, since the divergence is jointly convex (Cover and Thomas 2006, Theorem 2.7.2).
    """
    number, pairs = whole(records, "records"), whole(worlds, "worlds") // 2
    if number > MOST_RECORDS:
        raise BadAmount(f"records must be at most {MOST_RECORDS:,}.", "Give fewer.")
    if number == 1:
        return 0.5
    from scipy.stats import binom

    bins = 2.0 ** (number - 1)
    more = bins * binom.sf(range(pairs), pairs, 1 / bins)
    load = max(1.0, math.fsum(min(1.0, float(chance)) for chance in more))
    return min(0.5, load / (2 * pairs))


def divergence(success: float, blind: float) -> float:
    """KL(Bernoulli(success) ‖ Bernoulli(blind)) in nats."""
    first = success * math.log(success / blind) if success > 0 else 0.0
    second = (1 - success) * math.log((1 - success) / (1 - blind)) if success < 1 else 0.0
    return first + second
