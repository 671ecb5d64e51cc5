"""Parts of views: whatever comes in as text goes out escaped."""

import pytest
from tests.report.views import HOSTILE, Checked

from privet.report._notebook_html import (
    MOST_ROWS,
    OWNER,
    RELEASED,
    facts,
    folded,
    heading,
    listed,
    paragraph,
    stamp,
    table,
    view,
)


def test_of_many_rows_the_first_are_shown_and_the_rest_is_said() -> None:
    text = table(["n"], [[str(at)] for at in range(MOST_ROWS + 5)], more="to_pandas() has them all.")
    assert text.count("<td>") == MOST_ROWS
    assert "and 5 more. to_pandas() has them all." in text


@pytest.mark.parametrize(
    "part",
    [
        heading(HOSTILE), stamp(HOSTILE), paragraph(HOSTILE), table([HOSTILE], [[HOSTILE]]), facts([(HOSTILE, HOSTILE)]),
        listed([HOSTILE]), folded(HOSTILE, paragraph("x")),
    ],
)  # fmt: skip
def test_text_is_escaped_everywhere(part: str) -> None:
    found = Checked(view(part))
    assert "script" not in found.tags
    assert HOSTILE in found.text


def test_nothing_to_say_leaves_nothing() -> None:
    assert paragraph("") == listed([]) == facts([]) == folded("x", "") == ""


def test_what_is_the_owner_s_is_stamped_so() -> None:
    assert 'class="stamp owner"' in stamp(f"{OWNER}: exact figures")
    assert 'class="stamp owner"' not in stamp(RELEASED)


def test_the_last_columns_are_numbers() -> None:
    assert table(["a", "b"], [["x", "1"]], numbers=1).count('class="n"') == 2
    assert "<ol>" in listed(["a"], numbered=True)
