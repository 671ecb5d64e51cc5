"""Pseudonyms as a verb: columns with their domains, and a vault whose end is known."""

from types import SimpleNamespace

import pytest

from privet.verbs._pseudonymize_verb import Pseudonymize, PseudonymizeOptions, RevealOptions, domains_in


def test_a_column_has_its_own_name_for_a_domain_unless_another_is_stated():
    assert domains_in(["id", "pid=person"]) == {"id": "id", "pid": "person"}


@pytest.mark.parametrize("said", [[], ["a", "a"], ["a", "a=b"], ["=b"], ""])
def test_each_column_is_named_once(said):
    with pytest.raises(ValueError, match="column"):
        PseudonymizeOptions(column=said, dataset="h")


def test_pseudonyms_belong_to_a_project():
    with pytest.raises(ValueError, match="belong to a project"):
        PseudonymizeOptions(column="id")
    PseudonymizeOptions(column="id", method="sha256")
    with pytest.raises(ValueError, match="dataset"):
        RevealOptions(column="id")
    with pytest.raises(ValueError, match="method"):
        RevealOptions(column="id", dataset="h", method="hmac")


def test_what_is_changed_and_looked_at_is_read_as_text():
    touched = Pseudonymize().touched(
        PseudonymizeOptions(column=["ssn", "id=person"], dataset="h", subject="who", method="subject")
    )
    assert touched.changed == ("ssn", "id")
    assert set(touched.as_text) == {"ssn", "id", "who"}


def test_a_vault_that_nothing_says_the_end_of_is_a_gap():
    options = PseudonymizeOptions(column="id", dataset="h", method="vault", vault="v.vault")
    for vaults, wanted in (({}, ["vault"]), ({"v.vault": object()}, [])):
        declaration = SimpleNamespace(
            vaults=vaults, columns={}, dataset=SimpleNamespace(unit=SimpleNamespace(column="row"))
        )
        purpose = SimpleNamespace(columns=["id"])
        assert [
            part for part, _ in Pseudonymize().gaps(options, declaration, purpose) if part == "vault"
        ] == wanted
