"""The check of sections sees what it is for."""

from types import ModuleType

from tests.errors.sections import faults

from privet import errors
from privet.errors import _attack_errors


def test_a_changed_section_is_seen() -> None:
    section = ModuleType("privet.errors._made_up")
    section.__all__ = ["KeptHere"]

    class KeptHere(errors.BadInput):
        code = "E-MADE-001"

    class LostHere(errors.Failure):
        code = "E-MADE-002"

    for cls in (KeptHere, LostHere):
        cls.__module__ = section.__name__
        setattr(section, cls.__name__, cls)
    found = faults(section, {"E-MADE-001": ("KeptHere", 8), "E-MADE-003": ("Gone", 2)})
    assert found == [
        "E-MADE-001 was ('KeptHere', 8) and is ('KeptHere', 2)",
        "E-MADE-003 was ('Gone', 2) and is None",
        "LostHere is not named in __all__",
        "KeptHere is not at the front door",
        "LostHere is not at the front door",
        "KeptHere is raised nowhere",
        "LostHere is raised nowhere",
    ]


def test_the_codes_of_others_are_not_those_of_a_section() -> None:
    assert len(faults(_attack_errors, {"E-LEDGER-001": ("BudgetExceeded", 8)})) == 1
