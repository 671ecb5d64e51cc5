"""How to reach a person: e-mail addresses, telephone numbers, street addresses."""

from __future__ import annotations

import re

from privet.audits.columns._column_evidence import Detector

EMAIL = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}"
)
_GROUPED = re.compile(
    r"(?:\+|00)[1-9]\d{0,2}[ ./-]?(?:\(?\d{1,5}\)?[ ./-]?){1,5}\d{2,}"  # international
    r"|(?:\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}(?: ?(?:x|ext\.?) ?\d{1,6})?"  # North America
    r"|\(?0\d{1,5}\)?[ /.-](?:\d{2,8}[ /.-]?){1,4}\d"  # trunk prefix 0: most of Europe, Australia, Japan
)
_STREET_WORDS = (
    "street|str|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq|terrace|way|"
    "parkway|pkwy|close|crescent|highway|hwy|circle|cir|row|walk|gardens"
)
_STREET = (
    re.compile(rf"\d{{1,6}}[a-z]?,? (?:[\w.'-]+ ){{1,4}}(?:{_STREET_WORDS})\b.*", re.IGNORECASE),
    re.compile(r"(?:[\w.'-]+ ){0,3}[\w.'-]*(?:str(?:aße|asse|\.)|weg|gasse|allee|platz|damm|ufer|straat|laan|gracht|vägen|gatan|vej) ?\d{1,4} ?[a-z]?\b.*", re.IGNORECASE),
    re.compile(r"\d{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|chemin|impasse|allée|quai|route) .+", re.IGNORECASE),
    re.compile(r"(?:calle|c/|avenida|avda\.?|plaza|paseo|via|viale|corso|piazza|rua|ulica|ul\.) ?.+?,? ?\d{1,4}\b.*", re.IGNORECASE),
    re.compile(r"p\.? ?o\.? box \d+.*", re.IGNORECASE),
)  # fmt: skip


def is_email(text: str) -> bool:
    """An address with a domain."""
    return len(text) <= 254 and EMAIL.fullmatch(text.removeprefix("mailto:")) is not None


def is_phone(text: str) -> bool:
    """A telephone number with its punctuation or its international prefix; seven to fifteen digits (E.164)."""
    plain = text.removeprefix("tel:")
    return (
        len(plain) <= 30
        and 7 <= sum(map(str.isdigit, plain)) <= 15
        and _GROUPED.fullmatch(plain) is not None
        and not re.fullmatch(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}", plain)  # a date
    )


def is_bare_phone(text: str) -> bool:
    """Ten digits as North America numbers them: many other numbers look like that."""
    return re.fullmatch(r"1?[2-9]\d{2}[2-9]\d{6}", text) is not None


def is_street(text: str) -> bool:
    """A house number beside a word for a street, in the usual orders of six languages."""
    return len(text) <= 160 and any(pattern.fullmatch(text) for pattern in _STREET)


DETECTORS = (
    Detector("user.contact.email", is_email, chance=0.001),
    Detector("user.contact.phone_number", is_phone, chance=0.01, typical=0.9),
    Detector("user.contact.phone_number", is_bare_phone, chance=0.6, needs_name=True),
    Detector("user.contact.address.street", is_street, chance=0.01, typical=0.8),
)
