"""Legal bases as a policy states them: which point of GDPR Art. 6(1) or Art. 9(2) a text names.

A text that names a point is a statement of whoever wrote it. Whether the point applies is for people to judge, and nothing
here says that it does.
"""

from __future__ import annotations

import re

from privet.audits.columns import CATEGORIES
from privet.dataset._declaration import Declaration, DeclaredColumn

LAWFUL = {
    "a": "consent",
    "b": "contract",
    "c": "legal obligation",
    "d": "vital interests",
    "e": "public task",
    "f": "legitimate interests",
}
SPECIAL = {
    "a": "explicit consent",
    "b": "employment, social security and social protection law",
    "c": "vital interests",
    "d": "members of a not-for-profit body",
    "e": "made public by the person",
    "f": "legal claims",
    "g": "substantial public interest",
    "h": "health or social care",
    "i": "public health",
    "j": "archiving, research or statistics",
}
EXAMPLE = "special_basis: GDPR Art. 9(2)(j), scientific research"
# Art. 6(1)(e), Article 6 (1) e, Art. 6 Abs. 1 lit. e DSGVO, art. 6.1.e
_POINT = (
    r"(?<![\d(]){article}\W*(?:abs\w*\W*|para\w*\W*)?{paragraph}\W*(?:lit\w*\W*|point\W*|let\w*\W*)?([a-z])\b"
)
_ARTICLE_6 = re.compile(_POINT.format(article=6, paragraph=1), re.IGNORECASE)
_ARTICLE_9 = re.compile(_POINT.format(article=9, paragraph=2), re.IGNORECASE)


def lawful_point(text: str | None) -> str | None:
    """The point of Art. 6(1) that a text names, as a citation with its heading; None where it names none."""
    return _cited(_ARTICLE_6, text, LAWFUL, "Art. 6(1)")


def special_point(text: str | None) -> str | None:
    """The point of Art. 9(2) that a text names, as a citation with its heading; None where it names none."""
    return _cited(_ARTICLE_9, text, SPECIAL, "Art. 9(2)")


def is_special(column: DeclaredColumn) -> bool:
    """Whether a column is of a special category (Art. 9(1)): it is declared so, or its category is one."""
    known = CATEGORIES.get(column.category or "")
    return column.special or (known is not None and known.special)


def special_columns(declaration: Declaration, purpose: str) -> list[str]:
    """The columns of special categories that a purpose may use."""
    return [
        name
        for name in declaration.purposes[purpose].columns
        if name in declaration.every_column and is_special(declaration.every_column[name])
    ]


def special_gap(declaration: Declaration, purpose: str) -> str | None:
    """What is not said where a purpose uses special categories and names no point of Art. 9(2); None where nothing lacks."""
    special, said = special_columns(declaration, purpose), declaration.purposes[purpose]
    if not special or special_point(said.special_basis) or special_point(said.basis):
        return None
    return (
        f"{', '.join(map(repr, special))} {'is' if len(special) == 1 else 'are'} of a special category (GDPR Art. 9), and "
        "which point of Art. 9(2) lets them be used nobody has said"
    )


def claims_none(basis: str) -> bool:
    """Whether a text says that no legal basis is claimed, as a trial's does: then nothing is handed on."""
    return basis.strip().lower().startswith("none")


def _cited(pattern: re.Pattern[str], text: str | None, points: dict[str, str], of: str) -> str | None:
    found = pattern.search(text or "")
    letter = found[1].lower() if found else ""
    return f"{of}({letter}), {points[letter]}" if letter in points else None
