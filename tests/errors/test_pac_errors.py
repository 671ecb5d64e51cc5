"""Errors of PAC releases: faults of whoever asks, with codes of their own."""

from privet.errors import BadFunction, BadInput, SessionProblem, catalogue


def test_their_codes_are_theirs_and_they_are_faults_of_the_input() -> None:
    assert catalogue()["E-PAC-001"] is BadFunction
    assert catalogue()["E-PAC-002"] is SessionProblem
    assert issubclass(BadFunction, BadInput)
    assert issubclass(SessionProblem, BadInput)
    assert BadFunction("a fact.", "A hint.", faults=["one"]).details["faults"] == ["one"]
