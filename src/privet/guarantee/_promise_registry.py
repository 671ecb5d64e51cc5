"""Every promise there is. Importing them all is what lets `promise_from_json` know them."""

from privet.guarantee._differential import (
    ApproxDP,
    LocalDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from privet.guarantee._pac_privacy import PacPrivacy
from privet.guarantee._promise import AllOf, Promise, parts, promise_from_json
from privet.guarantee._syntactic_promises import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    RiskThreshold,
    SafeHarbor,
    TCloseness,
)

__all__ = [
    "AllOf",
    "AlphaK",
    "ApproxDP",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "LocalDP",
    "PacPrivacy",
    "PopulationUniqueness",
    "Promise",
    "PureDP",
    "RenyiDP",
    "RiskThreshold",
    "SafeHarbor",
    "TCloseness",
    "ZeroConcentratedDP",
    "parts",
    "promise_from_json",
]
