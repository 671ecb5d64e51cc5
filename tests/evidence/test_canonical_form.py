"""The canonical form is the same however a record is written, and another for every other record."""

import json

from hypothesis import given
from hypothesis import strategies as st

from privet.evidence import canonical, digest

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_writing_and_reading_changes_nothing(value):
    again = json.loads(json.dumps(value, indent=3, ensure_ascii=False))
    assert canonical(again) == canonical(value)
    assert digest(again) == digest(value)


def test_the_order_of_names_does_not_count_and_everything_else_does():
    assert canonical({"a": 1, "b": (1, 2)}) == b'{"a":1,"b":[1,2]}' == canonical({"b": [1, 2], "a": 1})
    different = [{"a": 1}, {"a": 1.0}, {"a": "1"}, {"a": [1]}, {"A": 1}, {}, {"a": None}, {"a": True}]
    assert len({canonical(one) for one in different}) == len(different)
