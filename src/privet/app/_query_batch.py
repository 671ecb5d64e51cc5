"""Questions of `privet query`, one or several: explained, or answered under one promise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.app._query_output import save, say_answer, say_found, tabbed
from privet.app._terminal import emit, progress
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.artifact import ReleasedAnswer
    from privet.dataset import Tables
    from privet.evidence import Signing
    from privet.ledger import Ledger
    from privet.verbs import Budgeted


def questions_of(sql: str | None, file: Path | None) -> list[str]:
    """The questions on the command line or in a file, told apart by semicolons."""
    if (sql is None) == (file is None):
        raise BadUsage(
            "there is no question." if sql is None else "questions stand on the command line or in a file.",
            'Write them after DATA, "SELECT …; SELECT …", or name a file: --file questions.sql.',
        )
    from privet.evidence import given_text
    from privet.protect.query.sql import statements

    if file is not None:
        try:
            sql = given_text(file)
        except (OSError, UnicodeDecodeError):
            raise BadUsage(f"{file.name} cannot be read.", "Name a text file in UTF-8.") from None
    found = statements(sql or "")
    if not found:
        raise BadUsage("there is no question.", 'Write "SELECT COUNT(*) FROM t".')
    return found


def explain(
    questions: list[str], options: Budgeted, tables: Tables, book: Ledger | None, *, as_json: bool
) -> None:
    """Say what would be done and spent."""
    from privet.protect.statistical_release import explain as explained

    promise, split = _settled(questions, options, tables, book)
    found: Any = explained(
        questions, promise, ledger=book, confidence=options.confidence, **tables.question(), **split
    )
    say_found(found, {"promise": promise.to_json()}, as_json=as_json)


def answered(
    questions: list[str], options: Budgeted, tables: Tables, book: Ledger, booking: dict[str, Any]
) -> tuple[ReleasedAnswer, ...]:
    """Release all answers under one promise."""
    from privet.protect.statistical_release import release

    promise, split = _settled(questions, options, tables, book)
    with progress("answering"):
        found: tuple[ReleasedAnswer, ...] = release(
            questions, promise, ledger=book, **tables.question(), **booking, **split
        )
    return found


def _settled(
    questions: list[str], options: Budgeted, tables: Tables, book: Ledger | None
) -> tuple[Any, dict[str, Any]]:
    with progress("looking for the least epsilon"):
        return options.settled(questions, tables.question(), book)


def files_of(path: Path | None, count: int) -> list[Path | None]:
    """One file for each answer: answers.json, or answers-1.json, answers-2.json and so on."""
    if path is None or count == 1:
        return [path] * count
    return [path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(1, count + 1)]


def say_answers(
    answers: tuple[ReleasedAnswer, ...],
    out: Path | None,
    card: Path | None,
    signing: Signing | None,
    *,
    as_json: bool,
) -> None:
    """Save and say all answers, in order."""
    outs, cards = files_of(out, len(answers)), files_of(card, len(answers))
    for answer, one_out, one_card in zip(answers, outs, cards, strict=True):
        save(answer, one_out, one_card, signing)
    saved = [f"saved {path}" for path in (*outs, *cards) if path]
    if len(answers) == 1:
        say_answer(answers[0], out, card, as_json=as_json)
        return
    text = "\n\n".join(str(answer) for answer in answers)
    plain = "\n\n".join(tabbed(answer) for answer in answers)
    data = {"answers": [answer.to_json() for answer in answers]}
    emit(data, "\n".join([text, *saved]), plain=plain, as_json=as_json)
