"""Payment cards and bank accounts, by their check digits."""

from __future__ import annotations

import re

from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from privet.audits.columns._column_evidence import Detector

# First digits and lengths of the networks (ISO/IEC 7812): Visa, Mastercard, American Express, Discover, JCB,
# Diners, Maestro, UnionPay, Mir.
_CARD = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|3[47]\d{13}|6011\d{12}|"
    r"6(?:4[4-9]|5\d)\d{13}|35\d{14}|3(?:0[0-5]|[689]\d)\d{11}|5[06789]\d{10,17}|62\d{14,17}|220[0-4]\d{12}"
)
_GROUPS = re.compile(r"\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5}|\d{12,19}")
# Lengths of the IBAN registry, for the countries that are met most.
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18,
    "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26,
    "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26, "UA": 29,
}  # fmt: skip


def is_card(text: str) -> bool:
    """A number of a known card network that passes the Luhn test, plain or in its usual groups."""
    if not _GROUPS.fullmatch(text):
        return False
    plain = text.replace(" ", "").replace("-", "")
    return _CARD.fullmatch(plain) is not None and bool(luhn.is_valid(plain))


def is_iban(text: str) -> bool:
    """ISO 13616: country, length and the check modulo 97."""
    plain = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{10,30}", plain):
        return False
    length = _IBAN_LENGTHS.get(plain[:2])
    return (length is None or len(plain) == length) and bool(mod_97_10.is_valid(plain[4:] + plain[:4]))


DETECTORS = (
    Detector("user.payment.card_number", is_card, chance=0.1, says="pass the check of", checked=True),
    Detector("user.payment.iban", is_iban, chance=0.01, says="pass the check of", checked=True),
)
