"""The three criteria of the Article 29 Working Party, each with the attacks that speak to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privet.report._regulator_checklists import Item, ItemStanding


def wp29(risks: Sequence[Mapping[str, Any]], given_away: Sequence[str] = ()) -> tuple[Item, ...]:
    """The three criteria of the Article 29 Working Party's opinion 05/2014, each with the attacks that speak to it.

    A risk may say which thing it is `of`. A criterion is not met where an attack contradicts a promise, or does better on
    people in the data than on others where no promise covers it; it is left open where an attack that has no others to be
    held against does better than guessing. Attacks of other kinds can speak against a criterion and never for it: where
    none of its very kind ran, it is not tested.
    `given_away` says of which records a value can be told without any attack: everybody who looks alike shares it.
    """
    found = [_criterion(asks, kind, others, risks) for asks, (kind, others) in _CRITERIA.items()]
    if given_away:
        told = "; ".join(
            [*given_away, *([found[-1].evidence] if found[-1].standing is ItemStanding.NOT_MET else [])]
        )
        found[-1] = Item(found[-1].asks, ItemStanding.NOT_MET, told)
    return tuple(found)


# What each asks; beginnings of the names of the attacks that test it; and of those that can only speak against it.
_CRITERIA = {
    "Singling out: can a person still be picked out?": (
        ("singling-out",),
        ("membership", "linkage", "linkability", "reconstruction", "exact-match"),
    ),
    "Linkability: can records of one person be joined?": (("linkability",), ("linkage", "intersection")),
    "Inference: can a value be told about a person?": (
        ("inference", "attribute"),
        ("homogeneity", "skewness", "inversion", "background-knowledge"),
    ),
}
_MOST_SHOWN = 6


def _criterion(
    asks: str, kind: tuple[str, ...], others: tuple[str, ...], every: Sequence[Mapping[str, Any]]
) -> Item:
    tests = [one for one in every if one["attack"].startswith(kind)]
    risks = [one for one in every if one["attack"].startswith((*kind, *others))]
    worst = [one for one in risks if one["verdict"] == "contradicts the promise" or _beyond(one)]
    better = [one for one in risks if _better_than_guessing(one)]
    if worst:
        return Item(asks, ItemStanding.NOT_MET, _listed(worst))
    if better:
        return Item(asks, ItemStanding.OPEN, _listed(better))
    if not tests:
        beside = f"; attacks of other kinds: {_listed(risks)}" if risks else ""
        return Item(asks, ItemStanding.NOT_TESTED, f"no {' or '.join(kind)} attack was run{beside}")
    weak = all(_says_nothing(one) for one in tests)
    return Item(asks, ItemStanding.OPEN if weak else ItemStanding.MET, _listed(tests))


def _listed(risks: Sequence[Mapping[str, Any]]) -> str:
    more = [f"and {len(risks) - _MOST_SHOWN} more"] if len(risks) > _MOST_SHOWN else []
    return "; ".join([*(_brief(one) for one in risks[:_MOST_SHOWN]), *more])


def _brief(risk: Mapping[str, Any]) -> str:
    """An attack in few words; the whole sentence stands beside the promise."""
    reached = risk["success"].get("value")
    bound = "" if risk.get("bound") is None else f" of {risk['bound']:.3g} allowed"
    on = f" on {risk['of']}" if risk.get("of") else ""
    return f"{risk['attack']}{on}{'' if reached is None else f' reached {reached:.3g}{bound}{_against(risk)}'}: {risk['verdict']}"


def _against(risk: Mapping[str, Any]) -> str:
    """What it is held against where no promise bounds it."""
    if risk.get("bound") is not None:
        return ""
    if risk.get("control") is not None:
        return f" (control {risk['control']['value']:.3g})"
    return "" if risk.get("baseline") is None else f" (guessing {risk['baseline']:.3g})"


def _says_nothing(risk: Mapping[str, Any]) -> bool:
    """Whether a test had too little data, or nothing to be held against."""
    alone = risk["verdict"] == "not covered by the promise" and risk.get("control") is None
    return risk["verdict"] == "inconclusive" or alone or bool(risk.get("too_little_data"))


def _beyond(risk: Mapping[str, Any]) -> bool:
    """Whether an attack did better on the people in the data than on others, where the promise sets no bound."""
    control = risk.get("control")
    if risk.get("bound") is not None or control is None:
        return False
    excess = (risk.get("details") or {}).get("risk")  # where it was estimated, surer than two intervals
    if isinstance(excess, Mapping) and isinstance(excess.get("low"), int | float):
        return bool(excess["low"] > 0)
    return bool(risk["success"]["low"] > control["high"])


def _better_than_guessing(risk: Mapping[str, Any]) -> bool:
    """Whether an attack did better than guessing, where neither a promise nor other people say how well it may do."""
    alone = risk.get("bound") is None and risk.get("control") is None and risk["verdict"] != "inconclusive"
    low, guess = risk["success"].get("low"), risk.get("baseline")
    return alone and low is not None and guess is not None and low > guess
