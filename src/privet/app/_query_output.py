"""Releasing, explaining and saying answers, as `privet query` and its shell do it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet._outgoing_text import tab_line
from privet.app._terminal import emit, progress
from privet.artifact import sign_file

if TYPE_CHECKING:
    from privet.artifact import ReleasedAnswer
    from privet.dataset import Tables
    from privet.evidence import Signing
    from privet.ledger import Ledger


def answered(sql: str, promise: Any, tables: Tables, book: Ledger, booking: dict[str, Any]) -> ReleasedAnswer:
    """Release one answer, with a sign of life if it takes long."""
    from privet.protect.statistical_release import release

    with progress("answering"):
        found: ReleasedAnswer = release(sql, promise, ledger=book, **tables.question(), **booking)
    return found


def save(answer: ReleasedAnswer, out: Path | None, card: Path | None, signing: Signing | None) -> None:
    """Write the answer's files, signed where the data set has a key."""
    if out:
        sign_file(answer.save(out), signing)
    if card:
        from privet.report import save_card

        save_card(answer, card)


def say_explanation(
    sql: str, promise: Any, tables: Tables, book: Ledger | None, confidence: float, *, as_json: bool
) -> None:
    """Say what would be done and spent."""
    from privet.protect.statistical_release import explain

    found: Any = explain(sql, promise, ledger=book, confidence=confidence, **tables.question())
    say_found(found, as_json=as_json)


def say_found(found: Any, also: dict[str, Any] | None = None, *, as_json: bool) -> None:
    """Say an explanation, with what else its JSON should hold."""
    data = {
        **(also or {}),
        "stages": found.stages,
        "expected_error": found.errors,
        "noise": found.choice,
        "cost": found.cost,
        "notes": found.notes,
    }
    emit(data, str(found), plain=str(found), as_json=as_json)


def say_answer(
    answer: ReleasedAnswer, out: Path | None = None, card: Path | None = None, *, as_json: bool
) -> None:
    """Say an answer."""
    saved = [f"saved {path}" for path in (out, card) if path]
    emit(answer.to_json(), "\n".join([str(answer), *saved]), plain=tabbed(answer), as_json=as_json)


def tabbed(answer: ReleasedAnswer) -> str:
    """The table with tabs between its columns."""
    table = answer.to_arrow()
    return "\n".join(map(tab_line, [table.column_names, *(row.values() for row in table.to_pylist())]))
