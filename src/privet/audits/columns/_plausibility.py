"""Whether a column's values could be what its name says, where no detector recognises them."""

# ruff: noqa: SIM905  lists of words read best as words

from __future__ import annotations

from collections.abc import Callable

from privet.audits.columns._free_text import is_prose
from privet.audits.columns._record_codes import unique_code
from privet.audits.columns._sampled_column import SampledColumn
from privet.audits.columns._taxonomy import CATEGORIES, DIRECT
from privet.engine import ColumnKind

# Every value of these has a form that is known in full: if none has it, the name is wrong.
STRICT = frozenset(
    (
        "user.contact.email user.contact.url user.device.ip_address user.device.mac_address user.payment.iban "
        "user.payment.card_number user.unique_id.uuid user.vehicle.vin user.device.imei user.device.user_agent"
    ).split()
)
_PLAIN = (ColumnKind.TEXT, ColumnKind.INTEGER)
_ANSWERS = frozenset("yes no y n true false t f ja nein oui non si sí no absent present 0 1".split())
_MANY_ROWS = 5  # in fewer, two heights may be all there are


def could_be(category: str, column: SampledColumn) -> bool:
    """Whether nothing about the values speaks against the category."""
    if column.profile.present == 0:
        return True
    if category in STRICT:
        return len(column.texts) < 5 and column.kind is ColumnKind.TEXT
    for beginning, test in _TESTS:
        if category.startswith(beginning):
            return test(column)
    return identifies(column) if CATEGORIES[category].role == DIRECT else True


def identifies(column: SampledColumn) -> bool:
    """Values that could tell many persons apart: not truth values, measurements or a handful of labels."""
    whole = column.kind is not ColumnKind.REAL or all(number.is_integer() for number in column.numbers)
    few = column.profile.distinct <= 2 or (column.distinct_share < 0.02 and column.profile.distinct < 20)
    small = bool(column.numbers) and max(column.numbers) < 100 and column.distinct_share < 0.5
    return (
        column.kind in (*_PLAIN, ColumnKind.REAL)
        and whole
        and (not few or column.profile.present <= 2)
        and not small
    )


def _is_id(column: SampledColumn) -> bool:
    enough = column.distinct_share >= 0.2 and column.profile.distinct >= min(10, column.profile.present)
    counter = bool(column.numbers) and max(column.numbers) < 1_000 and column.distinct_share < 0.98
    return column.kind in _PLAIN and enough and not counter and not is_prose(column)


def _is_called(column: SampledColumn) -> bool:
    letters = column.share([sum(map(str.isalpha, text)) >= len(text) / 2 for text in column.texts])
    return column.kind is ColumnKind.TEXT and letters >= 0.8 and column.words <= 5


def _two_valued(column: SampledColumn) -> bool:
    """Truth values, or a number that takes two values in many rows: a yes or no, and nothing that is measured."""
    numeric = column.kind is not ColumnKind.TEXT or bool(column.numbers)
    answers = {text.casefold() for text in column.texts} <= _ANSWERS
    few = column.profile.exact and column.profile.distinct <= 2 and column.profile.present > _MANY_ROWS
    return column.kind is ColumnKind.BOOLEAN or (few and (numeric or answers))


def _is_quantity(column: SampledColumn) -> bool:
    """What is measured or counted of a person and is never below nought: numbers, or words for bands of them."""
    return not _two_valued(column) and (not column.numbers or min(column.numbers) >= 0)


def _is_money(column: SampledColumn) -> bool:
    readable = column.kind is not ColumnKind.TEXT or column.profile.distinct <= 100 or bool(column.numbers)
    return readable and not _two_valued(column)


def _is_place(column: SampledColumn) -> bool:
    return column.kind in _PLAIN and not is_prose(column) and not _two_valued(column)


def _is_age(column: SampledColumn) -> bool:
    numbers = column.numbers
    return bool(numbers) and min(numbers) >= 0 and max(numbers) <= 125 and not _two_valued(column)


def _is_postal(column: SampledColumn) -> bool:
    digits = column.share([sum(map(str.isdigit, text)) >= 2 for text in column.texts])
    return column.kind in _PLAIN and digits >= 0.5 and 3 <= column.length <= 10


def _is_birth_year(column: SampledColumn) -> bool:
    return bool(column.numbers) and all(1850 <= number <= 2100 for number in column.numbers)


def _is_degree(column: SampledColumn) -> bool:
    return bool(column.numbers) and column.kind is ColumnKind.REAL and max(map(abs, column.numbers)) <= 180


def _is_text(column: SampledColumn) -> bool:
    return column.kind is ColumnKind.TEXT and (column.words >= 3 or column.length >= 25)


def _at_most(many: int) -> Callable[[SampledColumn], bool]:
    """Labels or their codes: so many at most, no prose, and no numbers with decimals, which are measured."""

    def test(column: SampledColumn) -> bool:
        measured = any(not number.is_integer() for number in column.numbers)
        return column.profile.distinct <= many and not is_prose(column) and not measured

    return test


def _never(_: SampledColumn) -> bool:
    return False


# Beginnings of categories, the longer ones first.
_TESTS: tuple[tuple[str, Callable[[SampledColumn], bool]], ...] = (
    ("user.name", _is_called),
    ("user.demographic.date_of_birth", _never),  # dates are recognised by their values
    ("user.date", _never),
    ("user.demographic.year_of_birth", _is_birth_year),
    ("user.demographic.age_range", _at_most(60)),
    ("user.demographic.age", _is_age),
    ("user.demographic.gender", _at_most(12)),
    ("user.demographic.body", _is_quantity),
    ("user.demographic.education", lambda column: column.profile.distinct <= 2_000 and not is_prose(column)),
    ("user.demographic.family", lambda column: column.profile.distinct <= 2_000 and not is_prose(column)),
    ("user.demographic", _at_most(2_000)),
    ("user.contact.address.postal_code", _is_postal),
    ("user.contact.address.street", lambda column: column.kind is ColumnKind.TEXT),
    ("user.contact.address", _is_place),
    ("user.location.precise", _is_degree),
    ("user.content", _is_text),
    ("user.image", lambda column: column.kind is ColumnKind.TEXT and identifies(column)),
    ("user.biometric", lambda column: column.kind is not ColumnKind.BOOLEAN),
    ("user.unique_id", lambda column: _is_id(column) or unique_code(column) is not None),
    ("user.health_and_medical.provider_number", identifies),
    ("user.financial", _is_money),
)  # fmt: skip
