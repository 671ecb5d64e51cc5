"""Errors of federations: which exit code each has."""

import pytest

from privet import errors
from privet.errors import PrivetError


@pytest.mark.parametrize(
    ("error", "group"),
    [
        (errors.BadCohort, errors.BadInput),
        (errors.MessageRefused, errors.PolicyViolation),
        (errors.RoundFailed, errors.Failure),
        (errors.BadStudy, errors.BadInput),
        (errors.StudyRefused, errors.PolicyViolation),
    ],
)
def test_what_is_asked_wrongly_what_is_refused_and_what_fails_end_differently(
    error: type[PrivetError], group: type[PrivetError]
) -> None:
    assert issubclass(error, group)
    assert error.exit_code == group.exit_code
