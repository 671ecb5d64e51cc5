"""Refusals of collections: malformed requests, told apart by what has to be corrected."""

from privet.errors import BadCollection, BadInput, ForeignReports, OutsideQuestion


def test_each_is_something_to_correct_and_ask_again() -> None:
    for cls, code in ((BadCollection, "001"), (ForeignReports, "002"), (OutsideQuestion, "003")):
        assert cls.code == f"E-COLLECT-{code}"
        assert issubclass(cls, BadInput)
