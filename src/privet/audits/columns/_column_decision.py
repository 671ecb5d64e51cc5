"""One column, one decision: values first, then dates and numbers, then the name, then how often values repeat."""

from __future__ import annotations

from dataclasses import dataclass

from privet.audits.columns import _date_values as dates
from privet.audits.columns._column_evidence import Evidence
from privet.audits.columns._column_names import Hint, hint_of
from privet.audits.columns._detector_shares import DetectorVerdict, same, verdicts
from privet.audits.columns._free_text import inside, is_prose
from privet.audits.columns._network_addresses import is_hash
from privet.audits.columns._plausibility import STRICT, could_be, identifies
from privet.audits.columns._record_codes import unique_code
from privet.audits.columns._sampled_column import SampledColumn, spread
from privet.audits.columns._taxonomy import CATEGORIES, DIRECT
from privet.engine import ColumnKind

# Where values tell the form and the name tells what it stands for.
_REFINED_BY_NAME = {
    "user.contact.phone_number": ("user.contact.fax_number",),
    "user.contact.address.country": ("user.demographic.nationality",),
    "user.contact.address.city": ("user.demographic.nationality", "user.contact.address.county"),
    "user.health_and_medical.uk_nhs": ("user.health_and_medical.record_id",),
    "user.contact.url": ("user.image",),
    "user.name": ("user.name.first", "user.name.last", "user.unique_id.account_name"),
    "user.name.first": ("user.name", "user.name.last", "user.unique_id.account_name"),
    "user.name.last": ("user.name", "user.name.first", "user.unique_id.account_name"),
}
_OPAQUE = ("user.unique_id.uuid", "user.unique_id.pseudonymous")
_LOOKED_INSIDE = 200  # texts


@dataclass(frozen=True, slots=True)
class Decision:
    """What a column is, and why."""

    category: str
    confidence: float
    evidence: tuple[Evidence, ...]


def decide(column: SampledColumn) -> Decision:
    """The category of a column. Never fails; where nothing speaks, it is `other`, whose role is unknown."""
    hint = hint_of(column.name)
    named = hint.category if hint and not hint.about else None
    opinions = verdicts(column, named)
    found = (
        _without_values(column, hint)
        or _by_date(column, named)
        or _by_values(column, hint, opinions)
        or _by_name(column, hint, opinions)
        or _by_text(column)
        or _by_distribution(column)
    )
    if found is not None:
        return found
    said = Evidence("values", "nothing personal was recognised", "other", None, len(column.texts))
    return Decision("other", 0.0, (said, *_weak(opinions)))


def _without_values(column: SampledColumn, hint: Hint | None) -> Decision | None:
    """Empty columns by their names; lists, structures and bytes cannot be judged by column: they need a look."""
    if column.profile.type.startswith(("binary", "!binary")) and column.profile.present:
        named = (
            hint.category
            if hint and hint.category in ("user.image", "user.biometric", "user.genetic")
            else None
        )
        said = Evidence("type", "holds bytes, which are not looked at", named or "user.content.free_text")
        return Decision(named or "user.content.free_text", 0.6, (*_said(hint), said))
    if column.kind is ColumnKind.OTHER and column.texts:
        found = tuple(inside(spread(column.texts, _LOOKED_INSIDE)))
        said = Evidence(
            "type", "holds lists, structures or the like: look at their parts", "user.content.free_text"
        )
        named = hint.category if hint and hint.category in ("user.biometric", "user.genetic") else None
        category = named or ("user.content.private" if found else "user.content.free_text")
        return Decision(category, 0.7 if found else 0.5, (*found, said, *_said(hint)))
    if column.texts:
        return None
    said = Evidence("cardinality", "has no values to look at", "other")
    if hint and not hint.about and not hint.general:
        return Decision(hint.category, 0.5, (*_said(hint), said))
    return Decision("other", 0.0, (said,))


def _by_date(column: SampledColumn, named: str | None) -> Decision | None:
    years = [year for year in map(dates.year_of, column.texts) if year is not None]
    share = len(years) / max(len(column.texts), 1)
    if share < 0.8 or (column.kind is ColumnKind.REAL):
        return None
    says = f"{share:.0%} of {len(column.texts)} distinct values are dates"
    birth, other = "user.demographic.date_of_birth", "user.date"
    if named in (birth, "user.demographic.year_of_birth"):
        said = Evidence("values", says, birth, share, len(column.texts))
        return Decision(birth, 0.97, (said, *_named(named)))
    if dates.are_births(years):
        says += ", spread over generations"
        said = Evidence("values", says, birth, share, len(column.texts))
        return Decision(birth, 0.8, (said, *_named(named)))
    said = Evidence("values", says, other, share, len(column.texts))
    return Decision(other, 0.9, (said, *_named(named)))


def _by_values(column: SampledColumn, hint: Hint | None, opinions: list[DetectorVerdict]) -> Decision | None:
    named = hint.category if hint and not hint.about else None
    usable = [one for one in opinions if one.confidence >= 0.5 and not one.needs_name]
    agreeing = [one for one in opinions if one.confidence >= 0.5 and same(one.category, named)]
    if agreeing and not any(one.checked and not same(one.category, named) for one in usable):
        best = agreeing[0]
        category = max(best.category, named or "", key=len)
        return Decision(category, best.confidence, (best.evidence, *_said(hint), *_weak(usable, best)))
    if not usable or (is_prose(column) and not usable[0].checked and usable[0].confidence < 0.9):
        return None
    best = usable[0]
    if named is not None and _is_number_instead(named, best, column):
        return None  # subjects called F01 and M12 are no diagnoses
    refines = named is not None and (
        named in _REFINED_BY_NAME.get(best.category, ())
        or (best.category in _OPAQUE and CATEGORIES[named].role == DIRECT and named not in STRICT)
    )
    category = named if refines and named is not None else best.category
    if not refines and named and could_be(named, column) and best.confidence < 0.8 and not best.checked:
        return None  # the name is the better witness
    return Decision(category, best.confidence, (best.evidence, *_said(hint), *_weak(usable, best)))


def _is_number_instead(named: str, best: DetectorVerdict, column: SampledColumn) -> bool:
    """Whether the name says that a column numbers people, where values only look like something to be published."""
    published = CATEGORIES[best.category].role != DIRECT and not best.checked
    return (
        published
        and named.startswith(("user.unique_id", "user.health_and_medical.record_id"))
        and (column.words <= 1.05 and identifies(column))
    )


def _by_name(column: SampledColumn, hint: Hint | None, opinions: list[DetectorVerdict]) -> Decision | None:
    if hint is None or (hint.about and CATEGORIES[hint.category].role == DIRECT):
        return None
    category = hint.category
    if hint.general and category == "user.unique_id" and _zip_like(column) and column.distinct_share < 0.9:
        return None  # `area_code`
    if could_be(category, column):
        if category.startswith("user.content"):
            return _prose(column)
        kept = [one for one in opinions if same(one.category, category)]
        weak = hint.general or hint.about
        return Decision(category, 0.6 if weak else 0.8, (*_said(hint), *_weak(kept)))
    stands_in = (
        column.share([is_hash(text) for text in column.texts]) > 0.5 or unique_code(column) is not None
    )
    if category in STRICT and stands_in and column.kind is ColumnKind.TEXT:
        said = Evidence(
            "values", "codes stand where the name promises something else", "user.unique_id.pseudonymous"
        )
        return Decision("user.unique_id.pseudonymous", 0.7, (said, *_said(hint)))
    return None


def _by_text(column: SampledColumn) -> Decision | None:
    """Sentences; or labels and codes some of which hold personal data."""
    if column.kind is not ColumnKind.TEXT:
        return None
    return _prose(column) if is_prose(column) or _found_inside(column) else None


def _prose(column: SampledColumn) -> Decision:
    found = _found_inside(column)
    said = Evidence("values", f"{column.words:.0f} words in a value on average", "user.content.free_text")
    category = "user.content.private" if found else "user.content.free_text"
    return Decision(category, 0.9 if found else 0.75, (*found, said))


def _found_inside(column: SampledColumn) -> tuple[Evidence, ...]:
    return tuple(inside(spread(column.texts, _LOOKED_INSIDE)))


def _by_distribution(column: SampledColumn) -> Decision | None:
    found = unique_code(column)
    if found is not None and not (_zip_like(column) and column.distinct_share < 0.9):
        confidence, said = found
        return Decision("user.unique_id", confidence, (said,))
    if _zip_like(column):
        said = Evidence(
            "values", "five digits each, kept as text, few rows apart", "user.contact.address.postal_code"
        )
        return Decision("user.contact.address.postal_code", 0.55, (said,))
    if _coordinate_like(column):
        said = Evidence("values", "decimal degrees with the places of a position", "user.location.precise")
        return Decision("user.location.precise", 0.5, (said,))
    if _age_like(column):
        said = Evidence("values", "whole numbers spread as ages are", "user.demographic.age")
        return Decision("user.demographic.age", 0.5, (said,))
    return None


def _zip_like(column: SampledColumn) -> bool:
    five = column.share([len(text) == 5 and text.isdigit() for text in column.texts]) >= 0.98
    return column.kind is ColumnKind.TEXT and five and column.profile.distinct >= 5


def _coordinate_like(column: SampledColumn) -> bool:
    if column.kind is not ColumnKind.REAL or len(column.numbers) < 20:
        return False
    places = column.share([4 <= len(text.partition(".")[2]) <= 8 for text in column.texts])
    sizes = sorted(map(abs, column.numbers))
    return places >= 0.8 and sizes[-1] <= 180 and sizes[len(sizes) // 2] >= 10


def _age_like(column: SampledColumn) -> bool:
    """From nearly nought to old age, and thinning out at its end, where marks and percentages stop at 100."""
    numbers = column.numbers
    if column.kind is not ColumnKind.INTEGER or not column.profile.exact or column.profile.distinct < 40:
        return False
    if min(numbers) < 0 or not 70 <= max(numbers) <= 115 or max(numbers) in (99, 100):
        return False
    rows = {int(value): count for value, count in column.profile.values if value.lstrip("-").isdigit()}
    total, top = sum(rows.values()), max(rows)
    last = sum(count for value, count in rows.items() if value > top - 10)
    middle = sum(count for value, count in rows.items() if 30 <= value < 60)
    return last < 0.05 * total and middle > 0.25 * total


def _said(hint: Hint | None) -> tuple[Evidence, ...]:
    return _named(hint.category, about=hint.about) if hint else ()


def _named(category: str | None, *, about: bool = False) -> tuple[Evidence, ...]:
    if category is None:
        return ()
    label = CATEGORIES[category].label
    says = f"its name speaks about {label}" if about else f"its name says {label}"
    return (Evidence("name", says, category),)


def _weak(opinions: list[DetectorVerdict], best: DetectorVerdict | None = None) -> tuple[Evidence, ...]:
    """What else was found, at most two other categories."""
    others = [one for one in opinions if best is None or one.category != best.category]
    return tuple(one.evidence for one in others[:2])
