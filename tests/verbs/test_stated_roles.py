"""Roles with a request: options win over a file, and never contradict each other."""

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadUsage
from privet.verbs._request import RolesStated
from privet.verbs._stated_roles import _in_a_list, proposed, stated_roles


def test_options_win_over_the_file(tmp_path):
    (tmp_path / "roles.yaml").write_text("roles:\n  zip: sensitive\n  age: quasi\n  note: free text\n")
    said = RolesStated(quasi=["zip"], keep=["ward"], roles=str(tmp_path / "roles.yaml"))
    assert stated_roles(said) == {"zip": "quasi", "age": "quasi", "ward": "insensitive"}


@pytest.mark.parametrize(
    "said", [{"quasi": ["a"], "sensitive": ["a"]}, {"sensitive": ["a"], "keep": ["a"]}, {"quasi": ["a", "a"]}]
)
def test_a_column_has_one_role(said):
    with pytest.raises(BadUsage, match="'a' is named twice"):
        stated_roles(RolesStated(**said))


def test_nothing_said_is_nothing():
    assert stated_roles(RolesStated()) == {}


def test_what_is_proposed_can_be_written_on_a_command_line():
    assert _in_a_list("plain") == "plain"
    assert _in_a_list("a,b") == '"a,b"'
    assert _in_a_list('say "x"') == '"say ""x"""'
    table = pv.open_table(pa.table({"who": [1, 2], "x": [0.5, 0.7]}), unit=pv.Person("who"))
    assert "who" not in proposed(table)
