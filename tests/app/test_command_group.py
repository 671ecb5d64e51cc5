"""Every verb has a summary, a module that is there, and a command of its name."""

from importlib.util import find_spec

import pytest

from privet.app._cli import app
from privet.app._command_group import GROUPS, SUMMARIES, TRANSFORMS, VerbGroup, built, home_of


def test_every_command_has_a_module() -> None:
    assert [name for name in (*SUMMARIES, *GROUPS) if find_spec(home_of(name)) is None] == []
    assert home_of("round") == home_of("reveal") == "privet.app._transforms_command"
    assert home_of("audit") == "privet.app._audit_command"
    assert set(TRANSFORMS) <= set(SUMMARIES)


@pytest.mark.parametrize("name", ["audit", "shift-dates", "reveal"])
def test_a_command_is_made_under_its_name_with_its_summary(name: str) -> None:
    made = built(name)
    assert made.name == name
    assert made.help == SUMMARIES[name]
    assert "--json" in {spelling for one in made.params for spelling in one.opts}


def test_the_order_of_the_help_names_only_what_there_is() -> None:
    known = (
        {one.name for one in app.registered_commands}
        | {one.name for one in app.registered_groups}
        | set(SUMMARIES)
        | set(GROUPS)
    )
    assert set(VerbGroup.order) <= known
    assert set(VerbGroup.panels) <= known
    assert len(set(VerbGroup.order)) == len(VerbGroup.order)


def test_summaries_are_sentences() -> None:
    assert [name for name, said in SUMMARIES.items() if not (said[0].isupper() and said.endswith("."))] == []
