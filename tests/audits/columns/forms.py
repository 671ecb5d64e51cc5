"""What tests of detectors share: columns made of texts, text that is nothing, and changing one digit at a time."""

from collections.abc import Callable, Sequence

from privet.audits.columns._sampled_column import SampledColumn
from privet.engine import ColumnKind, Profile

# Letters and digits that only look like those a check expects, and lengths that nobody expects.
ODD = ("", " ", "0", "٣٤٥٦٧٨٩٠١٢", "²³", "é" * 11, "-" * 20, "9" * 2000, "A" * 17, "\x00", "𝟙" * 10)


def matched(test: Callable[[str], bool], texts: str) -> list[str]:
    """Those of the texts, written with bars between them, that a test holds for."""
    return [text for text in texts.split("|") if test(text)]


def share_refused(test: Callable[[str], bool], number: str) -> float:
    """The part of all numbers with one digit changed that a test refuses."""
    changed = [
        number[:place] + other + number[place + 1 :]
        for place, letter in enumerate(number)
        if letter.isdigit()
        for other in set("0123456789") - {letter}
    ]
    return sum(not test(text) for text in changed) / len(changed)


def of_category(detectors: Sequence, category: str, text: str) -> bool:
    """Whether any detector of a category takes a text for it."""
    return any(one.matches(text) for one in detectors if one.category == category)


def sampled(
    values: Sequence[str], kind: ColumnKind = ColumnKind.TEXT, name: str = "x7", rows: int | None = None
) -> SampledColumn:
    """A column whose distinct values are these, in so many rows: one for each unless said otherwise."""
    distinct = len(values)
    rows = distinct if rows is None else rows
    counted = tuple((value, rows // distinct + (at < rows % distinct)) for at, value in enumerate(values))
    return SampledColumn.of(
        name,
        Profile(kind, "string", rows, 0, distinct, exact=True, shortest=None, longest=None, values=counted),
    )
