"""A first policy: what somebody has said binds, what an audit proposes does not, and every name is read back as it was."""

import datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from privet.pipeline._policy import Policy
from privet.pipeline._policy_draft import TRIAL, OwnerStatements, _quoted, _word, audited, draft, table_name

TODAY = datetime.date(2026, 3, 1)


ROWS = "patient,zip,sex,ward,ill\n" + "\n".join(
    f"p{at},{10000 + at % 7},{'FM'[at % 2]},{'AB'[at % 2]},{'flu' if at % 3 else 'gout'}" for at in range(700)
)


@pytest.fixture(scope="module")
def drafted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("draft")
    (folder / "stays.csv").write_text(ROWS + "\n")
    found = audited(str(folder / "stays.csv"), unit="patient")

    def make(**said):
        return yaml.safe_load(draft(found, "stays.csv", OwnerStatements(unit="patient", **said), today=TODAY))

    return make


def test_nothing_that_nobody_confirmed_may_leave(drafted):
    policy = drafted()
    assert {one["role"] for one in policy["columns"].values()} == {"unknown"}
    assert policy["purposes"]["first-use"]["columns"] == []
    assert [one["do"] for one in policy["steps"]] == ["release"]
    assert policy["limits"] == {}
    text = str(policy)
    assert "10000" not in text, "no value of the data stands in a draft"
    assert "gout" not in text


def test_what_was_confirmed_is_used_and_makes_a_policy(drafted):
    said = OwnerStatements(
        unit="patient", roles={"zip": "quasi", "sex": "quasi", "ward": "insensitive"}
    ).trial()
    policy = drafted(
        roles=said.roles, use=said.use, basis=said.basis, special_basis=None, recipients=said.recipients
    )
    purpose = policy["purposes"]["first-use"]
    assert purpose["columns"] == ["zip", "sex", "ward"]
    assert purpose["basis"] == TRIAL
    assert str(purpose["expires"]) == "2027-03-01"
    assert [one["do"] for one in policy["steps"]] == ["audit", "anonymize", "release"]
    assert 'GROUP BY "ward"' in policy["steps"][-1]["sql"]
    assert policy["limits"] == pytest.approx({"risk-highest": 0.2})
    Policy.model_validate(policy)


@given(st.text(max_size=12))
def test_any_text_is_read_back_as_it_was(text):
    assert yaml.safe_load(_word(text)) == text
    assert yaml.safe_load(f"{{a: {_word(text)}}}") == {"a": text}


@pytest.mark.parametrize(
    "word", ["yes", "No", "on", "null", "1", "1e5", "0x1", "~", "", "a: b", "#x", "- x", "2026-01-01"]
)
def test_words_that_mean_something_to_yaml_stay_words(word):
    assert yaml.safe_load(_word(word)) == word


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("stays.csv", "stays"),
        ("/a/b/My stays-2.csv.gz", "my_stays_2"),
        ("postgresql://h/db#public.visits", "public_visits"),
        ("....", "data"),
    ],
)
def test_tables_have_names_that_sql_takes(data, name):
    assert table_name(data) == name


def test_quoted_names_cannot_end_the_quotes():
    assert _quoted('a"; DROP') == '"a""; DROP"'
