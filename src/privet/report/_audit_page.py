"""The audit as one HTML page for the table's owner, and another, made from the publishable audit, for others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, Publishable
from privet.audits import Audit, PublicAudit, percent, verdict
from privet.report import _audit_figures as figures
from privet.report._page import rendered, saved_page

_SETS = 12
_HEAT = 14
_KEYS = 5


def audit_page(audit: Audit) -> str:
    """The owner's page."""
    return rendered(
        "audit_owner.html",
        title=f"Audit of {audit.table}",
        audience="owner",
        audit=audit,
        verdict=verdict(audit),
        calm=audit.alike.sizes.uniques == 0 and not audit.linkage,
        one=audit.unit.one,
        many=audit.unit.many,
        review=audit.unknown,
        keys_of=audit.person_keys.candidates[:_KEYS],
        several=_several(audit),
        tiles=_tiles(audit),
        columns=_columns(audit),
        **_alike(audit),
        **_exposed(audit),
        **_attacker(audit),
        **_linkage(audit),
        **_caps(audit),
    )


def public_page(audit: PublicAudit) -> str:
    """The page for others, from the publishable audit alone."""
    points = [(number, share, share, share, None) for number, share in audit.unicity]
    tiles = [
        (f"about {audit.people:,}", audit.unit),
        (_round(audit.unique_share), "are alone by what an outsider may know"),
        (_round(audit.below_five_share), "have fewer than four look-alikes"),
        (_round(audit.mean_risk), "mean risk of being found"),
        *((_round(share), f"have their {name} given away") for name, share in audit.given_away.items()),
    ]
    return rendered(
        "audit_public.html",
        title=f"Risk assessment of {audit.table}",
        audience="public",
        audit=audit,
        verdict=_public_verdict(audit),
        tiles=tiles,
        curve=figures.curve(points, title=f"{audit.unit.capitalize()} singled out") if points else "",
        known=[(number, _round(share)) for number, share in audit.unicity],
    )


def save_audit_page(audit: Audit | PublicAudit, path: str | Path) -> Path:
    """Write the page that belongs to the type of audit, whole or not at all."""
    if isinstance(audit, PublicAudit):
        return saved_page(Publishable(public_page(audit), "built from what may be told"), path)
    return saved_page(OwnerOnly(audit_page(audit)), path)


def _public_verdict(audit: PublicAudit) -> str:
    if audit.linked_share is not None:
        return f"About {_round(audit.linked_share)} of {audit.unit} could be found by linking with another table."
    return (
        f"About {_round(audit.unique_share)} of {audit.unit} are alone with their {', '.join(audit.quasi)}."
    )


def _round(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def _tiles(audit: Audit) -> list[tuple[str, str]]:
    people = max(1, audit.people)
    roles = [finding.role for finding in audit.columns.values()]
    many = audit.unit.many
    tiles = [
        (f"{audit.people:,}", many if many == "rows" else f"{many} in {audit.rows:,} rows"),
        (str(roles.count("unknown")), "columns of which nothing is known"),
        (str(roles.count("direct")), "columns that name people outright"),
        (f"k = {audit.alike.sizes.k}", f"{many} in the smallest class of look-alikes"),
        (percent(audit.unique_share), f"of {many} are alone by what an outsider may know"),
        (percent(audit.alike.sizes.rows_below(5) / people), "have fewer than four look-alikes"),
        (percent(audit.marketer), "mean chance of being found"),
    ]
    if audit.linkage:
        tiles.append((percent(audit.linkage.share), f"found by linking with {audit.linkage.auxiliary}"))
    return tiles


def _columns(audit: Audit) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "role": finding.role,
            "category": _breakable(finding.category),
            "article": finding.article,
            "hipaa": finding.hipaa,
            "evidence": finding.reason + (f"; may reveal {finding.reveals}" if finding.reveals else ""),
            "confidence": "stated"
            if finding.stated
            else ""
            if finding.unknown
            else f"{finding.confidence:.0%}",
            "distinct": f"{finding.distinct:,}",
            "missing": percent(finding.missing_share) if finding.missing_share else "",
        }
        for name, finding in sorted(audit.columns.items(), key=lambda pair: not pair[1].unknown)
    ]


def _several(audit: Audit) -> list[tuple[Any, ...]]:
    """A line for each attacker and each sensitive column."""
    found = audit.several
    rows: list[tuple[Any, ...]] = []
    for attacker in found.attackers if found else ():
        head = (attacker.knows, attacker.k, percent(attacker.alone / max(1, found.units if found else 1)))
        if not attacker.diversity:
            rows.append((*head, "", "", "", ""))
        for name, learned in attacker.diversity.items():
            certain = percent(learned.certain_people / max(1, found.units if found else 1))
            rows.append((*head, name, learned.distinct_l, f"{learned.t_equal:.3f}", certain))
    return rows


def _breakable(category: str) -> Any:
    """A category that may break after its dots."""
    from markupsafe import Markup

    return Markup(".<wbr>").join(category.split("."))


def _alike(audit: Audit) -> dict[str, Any]:
    bins = audit.alike.sizes.histogram()
    labels = figures.ladder([(one.smallest, one.largest) for one in bins])
    rows = list(zip(labels, bins, strict=True))
    return {
        "histogram": figures.histogram(
            [(label, one.rows, one.classes) for label, one in rows],
            title=f"{audit.unit.many.capitalize()} by size of class",
        ),
        "sizes": [(label, f"{one.classes:,}", f"{one.rows:,}") for label, one in rows],
        "risks": _risks(audit),
        "missing": [
            (
                effect.semantics,
                "too large" if effect.k is None else effect.k,
                "" if effect.uniques is None else f"{effect.uniques:,}",
                "" if effect.mean_risk is None else percent(effect.mean_risk),
                f"{effect.left_out:,}",
            )
            for effect in audit.missing_effects
        ]
        if len(audit.missing_effects) > 1
        else [],
        "secrets": [
            (
                name,
                found.distinct_l,
                f"{found.entropy_l:.2f}",
                f"{found.recursive_ratio[2]:.3g}".replace("inf", "none"),
                f"{found.t_equal:.3f}",
                f"{found.t_ordered:.3f}",
                percent(found.single_valued_rows / max(1, audit.people)),
            )
            for name, found in audit.diversity.items()
        ],
        **_population(audit),
    }


def _risks(audit: Audit) -> list[tuple[str, ...]]:
    rows = [(f"knows that the {audit.unit.one} is in the table (prosecutor)", audit.alike.prosecutor)]
    if audit.in_population:
        rows.append(
            (
                f"does not know it; population {audit.in_population.name} (journalist)",
                audit.in_population.risk,
            )
        )
    else:
        rows.append(
            (
                "does not know it (journalist; at worst, as no population table is given)",
                audit.alike.prosecutor,
            )
        )
    if audit.survey:
        rows.append(("sample survey, by weights (Benedetti and Franconi)", audit.survey))
    told: list[tuple[str, ...]] = [
        (words, percent(risk.highest), percent(risk.mean), percent(risk.above[0.2]), percent(risk.above[0.5]))
        for words, risk in rows
    ]
    told.append(("matches everybody (marketer)", "", percent(audit.marketer), "", ""))
    return told


def _population(audit: Audit) -> dict[str, Any]:
    rows, notes = [], []
    for found in audit.population:
        shares = [
            "does not apply" if one.share is None else percent(one.share)
            for one in (found.pitman, found.zayatz, found.snb, found.dankar)
        ]
        shares[-1] += f" ({found.chosen})"
        rows.append((f"{percent(found.fraction)} of everybody", *shares))
        for name, one in (("Pitman", found.pitman), ("Zayatz", found.zayatz), ("SNB", found.snb)):
            if not one.valid and one.reason:
                notes.append(f"{name} does not apply: {one.reason}.")
    return {"population": rows, "population_notes": list(dict.fromkeys(notes))}


def _exposed(audit: Audit) -> dict[str, Any]:
    told = audit.to_json()["suda"]
    parts = sorted(audit.suda.contributions().items(), key=lambda pair: -pair[1])
    tail = (
        f"The most exposed hundredth of them carries {percent(told['top_percent_share_of_score'])} of all SUDA scores."
        if told["people_with_a_score"] >= 100
        else ""
    )
    return {
        "tail": tail,
        "exposed": [(", ".join(one.columns), f"{one.rows:,}") for one in audit.suda.sets[:_SETS]],
        "contributions": [(name, percent(share)) for name, share in parts if share],
        "contributions_figure": figures.bars(
            [pair for pair in parts if pair[1]][:_SETS], title="What each column adds to the scores"
        ),
    }


def _attacker(audit: Audit) -> dict[str, Any]:
    points = [(one.attributes, one.share, one.low, one.high, one.best) for one in audit.unicity]
    secret = audit.secret
    counted = [
        one
        for one in audit.column_sets.sets
        if one.unique_share is not None and not secret & set(one.columns)
    ]
    strongest = sorted(counted, key=lambda one: (-(one.unique_share or 0), len(one.columns), one.columns))
    smallest = _without_supersets(strongest)[:_SETS]
    return {
        "curve": figures.curve(
            points, title=f"{audit.unit.many.capitalize()} singled out by known attributes"
        ),
        "known": [
            (
                one.attributes,
                percent(one.share),
                "exact" if one.exact else f"{percent(one.low)} to {percent(one.high)}",
                percent(one.best),
                ", ".join(one.best_columns),
            )
            for one in audit.unicity
        ],
        "set_bars": figures.bars(
            [(", ".join(one.columns), one.unique_share or 0) for one in smallest],
            title=f"{audit.unit.many.capitalize()} alone by sets of columns",
        ),
        "sets": [
            (
                ", ".join(one.columns),
                percent(one.unique_share or 0),
                f"{one.separation:.6f}",
                f"{one.distinction or 0:.6f}",
            )
            for one in smallest
        ],
        "keys": "; ".join(", ".join(names) for names in audit.keys.sets[:6]),
        **_heat(audit),
    }


def _without_supersets(sets: list[Any]) -> list[Any]:
    """Sets that single out visibly more than every smaller one inside them."""
    kept: list[Any] = []
    for one in sorted(sets, key=lambda each: (len(each.columns), -(each.unique_share or 0))):
        inner = [each for each in kept if set(each.columns) < set(one.columns)]
        if all((one.unique_share or 0) > (each.unique_share or 0) + 0.02 for each in inner):
            kept.append(one)
    return sorted(kept, key=lambda each: (-(each.unique_share or 0), len(each.columns), each.columns))


def _heat(audit: Audit) -> dict[str, Any]:
    known = {
        frozenset(one.columns): one.separation for one in audit.column_sets.sets if len(one.columns) <= 2
    }
    every = list(dict.fromkeys(name for one in audit.column_sets.sets for name in one.columns))
    names = sorted(every, key=lambda name: -known.get(frozenset([name]), 0.0))[:_HEAT]
    shares = [[known.get(frozenset([one, other])) for other in names] for one in names]
    return {
        "heat": figures.heat_map(names, shares, title="Separation by pairs of columns"),
        "heat_heads": ["", *names],
        "heat_rows": [
            (name, *("" if share is None else f"{share:.4f}" for share in row))
            for name, row in zip(names, shares, strict=True)
        ],
    }


def _linkage(audit: Audit) -> dict[str, Any]:
    linkage = audit.linkage
    if linkage is None:
        return {"linkage": None}
    direct = (
        f" Both hold {', '.join(linkage.direct)}: until that goes, no attack is needed."
        if linkage.direct
        else ""
    )
    by = ", ".join(mine if mine == other else f"{mine} = {other}" for mine, other in linkage.columns)
    return {
        "linkage": linkage,
        "linkage_words": f"{linkage.records:,} records, linked by {by}, with every direct identifier left out.{direct}",
        "attempts": [
            (
                attempt.method,
                f"{attempt.claimed:,}",
                percent(attempt.share),
                percent(attempt.score.precision)
                if attempt.score and attempt.score.precision is not None
                else "not known",
                percent(attempt.score.recall)
                if attempt.score and attempt.score.recall is not None
                else "not known",
            )
            for attempt in linkage.attempts
        ],
    }


def _caps(audit: Audit) -> dict[str, Any]:
    found = audit.contributions
    if found is None:
        return {"caps": None}
    spreads = [
        ("rows", found.rows),
        *((f"different {name}", spread) for name, spread in found.groups.items()),
    ]
    return {
        "unit": found.unit,
        "caps": [
            (
                label,
                *(number for share, number in spread.quantiles if share in (0.5, 0.95, 0.99, 1.0)),
                spread.suggested,
                percent(spread.kept),
            )
            for label, spread in spreads
        ],
        "heavy": f"The heaviest hundredth of {audit.unit.many} has {percent(found.heavy_share)} of all rows.",
    }
