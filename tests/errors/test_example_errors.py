"""Errors of example data. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _example_errors as section

KNOWN = {
    "E-EXAMPLE-001": ("BadExample", 2),
    "E-SOURCE-012": ("SourceChanged", 1),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
