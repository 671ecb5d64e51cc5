"""Specifications for the tests: one of each kind, small enough to look at."""

import privet as pv

VALUES = [f"v{number}" for number in range(12)]
FREQUENCY = ("grr", "sue", "oue", "olh", "flh", "subset", "hadamard", "rappor", "cms", "hcms")
NUMBERS = ("duchi", "piecewise", "hybrid", "square-wave")
# Oracles that keep an answer.
MEMOISED = ("l-grr", "l-sue", "loloha", "dbitflip")
SMALLER = {
    "loloha": {"pool": 64},
    "flh": {"pool": 64},
    "cms": {"rows": 16, "width": 32},
    "hcms": {"rows": 16, "width": 32},
    "rappor": {"cohorts": 8, "bits": 32},
}


def collection(kind: str, epsilon: float = 2) -> pv.Collection:
    promise = pv.LocalDP(epsilon)
    if kind in (*FREQUENCY, *MEMOISED):
        return pv.Collection("emoji", pv.OneOf(VALUES), promise, kind, settings=SMALLER.get(kind, {}))
    if kind in NUMBERS:
        return pv.Collection("minutes", pv.NumberIn(0, 60), promise, kind)
    if kind == "pem":
        return pv.Collection("words", pv.TextOf(4, "abcdefgh"), promise, kind, settings={"pool": 64})
    if kind == "sfp":
        return pv.Collection("words", pv.TextOf(4, "abcd"), promise, kind, settings={"rows": 16, "width": 32})
    several = pv.Several(minutes=pv.NumberIn(0, 60), emoji=pv.OneOf(VALUES), star=pv.OneOf([1, 2, 3]))
    return pv.Collection("several", several, promise)


ALL = (*FREQUENCY, *NUMBERS, "pem", "sfp", "sampled", *MEMOISED)


def values_for(kind: str, many: int):
    if kind in (*FREQUENCY, *MEMOISED):
        return [VALUES[(number * number) % 7] for number in range(many)]
    if kind in NUMBERS:
        return [(number * 7) % 61 for number in range(many)]
    if kind in ("pem", "sfp"):
        return [("abcd", "dab", "ca")[number % 3] for number in range(many)]
    return {
        "minutes": [(number * 7) % 61 for number in range(many)],
        "emoji": [VALUES[number % 5] for number in range(many)],
        "star": [1 + number % 3 for number in range(many)],
    }
