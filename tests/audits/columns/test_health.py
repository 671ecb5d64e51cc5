"""Codes of diagnoses, drugs and genes, and words for illnesses, beside short codes that look alike."""

import pytest
from tests.audits.columns.forms import matched, of_category

from privet.audits.columns._health import DETECTORS, is_bare_icd, is_drug, is_genetic, is_icd, is_illness


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (is_icd, "I50.9|I50.9 Heart failure|C50.911|G35 Multiple sclerosis|428.0 Heart failure", "I50|B12|3.5|428.0|U50.9x y"),
        (is_bare_icd, "I50|B12|C7A.1", "I5|i50|U07|12"),
        (is_illness, "Type 2 diabetes|anaemia|Heart attack", "heart|attack|well|statement"),
        (is_drug, "metformin|Atorvastatin 20 mg|C10AA05|12345-1234-12", "table|water|C10AA5|12345-12345-12"),
        (is_genetic, "rs7412|ACGTACGTACGTAC|HLA-B*57:01|APOE e3/e4", "rs1|gene|ACGTACGTACG"),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)  # fmt: skip
def test_forms(test, yes, no):
    assert matched(test, yes) == yes.split("|")
    assert matched(test, no) == []


def test_long_texts_are_no_labels_of_illnesses_or_drugs():
    assert is_illness("asthma" + " x" * 42)
    assert not is_illness("asthma" + " x" * 43)
    assert is_drug("aspirin 1" + "0" * 51)
    assert not is_drug("aspirin 1" + "0" * 52)


def test_blood_groups_have_their_sign():
    kind = "user.health_and_medical"
    assert all(of_category(DETECTORS, kind, text) for text in ("A+", "ab neg", "0 -", "O Rhpositive"))
    assert not any(of_category(DETECTORS, kind, text) for text in ("A", "AB", "C+", "+"))
