"""Purpose limitation: breaches and gaps are told apart, all at once, before anything is opened."""

import datetime
from pathlib import Path

import pytest
from tests.pipeline.hospital import ANONYMIZE, HEAD, RELEASE, TRAIN

from privet.dataset._yaml_positions import placed
from privet.errors import BadPolicy, PolicyBreach, PolicyGap
from privet.pipeline._policy import check_policy
from privet.pipeline._purpose_limitation import checked

TODAY = datetime.date(2026, 11, 16)


def check(steps: str, head: str = HEAD) -> tuple:
    found = placed(f"{head}steps:\n{steps}", "privet.yaml")
    return checked(check_policy(found), found, TODAY)


def test_allowed_steps_are_bound_to_what_they_read() -> None:
    safe, beds, risk = check(ANONYMIZE + RELEASE + TRAIN)
    assert safe.columns == ("zip", "sex", "diagnosis")
    assert beds.columns == ("ward",)
    assert risk.columns == ("sex", "ward", "readmitted")
    assert (safe.to, beds.to, risk.to) == ("safe.parquet", "beds.json", "risk")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (RELEASE.replace("ward", "diagnosis"), "reads column 'diagnosis'"),
        (RELEASE.replace("COUNT(*)", "COUNT(name)"), "reads column 'name'"),
        (RELEASE.replace("COUNT(*)", 'COUNT("Email")'), "reads column 'email'"),
        (ANONYMIZE.replace("zip, sex", "born, sex"), "reads column 'born'"),
        (TRAIN.replace("target: readmitted", "target: diagnosis"), "reads column 'diagnosis'"),
        (ANONYMIZE.replace("purpose: research", "purpose: planning"), "kind 'table'"),
        (RELEASE.replace("epsilon", "recipient: university, epsilon"), "is for 'university'"),
    ],
)
def test_what_a_purpose_does_not_allow_is_a_breach(steps: str, said: str) -> None:
    with pytest.raises(PolicyBreach, match="steps") as caught:
        check(steps)
    assert said in caught.value.fact
    assert caught.value.exit_code == 7


def test_a_word_in_quotes_is_a_value_and_no_column() -> None:
    (step,) = check(RELEASE.replace("GROUP BY ward'", "WHERE ward = ''diagnosis'' GROUP BY ward'"))
    assert step.columns == ("ward",)


def test_a_ledger_among_the_outputs_is_a_breach() -> None:
    """They are replaced and removed, and a ledger never is."""
    for place in ("out/stays.ledger", "./out/deep/stays.ledger"):
        with pytest.raises(PolicyBreach, match="kept apart from the outputs"):
            check(RELEASE, HEAD.replace("ledger: stays.ledger", f"ledger: {place}"))


def test_an_ended_purpose_is_a_breach() -> None:
    with pytest.raises(PolicyBreach, match="ended on 2026-11-15"):
        check(RELEASE, HEAD.replace("expires: 2090-06-30", "expires: 2026-11-15", 1))
    assert check(RELEASE, HEAD.replace("expires: 2090-06-30", "expires: 2026-11-16", 1))


@pytest.mark.parametrize(
    ("steps", "head", "said"),
    [
        (RELEASE.replace("purpose: planning, ", ""), HEAD, "has no purpose"),
        (RELEASE, HEAD.replace("    budget: {epsilon: 4, delta: 1e-6}\n", ""), "the purpose has no budget"),
        (RELEASE, HEAD.replace("GDPR Art. 6(1)(e)", "TO BE STATED"), "basis: nobody has said this yet"),
        (RELEASE, HEAD.replace("[internal]", "[TO BE STATED]"), "recipients: nobody has said this yet"),
        (TRAIN.replace(", records: 150", ""), HEAD, "give records"),
        (TRAIN, HEAD.replace(", values: [F, M]", ""), "nothing is stated of the values of 'sex'"),
        (TRAIN, HEAD.replace("max_rows: 6, max_groups: 2", ""), "give the unit's max_rows"),
        (ANONYMIZE.replace("zip, sex, diagnosis", "diagnosis"), HEAD, "quasi-identifier"),
        (ANONYMIZE.replace("k: 3, ", ""), HEAD, "steps.0: a table is anonymized for a promise"),
        (
            RELEASE,
            HEAD.replace("expires: 2090-06-30", "expires: 2090-06-30\n    review: 2026-11-15", 1),
            "the review was due on 2026-11-15",
        ),
    ],
)
def test_what_the_policy_does_not_say_is_a_gap(steps: str, head: str, said: str) -> None:
    with pytest.raises(PolicyGap) as caught:
        check(steps, head)
    assert said in caught.value.fact
    assert caught.value.exit_code == 10


def test_everything_is_said_at_once() -> None:
    with pytest.raises(PolicyBreach) as caught:
        check(
            RELEASE.replace("ward", "diagnosis") + TRAIN.replace(", records: 150", ""),
            HEAD.replace("[internal]", "[TO BE STATED]"),
        )
    assert len(caught.value.details["faults"]) == 3


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (RELEASE.replace("do: release", "do: relase"), "Did you mean"),
        (RELEASE.replace("epsilon", "epsilom"), "epsilom"),
        (RELEASE.replace("epsilon: 0.5", "epsilon: -1"), "greater than 0"),
        (RELEASE + RELEASE, "another step has this name"),
        (RELEASE.replace("epsilon", "to: ../beds.json, epsilon"), "without folders"),
        (RELEASE.replace("epsilon", "to: run.json, epsilon"), "taken by the run"),
        (RELEASE.replace("epsilon", "to: beds.csv, epsilon"), "something.json"),
        (ANONYMIZE.replace("[zip, sex", "[zap, sex"), "'zap' is not declared"),
        ("  - {do: attack, purpose: research, of: nothing}\n", "no earlier step"),
    ],
)
def test_malformed_steps_are_faults_of_the_file(steps: str, said: str) -> None:
    with pytest.raises(BadPolicy) as caught:
        check(steps)
    assert said in caught.value.fact


def test_an_attack_is_scored_only_with_columns_of_its_own_purpose() -> None:
    attack = "  - {do: attack, purpose: other, of: safe}\n"
    other = """\
  other:
    use: x
    basis: y
    columns: [sex, zip]
    outputs: [report]
    recipients: [internal]
    expires: 2090-01-01
"""
    with pytest.raises(PolicyBreach, match="scored with column 'diagnosis'"):
        check(ANONYMIZE + attack, HEAD + other)


def test_a_purpose_has_no_more_than_the_data_set() -> None:
    with pytest.raises(PolicyBreach, match="larger than the data set's own"):
        check(RELEASE, HEAD.replace("{epsilon: 4,", "{epsilon: 6,"))


def test_nothing_is_opened_for_a_breach(tmp_path: Path) -> None:
    from privet.pipeline._run_planner import make_plan

    (tmp_path / "privet.yaml").write_text(f"{HEAD}steps:\n{RELEASE.replace('ward', 'diagnosis')}")
    with pytest.raises(PolicyBreach):  # the source does not even exist
        make_plan(tmp_path / "privet.yaml")
    assert [file.name for file in tmp_path.iterdir()] == ["privet.yaml"]


def test_words_of_sql_are_columns_only_where_they_are_quoted() -> None:
    from privet.verbs._release_verb import _named

    assert _named("SELECT COUNT(*) AS n FROM t WHERE day = 'group' GROUP BY \"order\"") == [
        "n",
        "t",
        "day",
        "order",
    ]
    assert _named('SELECT SUM(days) AS d FROM "a ""b"" c"') == ["days", "d", 'a "b" c']
