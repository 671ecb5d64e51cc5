"""Advice: in order, with commands that exist and can be pasted into a shell."""

import shlex

import pyarrow as pa
from tests.audits.small_tables import small

from privet.audits import audit
from privet.audits._advice import AVAILABLE, command


def test_advice_is_in_order_and_names_commands_that_exist(found) -> None:
    from privet.app._cli import app
    from privet.app._command_group import SUMMARIES

    groups = {group.name for group in app.registered_groups}
    known = {command.name for command in app.registered_commands} | groups | set(SUMMARIES)
    steps = [step.step for step in found.advice]
    assert steps[1].startswith("Leave out patient_id, name")
    assert any("note" in step for step in steps)
    verbs = {step.command.split()[1] for step in found.advice if step.command}
    assert verbs <= AVAILABLE <= known
    assert {"suppress", "anonymize", "query"} <= verbs


def test_no_advice_to_coarsen_where_everybody_has_company() -> None:
    told = small(town=["a"] * 20 + ["b"] * 20, secret=[n % 4 for n in range(40)])
    assert not any("coarser" in step.step for step in told.advice)


def test_columns_that_nobody_named_are_pointed_out() -> None:
    table = pa.table({"sex": ["F", "M"] * 20, "q7": list(range(40))})
    told = audit(table, quasi=["sex"], sensitive=[], unit="row", roles={"q7": "insensitive"})
    assert any("could know q7" in step.step for step in told.advice)


def test_whatever_a_file_is_called_the_command_is_one() -> None:
    line = command("audit", "my file; rm x.csv", "--unit", "row")
    assert line is not None
    assert shlex.split(line) == ["privet", "audit", "my file; rm x.csv", "--unit", "row"]
    assert command("fly", "x.csv") is None


def steps(**columns) -> str:
    return "\n".join(f"{one.step} {one.why} {one.command}" for one in small(**columns).advice)


def test_secrets_that_look_alikes_share_are_pointed_out_with_a_reachable_l() -> None:
    """Two values can be no more than two: l = 3 could never be kept."""
    told = steps(town=["a"] * 3 + ["b"] * 3, secret=["x", "x", "y", "x", "x", "x"])
    assert "For 3 of 6 people" in told
    assert "--l secret=2" in told
    assert "--l" not in steps(town=["a", "a"], secret=["x", "x"]), "one value cannot differ"
    assert "differ in" not in steps(town=["a"] * 3, secret=["x", "y", "z"])


def test_coarser_columns_are_wanted_up_to_classes_of_five() -> None:
    wide = {"secret": [n % 3 for n in range(400)]}
    assert "coarser" in steps(town=["a"] * 396 + ["b"] * 4, **wide)
    assert "coarser" not in steps(town=["a"] * 395 + ["b"] * 5, **wide)


def test_the_column_that_would_help_most_is_named_with_its_effect() -> None:
    told = steps(town=["a", "a", "b", "b"], day=[1, 2, 3, 4], secret=[1, 1, 1, 1])
    assert "Without day, 0 % of people would be unique instead of 100 %." in told


def test_a_table_that_is_no_word_is_quoted_in_the_question() -> None:
    told = audit(pa.table({"a": [1, 1]}), quasi=["a"], unit="row", source="my-file.csv")
    (query,) = [one.command for one in told.advice if one.command and one.command.startswith("privet query")]
    assert shlex.split(query)[2] == "my-file.csv"
    assert "FROM " in shlex.split(query)[3]
