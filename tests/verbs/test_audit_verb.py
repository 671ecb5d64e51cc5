"""The audit as a verb: what it reads, and a source shown without its password."""

from types import SimpleNamespace

import pytest

from privet.verbs._audit_verb import AuditOptions, AuditVerb, shown_source


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("stays.csv", "stays.csv"),
        ("C:/a b/stays.csv", "C:/a b/stays.csv"),
        (
            "postgresql://ada:secret@host:5432/db?password=secret#visits",
            "postgresql://ada@host:5432/db#visits",
        ),
        ("postgresql://ada:se:cr@et@host/db", "postgresql://ada@host/db"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://ada:secret@[::1]:5432/db", "postgresql://ada@[::1]:5432/db"),
        ("postgresql://ada:secret@host:port/db", "postgresql://ada@host:port/db"),
    ],
)
def test_a_source_is_shown_without_its_secrets(data, shown):
    assert shown_source(data) == shown
    assert "secret" not in shown


def test_it_reads_the_purposes_columns_and_its_weights_once():
    purpose = SimpleNamespace(columns=["age", "w"])
    verb = AuditVerb()
    assert verb.columns(AuditOptions(weights="w"), None, purpose) == ("age", "w")
    assert verb.columns(AuditOptions(weights="v"), None, purpose) == ("age", "w", "v")


def test_a_declaration_says_what_columns_are_and_nobody_else():
    verb = AuditVerb()
    assert verb.gaps(AuditOptions(), None, None) == []
    assert [part for part, _ in verb.gaps(AuditOptions(quasi=["a"], sensitive=["b"]), None, None)] == [
        "quasi",
        "sensitive",
    ]


@pytest.mark.parametrize(
    "said", [{"fraction": 0}, {"fraction": 1.1}, {"missing": "zero"}, {"linker": "magic"}, {"nothing": 1}]
)
def test_options_have_limits(said):
    with pytest.raises(ValueError, match="validation error"):
        AuditOptions(**said)
