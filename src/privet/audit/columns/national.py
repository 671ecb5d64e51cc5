"""National, tax and social security numbers, with the check each country prints into them.

The rules are those of the issuing offices. A check modulo eleven passes one number in eleven that merely has the
right length, which is what `chance` says.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from privet.audit.columns.checksums import is_digits, luhn, mod_11_10, verhoeff, weighted
from privet.audit.columns.evidence import Detector

_ITALIAN_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ITALIAN = re.compile(r"[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPR-T][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]")
_NINO = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]")
_CURP = re.compile(
    r"[A-Z][AEIOUX][A-Z]{2}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[HMX][A-Z]{5}[A-Z\d]\d"
)


def _plain(text: str) -> str:
    return re.sub(r"[ .\-/]", "", text)


def is_written_ssn(text: str) -> bool:
    """US social security (and taxpayer) number as it is written: three, two and four digits."""
    return re.fullmatch(r"(?!000|666)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}", text) is not None


def is_bare_ssn(text: str) -> bool:
    """Nine digits in the ranges that are issued; nearly all nine-digit numbers are."""
    return re.fullmatch(r"(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}", text) is not None


def is_nino(text: str) -> bool:
    """UK national insurance number: two letters of a short list, six digits, a letter A to D."""
    return _NINO.fullmatch(_plain(text).upper()) is not None


def is_nhs(text: str) -> bool:
    """UK NHS number: ten digits, modulo 11."""
    plain = _plain(text)
    rest = weighted(plain[:9], range(10, 1, -1), 11) if len(plain) == 10 else None
    return rest is not None and is_digits(plain[9]) and (11 - rest) % 11 == int(plain[9])


def is_german_tax_id(text: str) -> bool:
    """Eleven digits, one of the first ten repeated two or three times, check ISO 7064 mod 11,10."""
    plain = _plain(text)
    if len(plain) != 11 or not is_digits(plain) or plain[0] == "0":
        return False
    often = sorted(plain[:10].count(digit) for digit in set(plain[:10]))
    return often[-1] in (2, 3) and often[:-1].count(1) == len(often) - 1 and mod_11_10(plain)


def is_insee(text: str) -> bool:
    """French number of inscription: sex, year, month, commune, order and a key modulo 97."""
    plain = _plain(text).upper()
    if not re.fullmatch(r"[1-478]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d{2}|2A|2B)\d{8}", plain):
        return False
    number = int(plain[:13].replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(plain[13:])


def is_dni(text: str) -> bool:
    """Spanish DNI or NIE: eight digits (or X, Y, Z and seven) and a letter modulo 23."""
    plain = _plain(text).upper()
    if not re.fullmatch(r"[\dXYZ]\d{7}[A-Z]", plain):
        return False
    number = int(plain[:8].translate(str.maketrans("XYZ", "012")))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == plain[8]


def is_codice_fiscale(text: str) -> bool:
    """Italian tax code: sixteen letters and digits, the last one a check modulo 26."""
    plain = text.upper()
    if not _ITALIAN.fullmatch(plain):
        return False
    total = 0
    for place, letter in enumerate(plain[:15]):
        value = int(letter, 36) - 10 if letter.isalpha() else int(letter)
        total += value if place % 2 else _ITALIAN_ODD[value]
    return chr(ord("A") + total % 26) == plain[15]


def is_bsn(text: str) -> bool:
    """Dutch citizen service number: nine digits, the eleven test with -1 for the last."""
    plain = _plain(text)
    return plain != "000000000" and weighted(plain, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11) == 0


def is_pesel(text: str) -> bool:
    """Polish number: date of birth with the century in the month, order, check modulo 10."""
    if not re.fullmatch(r"\d{2}(?:[02468][1-9]|[13579][0-2])(?:0[1-9]|[12]\d|3[01])\d{5}", text):
        return False
    return weighted(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10) == 0


def is_personnummer(text: str) -> bool:
    """Swedish personal number: date of birth, three digits and a Luhn digit."""
    form = r"(?:19|20)?(\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]|6[1-9]|[78]\d|9[01]))[-+]?(\d{4})"
    found = re.fullmatch(form, text)
    return found is not None and luhn(found[1] + found[2])


def is_hetu(text: str) -> bool:
    """Finnish personal code: date of birth, sign of the century, three digits, check modulo 31."""
    found = re.fullmatch(r"(\d{6})[-+ABCDEFUVWXY](\d{3})([0-9A-Y])", text.upper())
    return (
        found is not None
        and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(found[1] + found[2]) % 31] == found[3]
        and 1 <= int(found[1][2:4]) <= 12
    )


def is_belgian(text: str) -> bool:
    """Belgian national number: date of birth, order and 97 minus the rest modulo 97 (a 2 before it from 2000)."""
    plain = _plain(text)
    if not re.fullmatch(r"\d{2}(?:[024][0-9]|[135][0-2])\d{7}", plain):
        return False
    return int(plain[9:]) in (97 - int(plain[:9]) % 97, 97 - int("2" + plain[:9]) % 97)


def is_ahv(text: str) -> bool:
    """Swiss number: 756, nine digits, EAN-13 check."""
    plain = _plain(text)
    return plain.startswith("756") and weighted(plain, (1, 3) * 6 + (1,), 10) == 0


def is_aadhaar(text: str) -> bool:
    """Indian number: twelve digits that begin with 2 to 9, Verhoeff's check."""
    plain = _plain(text)
    return re.fullmatch(r"[2-9]\d{11}", plain) is not None and verhoeff(plain)


def is_pan(text: str) -> bool:
    """Indian tax number of a person: five letters (the fourth a P), four digits, a letter."""
    return re.fullmatch(r"[A-Z]{3}[PCHFATBLJG][A-Z]\d{4}[A-Z]", text.upper()) is not None


def is_cpf(text: str) -> bool:
    """Brazilian number: eleven digits, two of them checks modulo 11."""
    plain = _plain(text)
    if not is_digits(plain) or len(plain) != 11 or len(set(plain)) == 1:
        return False
    first = weighted(plain[:9], range(10, 1, -1), 11) or 0
    second = weighted(plain[:10], range(11, 1, -1), 11) or 0
    return [int(digit) for digit in plain[9:]] == [0 if rest < 2 else 11 - rest for rest in (first, second)]


def is_chinese(text: str) -> bool:
    """Chinese resident number: region, date of birth, order, check modulo 11 (ISO 7064)."""
    form = r"[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]"
    if not re.fullmatch(form, text.upper()):
        return False
    rest = weighted(text[:17], (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2), 11)
    return rest is not None and "10X98765432"[rest] == text[17].upper()


def is_sin(text: str) -> bool:
    """Canadian social insurance number: nine digits that do not begin with 0 or 8, Luhn."""
    plain = _plain(text)
    return re.fullmatch(r"[1-79]\d{8}", plain) is not None and luhn(plain)


def is_tfn(text: str) -> bool:
    """Australian tax file number: nine digits, modulo 11."""
    return weighted(_plain(text), (1, 4, 3, 7, 5, 8, 6, 9, 10), 11) == 0


def is_curp(text: str) -> bool:
    """Mexican population code: letters of the name, date of birth, sex, state, check."""
    return _CURP.fullmatch(text.upper()) is not None


# category, test, chance that a number of the same form passes
_RULES: tuple[tuple[str, Callable[[str], bool], float], ...] = (
    ("uk_nino", is_nino, 0.02),
    ("de_tax_id", is_german_tax_id, 0.02),
    ("fr_insee", is_insee, 0.01),
    ("es_dni", is_dni, 1 / 23),
    ("it_codice_fiscale", is_codice_fiscale, 0.002),
    ("nl_bsn", is_bsn, 1 / 11),
    ("pl_pesel", is_pesel, 0.02),
    ("se_personnummer", is_personnummer, 0.03),
    ("fi_hetu", is_hetu, 0.002),
    ("be_national", is_belgian, 0.02),
    ("ch_ahv", is_ahv, 0.005),
    ("in_aadhaar", is_aadhaar, 0.1),
    ("br_cpf", is_cpf, 0.01),
    ("cn_resident", is_chinese, 0.001),
    ("ca_sin", is_sin, 0.1),
    ("au_tfn", is_tfn, 1 / 11),
    ("mx_curp", is_curp, 0.001),
)

DETECTORS = (
    Detector("user.government_id.us_ssn", is_written_ssn, chance=0.01),
    Detector("user.government_id.us_ssn", is_bare_ssn, chance=0.9, needs_name=True),
    Detector("user.government_id.in_pan", is_pan, chance=0.02),
    Detector("user.health_and_medical.uk_nhs", is_nhs, chance=1 / 11, says="pass the check of", checked=True),
    *(
        Detector(f"user.government_id.{key}", test, chance=chance, says="pass the check of", checked=True)
        for key, test, chance in _RULES
    ),
)
