"""Whether a technique fits is told from names and roles; the hint names columns that exist."""

import pytest
from tests.pipeline.small_ward import ROLES, ward

from privet.pipeline._sweep_fitness import quasi_of, unfit


def test_the_column_that_says_whose_rows_they_are_is_no_quasi_identifier() -> None:
    assert quasi_of(ward(roles={**ROLES, "person": "quasi"})) == ["age", "area"]


def test_what_fits_is_not_refused() -> None:
    for technique in ("anonymize", "train", "synthesize", "pac"):
        assert unfit(ward(), "back", technique) is None


def test_without_quasi_identifiers_there_is_nothing_to_make_alike() -> None:
    why = unfit(ward(roles={**ROLES, "age": "insensitive", "area": "insensitive"}), "back", "anonymize")
    assert why is not None
    assert "no column is called a quasi-identifier" in why.fact
    assert "--quasi age,area,dose,illness" in why.hint.replace(" ", "").replace("--quasi", "--quasi ")


@pytest.mark.parametrize("technique", ["anonymize", "synthesize"])
def test_a_target_without_a_role_is_not_published(technique: str) -> None:
    roles = {name: role for name, role in ROLES.items() if name != "back"}
    why = unfit(ward(roles=roles), "back", technique)
    assert why is not None
    assert "--sensitive back" in str(why)
    assert unfit(ward(roles=roles), "back", "train") is None


def test_a_target_that_would_be_made_coarse_cannot_be_learned() -> None:
    why = unfit(ward(roles={**ROLES, "back": "quasi"}), "back", "anonymize")
    assert why is not None
    assert "is a quasi-identifier" in why.fact
