"""Cohorts that would hide nobody are refused, and any change of a cohort is another cohort."""

from dataclasses import replace

import pytest
from tests.sharing.loopback import cohort_of

from privet.errors import BadCohort


@pytest.mark.parametrize(
    ("count", "threshold", "terms", "match"),
    [
        (2, 2, {}, "3 to 1000 sites"),
        (4, 2, {}, "twice the threshold"),
        (4, 5, {}, "at most the number"),
        (5, 3, {"colluders": 1}, "twice the threshold"),
        (3, 3, {"colluders": 2}, "two honest sites"),
        (3, 2, {"colluders": -1}, "conspire"),
        (3, 2, {"length": 0}, "entries"),
        (3, 2, {"width": 16}, "32 or 64"),
    ],
)
def test_terms_that_do_not_fit_are_refused(
    count: int, threshold: int, terms: dict[str, int], match: str
) -> None:
    with pytest.raises(BadCohort, match=match):
        cohort_of(count, threshold, **terms)


def test_terms_that_fit() -> None:
    assert cohort_of(3, 2).honest == 2
    assert cohort_of(4, 3, colluders=1).honest == 2
    assert cohort_of(20, 14, colluders=7).honest == 7


def test_keys_are_keys_and_everybody_has_their_own() -> None:
    cohort = cohort_of(3, 2)
    for sites in ((cohort.sites[0],) * 3, (*cohort.sites[:2], cohort.coordinator), (*cohort.sites[:2], "ab")):
        with pytest.raises(BadCohort):
            replace(cohort, sites=sites)


def test_every_term_is_in_the_digest() -> None:
    cohort = cohort_of(5, 4)
    others = [
        replace(cohort, study="0" * 64),
        replace(cohort, coordinator="0" * 64),
        replace(cohort, sites=cohort.sites[::-1]),
        replace(cohort, threshold=5),
        replace(cohort, length=5),
        replace(cohort, colluders=1),
        replace(cohort, width=32),
    ]
    assert len({one.digest for one in (cohort, *others)}) == 8
    assert cohort_of(5, 4).digest == cohort.digest
