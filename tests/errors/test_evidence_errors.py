"""Errors of evidence end a command with the exit code of what they mean."""

from privet import errors


def test_exit_codes_tell_broken_from_unproven_from_not_allowed():
    found = {
        cls: cls("fact.").exit_code
        for cls in (
            errors.EvidenceBroken,
            errors.RecordTooDeep,
            errors.NoSigningKey,
            errors.NotApproved,
            errors.NotProven,
        )
    }
    assert list(found.values()) == [
        errors.TAMPERING,
        errors.USAGE,
        errors.USAGE,
        errors.POLICY,
        errors.FINDINGS,
    ]
