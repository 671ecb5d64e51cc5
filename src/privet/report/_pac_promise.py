"""What a PAC release promises, for a reader who guesses: the best possible success, and what is not promised."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privet.guarantee import NOT_PROMISED, PacPrivacy

KIND = PacPrivacy.kind
NATS = "nats"
# How often somebody guesses an attribute to within their tolerance before; the last is a guess among a hundred.
_PRIORS = ("1/4", "1/10", "1/100")

NOT_PROTECTED = (
    *(
        said.removeprefix("Not promised: ")[0].upper() + said.removeprefix("Not promised: ")[1:]
        for said in NOT_PROMISED
    ),
    "What is true of people in general: it is as true of those who were not used.",
    "People whose data is also used elsewhere without protection, or under another ledger.",
    "Wrong assumptions: a person under several identifiers, or bounds and functions picked by looking at the data.",
)


def is_pac(promise: Mapping[str, Any] | None) -> bool:
    """Whether a promise, as its record has it, is one in nats."""
    return (promise or {}).get("promise") == KIND


def best_success(promise: Mapping[str, Any]) -> str:
    """The most that anybody reaches: about membership, and about an attribute to within any tolerance."""
    stated = PacPrivacy(Fraction(promise["mutual_information"]))
    after = ", ".join(
        f"{float(Fraction(prior)):.0%} becomes at most {stated.posterior(Fraction(prior)):.1%}"
        for prior in _PRIORS
    )
    return (
        "The attacker may know every record of the universe, the function, the worlds and how noise is made. At best they guess one "
        f"record's membership rightly {stated.posterior():.1%} of the time, instead of 50%. Of an attribute to within whatever "
        f"tolerance, a success before of {after}. Nats never add to an epsilon."
    )


def without_nats(cost: Mapping[str, Any]) -> dict[str, Any]:
    """What of a cost is in differential privacy."""
    return {coin: amount for coin, amount in cost.items() if coin != NATS}
