"""A trade-off in words, and the lines of a policy that nothing breaks out of."""

import math
from dataclasses import replace

import pytest
import yaml

from privet._outgoing_text import for_yaml
from privet.pipeline._tradeoff import Tradeoff
from privet.pipeline._tradeoff_summary import _suspicion, policy_lines


def test_names_of_columns_cannot_break_out_of_the_lines(found: Tradeoff) -> None:
    odd = 'x"]\n  - do: audit # '
    made = replace(
        found.points[1], technique="train", strength={"epsilon": 1.0, "delta": 1e-6, "model": "linear"}
    )
    lines = policy_lines(made, target=odd, columns=[odd], quasi=[], purpose="p: q", max_suppressed="0.1")
    (step,) = yaml.safe_load(lines)
    assert (step["target"], step["columns"], step["purpose"]) == (odd, [odd], "p: q")


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (0, "0.1% sure"),
        (math.log(999), "50.0% sure"),
        (20, "as good as certain"),
        (10**6, "as good as certain"),
    ],
)
def test_a_suspicion_of_one_in_a_thousand_by_bayes(epsilon, said):
    assert _suspicion(epsilon) == said


@pytest.mark.parametrize("name", ["a", "a: b", "a\n- do: erase", '"', "é", "😀", "#", "{}", "true"])
def test_any_name_is_read_back_as_that_name(name):
    import yaml

    assert yaml.safe_load(f"x: [{for_yaml(name)}]") == {"x": [name]}
