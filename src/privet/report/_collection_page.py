"""A collection as one public page: the promise, what it costs a person, the estimates with their errors, and the attacks.

It is built from the public specification and from estimates, which are post-processing of reports that were private before
they left their people. So it may be shown to everybody, and first of all to those who were asked.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from privet.artifact import Answer, Publishable, ReleasedAnswer, RiskEstimate, figure
from privet.attacks import AttackReport, verdict_words
from privet.errors import BadUsage, checked
from privet.guarantee import readable
from privet.protect.collect import Collection
from privet.report._answer_figure import bars_figure, key_text, labels_of
from privet.report._page import rendered, saved_page
from privet.report._trend_figure import days_of, trend_figure

MOST_ROWS, TOP = 1_000, 20
# Attacks that need the specification and nobody's rows; what any other found is for the owner alone.
_WITHOUT_ROWS = frozenset({"local-epsilon", "report-averaging", "pool-inference", "poisoning"})
_CONSISTENT = {
    "norm_sub": "Consistent estimates (Norm-Sub)",
    "base_cut": "Estimates that noise alone does not explain (Base-Cut)",
}
NOT_PROTECTED = (
    "What a person gives over time: each report that is drawn anew adds its epsilon, as stated above.",
    "Facts about everybody: if most people answer alike, an honest estimate says so.",
    "That somebody took part, when, and from where: a device's reports hide their value and not that they were sent.",
    "Devices that do not follow the specification, and people who make up reports to move an estimate.",
)


def collection_page(
    collection: Collection,
    answer: ReleasedAnswer | None = None,
    *,
    change: ReleasedAnswer | None = None,
    trend: ReleasedAnswer | None = None,
    attacks: AttackReport | None = None,
) -> str:
    """The page as text: no script, no network."""
    named = {"estimates": answer, "before and after": change, "over days": trend}
    given = [one for one in named.values() if one is not None]
    if any(one.provenance.data != collection.fingerprint for one in given):
        raise BadUsage("these estimates are of another specification.", "Give those of this collection.")
    return rendered(
        "collection.html",
        title=f"Collection {collection.name}",
        audience="public",
        name=collection.name,
        warnings=list(dict.fromkeys(said for one in given for said in one.warnings())),
        promise=collection.promise.sentence(),
        says=[said for said in collection.says()[:-1] if said != collection.promise.sentence()],
        amounts=_amounts(collection),
        fingerprint=collection.fingerprint,
        counted=[(title, _counted(one)) for title, one in named.items() if one is not None],
        estimates=None if answer is None else _estimates(answer),
        change=None if change is None else _change(change),
        trend=None if trend is None else _trend(trend),
        confidence=f"{given[0].confidence:.0%}" if given else "",
        risks=[] if attacks is None else [_risk(one) for one in attacks if one.attack in _WITHOUT_ROWS],
        notes=[] if attacks is None else [
            (one.attack, note) for one in attacks if one.attack in _WITHOUT_ROWS for note in one.notes
        ],
        not_protected=NOT_PROTECTED,
    )  # fmt: skip


@checked
def save_collection_page(
    collection: Collection,
    path: str | Path,
    answer: ReleasedAnswer | None = None,
    *,
    change: ReleasedAnswer | None = None,
    trend: ReleasedAnswer | None = None,
    attacks: AttackReport | None = None,
) -> Path:
    """Write a page about a collection that everybody may see: promise, costs, estimates, changes, trends and attacks."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise BadUsage("a page is saved as .html.", "Give it that ending.")
    page = collection_page(collection, answer, change=change, trend=trend, attacks=attacks)
    return saved_page(Publishable(page, "released under a promise"), path)


def _amounts(collection: Collection) -> list[tuple[str, str]]:
    """What a person gives away, in every way that the specification limits it."""
    terms = collection.over_time
    whole = terms.charge * terms.drawn
    found = [("one report", f"{terms.report:.4g}")]
    if terms.forever is not None:
        found.append(("all reports about one value, for ever", readable(terms.forever)))
    found.append(
        ("a changed value" if terms.forever is not None else "each further report", readable(terms.change))
    )
    found.append(("a person and day", readable(whole) if terms.per == "day" else _per_day(collection)))
    found.append(("a person, for ever", "no limit" if terms.most is None else readable(terms.most)))
    return found


def _per_day(collection: Collection) -> str:
    most = collection.over_time.most
    return "no limit" if most is None else f"at most {readable(most)}"


def _counted(answer: ReleasedAnswer) -> list[str]:
    """How many reports were counted and left out; never which, nor why."""
    said = [stage for stage in answer.provenance.stages if " were counted" in stage]
    left = [note for note in answer.notes if "were left out" in note]
    return [*said, *(left or ["No report was left out."])]


def _estimates(answer: ReleasedAnswer) -> dict[str, Any]:
    first = answer.answers[0]
    ranked = sorted(range(len(answer)), key=lambda row: -(first.values[row] or 0.0))
    labels = labels_of(answer)
    top = ranked[:TOP]
    charts = [
        {
            "title": _CONSISTENT.get(column.name, "Estimates without bias, with their error bars"),
            "meaning": column.meaning,
            "bars": all(one is not None for one in (*column.low[:1], *column.high[:1])),
            "svg": bars_figure([labels[row] for row in top], _taken(column, top)),
        }
        for column in answer.answers
    ]
    return {
        "charts": charts,
        "top": min(TOP, len(answer)),
        "all": len(answer) <= TOP,
        "keys": [*answer.keys],
        "names": [_named(column) for column in answer.answers],
        "rows": [_cells(answer, row) for row in ranked[:MOST_ROWS]],
        "more": max(0, len(answer) - MOST_ROWS),
    }


def _named(column: Answer) -> str:
    return f"{column.name} (consistent, no interval)" if column.name in _CONSISTENT else column.name


def _taken(column: Answer, rows: list[int]) -> Answer:
    def some(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(values[row] for row in rows)

    return replace(column, values=some(column.values), low=some(column.low), high=some(column.high))


def _cells(answer: ReleasedAnswer, row: int) -> list[str]:
    keys = [key_text(values[row]) for values in answer.keys.values()]
    return [*keys, *(_figure(column, row) for column in answer.answers)]


def _figure(column: Answer, row: int) -> str:
    value, low, high = column.values[row], column.low[row], column.high[row]
    if value is None:
        return ""
    return f"{value:.4g}" if low is None or high is None else f"{value:.4g} [{low:.4g}, {high:.4g}]"


def _change(change: ReleasedAnswer) -> dict[str, Any]:
    column = next(one for one in change.answers if one.name == "change")
    sure = [
        row
        for row in range(len(change))
        if (low := column.low[row]) is not None and (high := column.high[row]) is not None and low * high > 0
    ]
    ranked = sorted(range(len(change)), key=lambda row: -abs(column.values[row] or 0.0))
    labels, top = labels_of(change), ranked[:TOP]
    return {
        "svg": bars_figure([labels[row] for row in top], _taken(column, top)),
        "sure": len(sure),
        "of": len(change),
        "keys": [*change.keys],
        "names": [one.name for one in change.answers],
        "rows": [_cells(change, row) for row in ranked[:MOST_ROWS]],
    }


def _trend(trend: ReleasedAnswer) -> dict[str, Any]:
    column = trend.answers[0]
    slopes = [
        [key_text(trend.keys["value"][row]), _figure(column, row)]
        for row in range(len(trend))
        if trend.keys["day"][row] is None
    ]
    days = [
        [key_text(value), day.isoformat(), f"{share:.4g} [{low:.4g}, {high:.4g}]"]
        for value, found in days_of(trend).items()
        for day, share, low, high in found
    ]
    return {"svg": trend_figure(trend), "slopes": slopes[:MOST_ROWS], "days": days[:MOST_ROWS]}


def _risk(one: RiskEstimate) -> tuple[str, ...]:
    return (
        one.attack,
        one.measure,
        one.success.text(),
        f"{one.baseline:.4g}",
        "" if one.bound is None else f"{one.bound:.4g}",
        "" if one.detectable is None else figure(one.detectable),
        verdict_words(one),
    )
