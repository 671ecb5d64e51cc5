"""What is not protected is said of every kind of thing, and what promises nothing protects nobody."""

import pytest

from privet.report._not_protected import ANYTHING_ELSE, FOR_THE_OWNER, MODELS, RECORDS, not_protected
from privet.report._run_facts import OUTPUTS


def test_each_output_has_its_own_list() -> None:
    assert not_protected("model") == MODELS
    assert not_protected("answer") != not_protected("table")
    assert not_protected("audit") == FOR_THE_OWNER
    assert not_protected("something new") == ANYTHING_ELSE


@pytest.mark.parametrize("output", ["answer", "table", "model", "something new"])
def test_without_a_promise_nothing_is_protected(output: str) -> None:
    assert not_protected(output, promised=False) == FOR_THE_OWNER


def test_replaced_values_promise_nothing_whatever_is_said() -> None:
    assert not_protected("records") == not_protected("records", promised=False) == RECORDS


def test_no_output_is_said_to_be_safe() -> None:
    for output in (*OUTPUTS, "something new"):
        said = not_protected(output)
        assert said
        assert all(one.endswith(".") for one in said)
        assert not {"anonymous", "safe", "guaranteed"} & set(" ".join(said).lower().split())
