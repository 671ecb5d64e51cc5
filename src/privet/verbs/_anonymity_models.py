"""Anonymity models as people write them, in a policy or on a command line: `diagnosis: 3:entropy`, `5:poisson:0.01:0.05`.

A word that is not understood is refused, never left out: the promise would be weaker than what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from privet.errors import PrivetError
from privet.guarantee import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KMap,
    LDiversity,
    PopulationUniqueness,
    Promise,
    RiskThreshold,
    TCloseness,
    exact,
)

UNREADABLE = "could not be read"


def _written(said: object) -> object:
    """A number as text: doors differ in whether they hand over numbers or words."""
    if isinstance(said, int | float | Decimal) and not isinstance(said, bool):
        return str(said)
    return said


Word = Annotated[
    str,
    BeforeValidator(_written),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]}),
]


def l_diversity(column: str, said: str) -> Promise:
    """`3`, `3:entropy` or `3:recursive:4`."""
    number, *rest = _parts(said, most=3)
    constant = exact(rest[1], "c") if len(rest) > 1 else None
    return LDiversity(column, _whole(number), rest[0] if rest else "distinct", constant)


def t_closeness(column: str, said: str) -> Promise:
    """`0.2`, `0.2:ordered` or `0.2:hierarchical`."""
    return TCloseness(column, *_parts(said, most=2))


def beta_likeness(column: str, said: str) -> Promise:
    """`1` or `1:enhanced`."""
    return BetaLikeness(column, *_parts(said, most=2))


def delta_disclosure(column: str, said: str) -> Promise:
    """`1`, or `1:refuse` where absent values count."""
    return DeltaDisclosure(column, *_parts(said, most=2))


def alpha_k(column: str, said: str, k: int | None) -> Promise:
    """`0.5`, with the k of k-anonymity."""
    if k is None:
        raise ValueError("needs the k of (alpha, k)-anonymity")
    return AlphaK(column, _parts(said, most=1)[0], k)


def risk_threshold(highest: str | None, mean: str | None) -> Promise:
    """The highest risk of a row, and the highest mean."""
    return RiskThreshold(
        exact(highest, "max_risk") if highest is not None else None,
        exact(mean, "mean_risk") if mean is not None else None,
    )


def k_map(said: str) -> Promise:
    """`5` with a table of the population, or `5:poisson:FRACTION:SIGNIFICANCE` without."""
    k, *rest = said.split(":")
    if len(rest) not in (0, 3):
        raise ValueError(UNREADABLE)
    if not rest:
        return KMap(_whole(k))
    return KMap(_whole(k), rest[0], exact(rest[1], "fraction"), exact(rest[2], "significance"))


def delta_presence(said: str) -> Promise:
    """`0:0.2`."""
    low, sign, high = said.partition(":")
    if not sign or ":" in high:
        raise ValueError(UNREADABLE)
    return DeltaPresence(low, high)


def population_uniqueness(said: str) -> Promise:
    """The share of rows unique in the population, and the sampling fraction: `0.01:0.1`."""
    share, *rest = said.split(":")
    if len(rest) not in (1, 2):
        raise ValueError(UNREADABLE)
    return PopulationUniqueness(share, *rest)


def readable(read: Callable[..., Promise], *said: Any) -> Promise:
    """The promise, or a ValueError that says what is wrong with the words, for whichever door they came through."""
    try:
        return read(*said)
    except PrivetError as problem:
        raise ValueError(problem.fact.rstrip(".")) from None


def all_readable(read: Callable[[str, str], Promise], said: Mapping[str, str]) -> list[Promise]:
    """One promise for each column."""
    return [readable(read, column, words) for column, words in said.items()]


def _parts(said: str, *, most: int) -> list[str]:
    found = said.split(":")
    if len(found) > most or not all(found):
        raise ValueError(UNREADABLE)
    return found


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{UNREADABLE}: it needs a whole number") from None
