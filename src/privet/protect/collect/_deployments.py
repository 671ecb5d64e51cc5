"""Published deployments by name, with what they cost a person and day.

Epsilons and donations per day are those that Apple's overview and documentation state, as collected in D. Desfontaines,
*A list of real-world uses of differential privacy*; sketch sizes are those of *Learning with privacy at scale* (2017) and,
where that gives none, our usual ones, which `sizes` says. None of these memoises from day to day: over a month a person
gives away thirty times the daily epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from privet.errors import BadCollection, checked, did_you_mean
from privet.guarantee import LocalDP, readable
from privet.protect.collect._collection import Collection, Per
from privet.protect.collect._questions import OneOf, TextOf


@dataclass(frozen=True)
class Deployment:
    """Who collects what, at which epsilon for one report, how often."""

    name: str
    about: str
    epsilon: Fraction
    oracle: str
    most: int = 1
    per: Per = "day"
    settings: dict[str, int] = field(default_factory=dict)
    sizes: str = "as published"
    length: int = 0  # of words, where these are not listed beforehand

    def says(self) -> str:
        """What a person gives, in one sentence."""
        total = readable(self.epsilon * self.most)
        often = "for ever, by memoisation" if self.per == "lifetime" else "per person and day"
        return (
            f"{self.name}: {self.about}; {self.oracle}, epsilon {readable(self.epsilon)} for each of {self.most} "
            f"report{'' if self.most == 1 else 's'}: epsilon {total} {often} (sketch sizes {self.sizes})."
        )


OURS = "not published, ours"
DEPLOYMENTS = {
    one.name: one
    for one in (
        Deployment("apple-emoji", "emoji that are typed", Fraction(4), "cms", settings={"rows": 65_536, "width": 1024}),
        Deployment("apple-lookup-hints", "lookup hints", Fraction(4), "cms", 2, sizes=OURS),
        Deployment("apple-health-types", "types of health data", Fraction(2), "cms", sizes=OURS),
        Deployment(
            "apple-safari-domains", "domains that drain energy or crash", Fraction(4), "hcms", 2,
            settings={"rows": 1024, "width": 32_768},
        ),
        Deployment("apple-safari-autoplay", "domains where videos play", Fraction(8), "hcms", 2, sizes=OURS),
        Deployment(
            "apple-new-words", "words that QuickType does not know", Fraction(8), "sfp", 2,
            settings={"rows": 2048, "width": 1024}, length=10,
        ),
        Deployment(
            # f = 1/2 turns a bit over for ever with probability 1/4: epsilon is 4 log 3, here rounded down.
            "google-rappor", "settings of a browser", Fraction("4.394449154672"), "rappor", per="lifetime",
            settings={"bits": 16, "hashes": 2, "cohorts": 64, "quiet": 128, "loud": 192}, sizes="of the published client",
        ),
    )
}  # fmt: skip


@checked
def deployed(name: str, values: Sequence[str] | None = None) -> Collection:
    """The specification of a published deployment, for these values; for new words none are listed."""
    found = DEPLOYMENTS.get(name)
    if found is None:
        raise BadCollection("no deployment has this name.", did_you_mean(name, DEPLOYMENTS))
    if (values is None) != bool(found.length):
        raise BadCollection(
            "new words are not listed beforehand."
            if found.length
            else "this deployment counts listed values.",
            "Leave values out." if found.length else "Give values=[…].",
        )
    question = TextOf(found.length) if values is None else OneOf(list(values))
    return Collection(
        found.name,
        question,
        LocalDP(found.epsilon),
        found.oracle,
        per=found.per,
        most=found.most,
        settings=found.settings,
    )
