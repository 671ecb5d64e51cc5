"""What no search can do, said before any begins."""

from __future__ import annotations

from privet.disclosure import SEMANTICS
from privet.errors import BadSearch, ModelUnfit, Unreachable
from privet.guarantee import DeltaPresence, KAnonymity, KMap, LDiversity, Promise, RiskThreshold, parts
from privet.protect.anonymize._privacy_rules import Rules
from privet.protect.anonymize.search._class_check import judge
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._local_recoding import BY_ROW

HOW = ("optimal", "anytime", *BY_ROW)


def refuse_unfit(promise: Promise, how: str, missing: str, *, population: bool) -> None:
    """Promises that a way of searching, or a meaning of missing values, leaves without a meaning.

    `population` says whether there is a table of one. Nothing of the table is needed to know.
    """
    if how not in HOW:
        raise BadSearch("there is no such way of searching.", f"Use one of {', '.join(HOW)}.")
    if missing not in SEMANTICS:
        raise BadSearch("that is not a meaning of missing values.", f"Say one of: {', '.join(SEMANTICS)}.")
    compared = any(_looks_at_people(part) for part in parts(promise))
    if compared and not population:
        raise ModelUnfit(
            "the promise compares with a population, and none is given.", "Give the population's table."
        )
    if how in BY_ROW and any(isinstance(part, DeltaPresence) for part in parts(promise)):
        raise ModelUnfit(
            "where rows have levels of their own, one person fits several cells, so that the share of a class says "
            "nothing about who is in the table: delta-presence has no meaning there.",
            "Search with 'optimal' or 'anytime'.",
        )
    if missing == "wildcard" and (how in BY_ROW or not all(_counts_rows(part) for part in parts(promise))):
        raise ModelUnfit(
            "where a missing value matches every value, classes overlap, and only the number of rows that look alike "
            "can be promised, with one level for each column.",
            "Promise k-anonymity or a highest risk and search with 'optimal' or 'anytime', or let a missing value be "
            "a value of its own.",
        )
    if missing != "own value" and compared:
        raise ModelUnfit(
            "people of the population who miss a value cannot be counted unless it is a value of its own.",
            "Let a missing value be a value of its own with k-map and delta-presence.",
        )


def _looks_at_people(part: Promise) -> bool:
    return isinstance(part, DeltaPresence) or (isinstance(part, KMap) and part.estimate == "exact")


def _counts_rows(part: Promise) -> bool:
    """Whether the number of rows decides about each class alone."""
    if isinstance(part, RiskThreshold):
        return part.average is None
    return isinstance(part, KAnonymity) or (isinstance(part, KMap) and part.estimate != "exact")


def refuse_impossible(tuples: Tuples, rules: Rules, limit: int) -> None:
    """What no generalization can reach is refused before any is looked at."""
    if tuples.rows == 0:
        raise Unreachable("the table has no rows.", "Give a table with rows.")
    if limit >= tuples.rows:
        return
    if rules.least_rows > tuples.rows:
        raise Unreachable(
            f"classes of {rules.least_rows} rows cannot be made from {tuples.rows} rows.",
            "Ask for a smaller k.",
        )
    for part in parts(rules.promise):
        if isinstance(part, LDiversity):
            cells = tuples.bottom.cells[tuples.sensitive.index(part.column)]
            values = int((cells.shares > 0).sum())
            if part.l > values:
                raise Unreachable(
                    f"{part.column!r} has {values} different values, and {part.l} are asked for in every class.",
                    "Ask for a smaller l.",
                )
    if tuples.gaps is not None and tuples.missing == "ignored":
        rows = int(tuples.counts[tuples.gaps.any(axis=1)].sum())
        if rows > limit:
            raise Unreachable(
                f"{rows} rows miss a quasi-identifier and would be left out, and {limit} may be.",
                "Allow more suppressed rows, or count a missing value as a value of its own.",
            )
    top = tuples.classes(tuples.lattice.heights)
    verdict = judge(tuples, top, rules)
    if verdict is not None and int(verdict.least.sum()) > limit:
        raise Unreachable(
            f"even the most general table would have to leave out {int(verdict.least.sum())} rows, "
            f"and {limit} may be.",
            "Allow more suppressed rows, ask for less, or let hierarchies end in one common value.",
        )
