"""The identifiers of HIPAA Safe Harbor, looked for in the columns and values of a file that is to be handed out.

What is recognised is there. What is not recognised may still be there: a detector knows usual names and usual forms, and
looks at a sample of distinct values. No value leaves this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from privet.audits._column_classification import classify
from privet.engine import profile
from privet.source import Table

OLDEST = 89  # 45 CFR 164.514(b)(2)(i)(C): older ages are pooled
_ANY = "R"  # any other unique number, characteristic or code
_POSTAL, _AGE = "user.contact.address.postal_code", "user.demographic.age"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WITHIN_A_YEAR = re.compile(r"\d{1,4}\s*[-/.年]\s*\d{1,2}|[A-Za-z]{3,}\.?\s*\d{2,4}")


def identifiers_in(table: Table) -> list[dict[str, Any]]:
    """The columns of a published table in which an identifier is recognised, each with the letter of its paragraph.

    `coarse` says how far the values were found to be made coarse, or is None where they stand as identifiers.
    """
    profiles = profile(table.relation)
    found = []
    for name, finding in classify(table).items():
        letter = finding.hipaa or (_ANY if finding.role in ("direct", "free text") else None)
        if letter is not None:
            values = [value.strip() for value, _ in profiles[name].values]
            found.append(
                {"column": name, "letter": letter, "coarse": _coarse(letter, finding.category, values)}
            )
    return found


def _coarse(letter: str, category: str, values: Iterable[str]) -> str | None:
    left = [value for value in values if value.strip("* ")]
    if not left:
        return "no value is left"
    if category == _POSTAL:
        return "three digits at most" if all(len(re.sub(r"\D", "", one)) <= 3 for one in left) else None
    if category == _AGE:
        old = [one for one in left if _NUMBER.fullmatch(one) and float(one) > OLDEST]
        return None if old else f"no single age over {OLDEST} seen"
    if letter == "C":
        return None if any(_WITHIN_A_YEAR.search(one) for one in left) else "nothing finer than a year seen"
    return None
