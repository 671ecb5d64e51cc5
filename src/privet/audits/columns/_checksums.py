"""Check digits. All take text; what is not made of the right letters fails."""

from __future__ import annotations

from collections.abc import Sequence

_DIHEDRAL = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_PERMUTED = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def is_digits(text: str) -> bool:
    """Only the ten ASCII digits, and at least one."""
    return text.isascii() and text.isdigit()


def luhn(text: str) -> bool:
    """ISO/IEC 7812-1, Annex B: payment cards, IMEI, Swedish and Canadian numbers."""
    if not is_digits(text):
        return False
    total = 0
    for place, digit in enumerate(reversed(text)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def mod_97(text: str) -> bool:
    """ISO 7064 mod 97-10 over letters and digits, as IBAN uses it after turning four characters to the end."""
    if not (text.isascii() and text.isalnum()):
        return False
    return int("".join(str(int(letter, 36)) for letter in text)) % 97 == 1


def mod_11_10(text: str) -> bool:
    """ISO 7064 mod 11,10: German tax numbers."""
    if not is_digits(text):
        return False
    product = 10
    for digit in text[:-1]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(text[-1])


def verhoeff(text: str) -> bool:
    """Verhoeff's scheme over the dihedral group of order ten: Aadhaar."""
    if not is_digits(text):
        return False
    check = 0
    for place, digit in enumerate(reversed(text)):
        check = int(_DIHEDRAL[check][int(_PERMUTED[place % 8][int(digit)])])
    return check == 0


def weighted(text: str, weights: Sequence[int], modulus: int) -> int | None:
    """The weighted sum of digits, modulo; None if the text is not as many digits as there are weights."""
    if not is_digits(text) or len(text) != len(weights):
        return None
    return sum(int(digit) * weight for digit, weight in zip(text, weights, strict=True)) % modulus
