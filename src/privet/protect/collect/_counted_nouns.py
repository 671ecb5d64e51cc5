"""Numbers of things in sentences: one report, two reports."""

from __future__ import annotations


def numbered(many: int, one: str, more: str | None = None) -> str:
    """So many of a thing: "1 report", "2,000 reports"; `more` is the plural where it is not made with an s."""
    return f"{many:,} {one if many == 1 else more or one + 's'}"


def left_out_note(many: int) -> str:
    """What is said of reports that were left out: their number, and never which or why for whom."""
    said = ("was", "it does") if many == 1 else ("were", "they do")
    return f"{numbered(many, 'report')} {said[0]} left out because {said[1]} not fit the specification."
