"""Numbers of things and papers that lead to a person: vehicles, telephones, professionals, health plans, licences."""

from __future__ import annotations

import re

from stdnum import luhn

from privet.audits.columns._column_evidence import Detector

_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}")
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = dict(
    zip(
        "0123456789ABCDEFGHJKLMNPRSTUVWXYZ",
        (*range(10), 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9),
        strict=True,
    )
)
# Medicare beneficiary identifier (CMS): letters without S, L, O, I, B, Z.
_MBI = re.compile(r"[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}")  # fmt: skip
_DRIVER_UK = re.compile(r"[A-Z9]{5}\d[0156]\d(?:0[1-9]|[12]\d|3[01])\d[A-Z9]{2}\d[A-Z]{2}")
_PLATE = re.compile(
    r"[A-Z]{2}\d{2} ?[A-Z]{3}|[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2} ?\d{1,4}[EH]?|[A-Z]{2}-\d{3}-[A-Z]{2}|"
    r"\d{4} ?[BCDFGHJ-NPR-TV-Z]{3}|[A-Z]{3}[- ]\d{4}|\d[A-Z]{3}\d{3}"
)
_RECORD = re.compile(r"(?:MRN|PAT(?:IENT)?|HOSP|CHART)[-_# :]*\d{4,}", re.IGNORECASE)
_MEMBER = re.compile(r"(?:MEM(?:BER)?|POL(?:ICY)?|HPN|INS|SUB)[-_# :]*[A-Z0-9]*\d{4,}", re.IGNORECASE)


def is_vin(text: str) -> bool:
    """ISO 3779 with the North American check digit (49 CFR 565): seventeen letters without I, O, Q."""
    plain = text.upper()
    if not _VIN.fullmatch(plain) or plain.isdigit():
        return False
    total = sum(_VIN_VALUES[letter] * weight for letter, weight in zip(plain, _VIN_WEIGHTS, strict=True))
    return plain[8] == "0123456789X"[total % 11]


def is_vin_shape(text: str) -> bool:
    """The form alone: European makers do not use the check digit."""
    return (
        _VIN.fullmatch(text) is not None and not text.isdigit() and text[12:].isdigit() and len(set(text)) > 4
    )


def is_imei(text: str) -> bool:
    """Fifteen digits with a Luhn digit, beginning with an allocated reporting body (3GPP TS 23.003)."""
    plain = re.sub(r"[ -]", "", text)
    return re.fullmatch(r"(?:01|35|86|99|98|91|45|49|5[0-4])\d{13}", plain) is not None and bool(
        luhn.is_valid(plain)
    )


def is_npi(text: str) -> bool:
    """US national provider identifier: ten digits, Luhn after the prefix 80840."""
    return re.fullmatch(r"[12]\d{9}", text) is not None and bool(luhn.is_valid("80840" + text))


def is_dea(text: str) -> bool:
    """US registration of prescribers: two letters, seven digits, the last one a check."""
    if not re.fullmatch(r"[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}", text):
        return False
    digits = [int(letter) for letter in text[2:]]
    return (sum(digits[0:6:2]) + 2 * sum(digits[1:6:2])) % 10 == digits[6]


DETECTORS = (
    Detector("user.vehicle.vin", is_vin, chance=1 / 11, says="pass the check of", checked=True),
    Detector("user.vehicle.vin", is_vin_shape, chance=0.02),
    Detector("user.vehicle.plate", lambda text: _PLATE.fullmatch(text) is not None, chance=0.1, typical=0.9),
    Detector("user.device.imei", is_imei, chance=0.1, says="pass the check of", checked=True),
    Detector(
        "user.health_and_medical.provider_number", is_npi, chance=0.1, says="pass the check of", checked=True
    ),
    Detector(
        "user.health_and_medical.provider_number", is_dea, chance=0.1, says="pass the check of", checked=True
    ),
    Detector(
        "user.health_and_medical.insurance_id", lambda text: _MBI.fullmatch(text) is not None, chance=0.002
    ),
    Detector(
        "user.health_and_medical.insurance_id", lambda text: _MEMBER.fullmatch(text) is not None, chance=0.05
    ),
    Detector(
        "user.health_and_medical.record_id", lambda text: _RECORD.fullmatch(text) is not None, chance=0.01
    ),
    Detector("user.government_id.licence", lambda text: _DRIVER_UK.fullmatch(text) is not None, chance=0.002),
)
