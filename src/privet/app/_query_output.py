"""Releasing, explaining and saying answers, as `privet query` and its shell do it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.app._terminal import emit, progress

if TYPE_CHECKING:
    from privet.artifact import ReleasedAnswer
    from privet.dataset import Tables
    from privet.ledger import Ledger


def answered(sql: str, promise: Any, tables: Tables, book: Ledger, booking: dict[str, Any]) -> ReleasedAnswer:
    """Release one answer, with a sign of life if it takes long."""
    from privet.protect.statistics import release

    with progress("answering"):
        found: ReleasedAnswer = release(sql, promise, ledger=book, **tables.question(), **booking)
    return found


def save(answer: ReleasedAnswer, out: Path | None, card: Path | None) -> None:
    """Write the answer's files."""
    if out:
        answer.save(out)
    if card:
        from privet.report import save_card

        save_card(answer, card)


def say_explanation(
    sql: str, promise: Any, tables: Tables, book: Ledger | None, confidence: float, *, as_json: bool
) -> None:
    """Say what would be done and spent."""
    from privet.protect.statistics import explain

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
    lines = ["\t".join(table.column_names)]
    lines += [
        "\t".join("" if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist()
    ]
    return "\n".join(lines)
