"""What can be taken back for one person, of everything that stands, and what cannot be recalled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privet.artifact import inside
from privet.dataset import PUBLISHED
from privet.engine import key_parts
from privet.errors import PrivetError
from privet.pipeline._policy import Policy
from privet.pipeline._retention import RECORDS, VAULT
from privet.pipeline._run_journal import RunJournal
from privet.pipeline._run_record import Made
from privet.source import open_table

_OWN_FIGURES = "Figures about everybody, kept by the owner: run again without the person, or remove the file."
# Kinds of output that stay with the owner, and can be made again or removed.
_OWN = ("audit", "report")


@dataclass(frozen=True)
class Recall:
    """Whether one person can be taken out of one thing, and why or why not."""

    what: str
    kind: str
    possible: bool
    why: str
    recipient: str = "internal"

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def recalls(out: Path, policy: Policy, vaults: Iterable[str] = ()) -> list[Recall]:
    """What can and cannot be recalled for one person, for everything that stands; the subject is not looked up."""
    found = [
        Recall(
            policy.dataset.source,
            "source",
            possible=True,
            why="Delete the person's rows there; Privet changes no source.",
        )
    ]
    journal = RunJournal(out)
    facts = journal.facts()
    found += [_of(made, facts[made.path], out, policy) for made in journal.standing().values()]
    found += [
        Recall(
            place,
            VAULT,
            possible=True,
            why="Erase the person's pseudonyms there: add --vault with its place.",
        )
        for place in vaults
        if (out.parent / place).is_file()
    ]
    found += [
        Recall(name, "report", possible=True, why=_OWN_FIGURES) for name in RECORDS if (out / name).is_file()
    ]
    found.append(
        Recall(
            "the ledger",
            "ledger",
            possible=False,
            why="It holds promises, amounts and the reasons that were written, no rows; budget that was spent stays spent.",
        )
    )
    return found


def _of(made: Made, facts: dict[str, Any], out: Path, policy: Policy) -> Recall:
    if made.kind in _OWN:
        return Recall(made.path, made.kind, possible=True, why=_OWN_FIGURES, recipient=made.recipient)
    if made.kind in ("table", "records"):
        return _of_table(made, facts, out, policy)
    again = "Train again without the person if the law asks for it. " if made.kind == "model" else ""
    says = (
        f"What it may tell of anybody is bounded by its promise: {made.promise.sentence_about(policy.dataset.unit.value())}"
        if made.promise is not None
        else "It promises nothing about what it tells of anybody."
    )
    why = f"Nobody can be taken out of it, and those who have it have it. {again}{says}"
    return Recall(made.path, made.kind, possible=False, why=why, recipient=made.recipient)


def _of_table(made: Made, facts: dict[str, Any], out: Path, policy: Policy) -> Recall:
    """Whether a person's rows can be found in a table, by the columns that it has and what was put into them.

    Rows with pseudonyms stay personal data for whoever holds the key or the vault (GDPR Art. 4(5), recital 26).
    """
    replaced = "Run again without the person, and ask those who have the table to replace it."
    named = _identifying(inside(out, made.path, folders=True), policy)
    if named is None:
        why = f"The file cannot be read, so that nothing is known of its columns. {replaced}"
    elif named:
        why = f"{_found_by(named, _rewritten(made, facts))} {replaced}"
    else:
        why = (
            "None of its columns was declared an identifier or free text: a person's rows could be looked for by their "
            f"other values alone. {replaced}"
        )
    return Recall(made.path, made.kind, possible=bool(named), why=why, recipient=made.recipient)


def _rewritten(made: Made, facts: dict[str, Any]) -> set[str]:
    """The columns that got other values."""
    said = facts.get("columns")
    return set(said) if made.kind == "records" and isinstance(said, dict) else set()


def _found_by(named: list[str], rewritten: set[str]) -> str:
    """By which columns a person's rows may be found, and by whom."""
    plain = ", ".join(repr(name) for name in named if name not in rewritten)
    other = ", ".join(repr(name) for name in named if name in rewritten)
    said = [f"It holds {plain}, by which a person's rows may be found in it."] if plain else []
    if other:
        said.append(
            f"It holds {other} with other values, such as pseudonyms: whoever can say which value became which, by the key, "
            "the vault or a list, may find a person's rows in it."
        )
    return " ".join(said)


def _identifying(path: Path, policy: Policy) -> list[str] | None:
    """The columns of a file that name somebody, or of which nobody has said that they do not."""
    try:
        columns = list(open_table(str(path)).columns)
    except PrivetError:
        return None
    unit = set(key_parts(policy.dataset.unit.column, policy.columns))
    return [
        name
        for name in columns
        if name in unit or name not in policy.columns or policy.columns[name].role not in PUBLISHED
    ]
