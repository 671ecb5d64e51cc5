"""Errors of transforms, keys and pseudonyms."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure, PolicyViolation

__all__ = [
    "BadKeyRing",
    "BadPseudonym",
    "BadTransform",
    "GuessableHash",
    "KeyFileLocked",
    "NoKeys",
    "NoSuchSubject",
    "SecretExposed",
    "SmallDomain",
    "VaultUnavailable",
]


class BadTransform(BadInput):
    """A transform was asked for that does not fit its columns, or lacks something it needs."""

    code = "E-ANONYMIZE-001"


class GuessableHash(PolicyViolation):
    """An unkeyed hash was asked for of values that anybody can guess and hash again."""

    code = "E-ANONYMIZE-002"


class BadKeyRing(BadInput):
    """The keys that were found cannot be used: malformed, too short, or with ids that clash."""

    code = "E-ANONYMIZE-003"


class NoKeys(BadInput):
    """Pseudonyms need a key, and none was found where keys are kept."""

    code = "E-ANONYMIZE-004"


class SecretExposed(PolicyViolation):
    """A file of keys or a vault can be read by others than its owner."""

    code = "E-ANONYMIZE-005"


class KeyFileLocked(Failure):
    """A file of keys does not open: the passphrase is wrong or missing, or the file was changed."""

    code = "E-ANONYMIZE-006"


class SmallDomain(PolicyViolation):
    """Format-preserving pseudonyms were asked for of values with fewer than a million possibilities."""

    code = "E-ANONYMIZE-007"


class BadPseudonym(BadInput):
    """A column holds values that are not pseudonyms of these keys, this data set and this domain."""

    code = "E-ANONYMIZE-008"


class VaultUnavailable(Failure):
    """A vault cannot be opened, read or written, or the file is not one."""

    code = "E-ANONYMIZE-009"


class NoSuchSubject(BadInput):
    """Nobody of that id or pseudonym is in the vault, so nothing was erased."""

    code = "E-ANONYMIZE-010"
