"""Errors of anonymization. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _anonymization_errors as section

KNOWN = {
    "E-ANONYMIZE-020": ("BadHierarchy", 2),
    "E-ANONYMIZE-021": ("HierarchyIncomplete", 2),
    "E-ANONYMIZE-022": ("HierarchyUnreadable", 2),
    "E-ANONYMIZE-023": ("HierarchyUnmakeable", 2),
    "E-ANONYMIZE-024": ("BadSearch", 2),
    "E-ANONYMIZE-025": ("Unreachable", 2),
    "E-ANONYMIZE-026": ("LatticeTooLarge", 2),
    "E-ANONYMIZE-027": ("ModelUnfit", 2),
    "E-ANONYMIZE-028": ("UtilityUnmeasurable", 2),
    "E-ANONYMIZE-040": ("BadAnonymization", 2),
    "E-ANONYMIZE-041": ("PromiseBroken", 1),
    "E-ANONYMIZE-042": ("BadRecipe", 2),
    "E-ANONYMIZE-043": ("SeveralRowsPerPerson", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
