"""Errors of synthesis: bad input, each with a page that says what to do."""

from pathlib import Path

from privet.errors import BadInput, BadSynthesis, RuleUnmet

PAGES = Path(__file__).resolve().parents[2] / "docs" / "errors"


def test_they_are_bad_input_and_their_pages_say_what_to_do() -> None:
    for error in (BadSynthesis, RuleUnmet):
        assert issubclass(error, BadInput)
        assert "## What to do" in (PAGES / f"{error.code}.md").read_text(encoding="utf-8")
