"""Names: which can be used, and which was probably meant."""

import pytest

from privet.engine._identifiers import checked_names, did_you_mean
from privet.errors import BadColumnNames


@pytest.mark.parametrize(
    "names", [["a"], ["a", "b c"], ["q1", "2nd_visit", "icd10"], ["Größe", "名前"], ["a,b", 'say "x"']]
)
def test_ordinary_names_pass(names):
    checked_names(names, from_text=True)


@pytest.mark.parametrize("names", [[], ["a", ""], ["a", "  "], ["a", "A"], ["a", 1], ["x", "y", "x"]])
def test_useless_names_are_refused(names):
    with pytest.raises(BadColumnNames):
        checked_names(names)


@pytest.mark.parametrize(
    "cell", ["17", "-3.5", "1,234", "1e9", "1950-01-02", "12:30", "555-0123", "a@b.org", "3/4/50"]
)
def test_a_first_line_of_data_is_refused_and_not_repeated(cell):
    with pytest.raises(BadColumnNames) as caught:
        checked_names(["Jane Canary", cell], from_text=True)
    assert "Canary" not in str(caught.value)
    assert cell not in str(caught.value)


def test_the_nearest_name_is_offered():
    assert did_you_mean("dyas", ["days", "ward"]) == "Did you mean 'days'?"
    assert did_you_mean("WARD", ["days", "ward"]) == "Did you mean 'ward'?"
    assert did_you_mean("zzz", ["days", "ward"]) == "There is 'days', 'ward'."
    assert did_you_mean("zzz", []) == "There are none."
