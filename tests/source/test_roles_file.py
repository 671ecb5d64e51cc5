"""Files of roles: what is written is read again, and what is not one is refused."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import BadRoles, PrivetError
from privet.source._roles_file import FORMAT, read_roles, roles_text

ROLES = ["direct", "quasi", "sensitive", "insensitive", "free text"]
NAMES = st.one_of(
    st.sampled_from(["no", "Yes", "null", "1", "a b", "x: y", "#c", "é", "-", "2020-01-01"]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(NAMES, st.sampled_from(ROLES), min_size=1, max_size=8),
    st.sampled_from(["r.yaml", "r.json"]),
)
def test_what_is_written_is_read_again(tmp_path_factory, roles, name) -> None:
    path = tmp_path_factory.mktemp("roles") / name
    text = roles_text(name, roles, unit="who", evidence=dict.fromkeys(roles, "its name\nsays: so # really"))
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadRoles, match="nobody has confirmed"):
        read_roles(path)
    path.write_text(
        text.replace("confirmed: no", "confirmed: A. Keeper").replace(
            '"confirmed": false', '"confirmed": true'
        ),
        encoding="utf-8",
    )
    assert read_roles(path) == roles


def test_the_file_says_what_it_is() -> None:
    content = yaml.safe_load(
        roles_text("r.yaml", {"zip": "quasi"}, unit="who", evidence={"zip": "five digits"})
    )
    assert content == {"format": FORMAT, "confirmed": False, "unit": "who", "roles": {"zip": "quasi"}}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "roles: [1, 2]", "not a file of roles"),
        ("a.yaml", "a: b: c", r"not YAML \(line 1\)"),
        ("a.json", "{", "not JSON"),
        ("a.json", "[]", "not a file of roles"),
    ],
)
def test_what_is_not_one_is_refused(tmp_path, name, text, said) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadRoles, match=said):
        read_roles(tmp_path / name)


def test_a_missing_file_is_refused(tmp_path) -> None:
    with pytest.raises(BadRoles, match="cannot be read"):
        read_roles(tmp_path / "none.yaml")


@pytest.mark.parametrize("content", ["[" * 100_000, "roles: &a {a: *a}", "roles: {a: 2026-02-30}"])
@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_files_made_to_break_readers_are_refused(tmp_path, content, ending):
    (tmp_path / f"roles.{ending}").write_text(content)
    with pytest.raises(PrivetError):
        read_roles(tmp_path / f"roles.{ending}")
