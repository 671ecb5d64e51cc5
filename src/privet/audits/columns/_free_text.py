"""Free text, and personal data inside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from privet.audits.columns import (
    _contact as contact,
)
from privet.audits.columns import (
    _national_numbers as national,
)
from privet.audits.columns import (
    _network_addresses as network,
)
from privet.audits.columns import (
    _payment as payment,
)
from privet.audits.columns._column_evidence import Evidence
from privet.audits.columns._common_names import FAMILY, GIVEN, TITLES
from privet.audits.columns._person_attributes import plain_word
from privet.audits.columns._sampled_column import SampledColumn
from privet.audits.columns._taxonomy import CATEGORIES
from privet.engine import ColumnKind

_CANDIDATE = re.compile(r"\+?[\d(][\d() ./-]{6,28}\d")
_LONG_CODE = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b")
_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]+"
_CAPITALISED = re.compile(rf"\b({_CAPITAL})\.? (?=(?:[A-Z]\.? )?({_CAPITAL}))")
_IP = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")


def has_phone(text: str) -> bool:
    """A telephone number somewhere inside."""
    return any(contact.is_phone(found.strip()) for found in _CANDIDATE.findall(text))


def has_ssn(text: str) -> bool:
    """A US social security number as it is written."""
    return any(national.is_written_ssn(found.strip()) for found in _CANDIDATE.findall(text))


def has_card(text: str) -> bool:
    """A payment card number that passes its check."""
    return any(payment.is_card(found.strip()) for found in _CANDIDATE.findall(text))


def has_iban(text: str) -> bool:
    """A bank account that passes its check."""
    return any(payment.is_iban(found) for found in _LONG_CODE.findall(text))


def has_person(text: str) -> bool:
    """A title and a name, or a common given name before a word in capitals."""
    pairs = ((plain_word(first), plain_word(second)) for first, second in _CAPITALISED.findall(text))
    return any(
        before in TITLES or (before in GIVEN and (after in FAMILY or after not in GIVEN))
        for before, after in pairs
    )


INSIDE: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("user.contact.email", lambda text: "@" in text and contact.EMAIL.search(text) is not None),
    ("user.contact.phone_number", has_phone),
    ("user.government_id.us_ssn", has_ssn),
    ("user.payment.card_number", has_card),
    ("user.payment.iban", has_iban),
    ("user.device.ip_address", lambda text: any(map(network.is_ip, _IP.findall(text)))),
    ("user.contact.url", lambda text: network.URL.search(text) is not None),
    ("user.name", has_person),
)


def inside(texts: Sequence[str]) -> list[Evidence]:
    """Which personal data occur inside texts, with the share of texts that hold some."""
    found = []
    for category, holds in INSIDE:
        hits = sum(map(holds, texts))
        if hits:
            says = f"{hits} of {len(texts)} distinct values hold {CATEGORIES[category].label} inside"
            found.append(Evidence("inside", says, category, hits / len(texts), len(texts)))
    return found


def is_prose(column: SampledColumn) -> bool:
    """Whether values are sentences rather than labels: several words each, and many different ones."""
    if column.kind is not ColumnKind.TEXT or not column.texts:
        return False
    many = column.profile.distinct > 50 or column.distinct_share > 0.5
    return (column.words >= 4 and column.length >= 20 and many) or column.length > 150
