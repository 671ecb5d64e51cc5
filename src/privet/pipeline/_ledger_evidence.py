"""The evidence of the ledger: the book itself, the receipts held against it, and the keys and journals that it knows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from privet.artifact import Receipt
from privet.dataset import approvers_in, elsewhere, noted
from privet.errors import FileProblem, PrivetError
from privet.evidence import digest, refuse_special
from privet.ledger import APPROVERS, JOURNAL, KEYS, Entry, Head, Ledger, from_text
from privet.pipeline._approvals import refuse_unapproved
from privet.pipeline._run_admission import mark
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._verification_story import LEDGER, VerificationStory


def verify_ledger(
    place: Path,
    story: VerificationStory,
    receipts: list[dict[str, Any]],
    lines: list[dict[str, Any]] | None,
    plan: RunPlan | None = None,
) -> None:
    """The book itself, its receipts, the keys it knows, the head of the journal that it knows, and whom it asks to approve."""

    def look() -> None:
        refuse_special(place)
        if not place.is_file():
            raise FileProblem(
                "there is no ledger at that place.", "Name the ledger that the run was booked in."
            )
        with Ledger(place) as book:
            held = [Receipt.from_json(one["receipt"]) for one in receipts if one.get("receipt")]
            found = book.verify(held)
            story.holds(
                LEDGER, f"it verifies: {found.entries} entries, {len(held)} receipts held against it."
            )
            _newest_noted(place, book, story)
            _anchored_keys(book, story)
            if lines is not None:
                _anchored_journal(book, story, lines)
            if plan is not None:
                _as_planned(book, story, plan)
                if story.keys is not None:
                    _approved(book, story, plan)

    story.trying(LEDGER, look)


def _newest_noted(place: Path, book: Ledger, story: VerificationStory) -> None:
    """The newest entry that the data set's key noted is in it; only the owner has the note, beside the ledger or above."""
    here, cwd = place.absolute().parent, Path.cwd()
    folders = dict.fromkeys((here, *here.parents, cwd, *cwd.parents))
    own = next((one for folder in folders if (one := _note_of(folder, book, story)) is not None), None)
    there = elsewhere(story.keys)
    other = None if there is None else _note_of(here, book, story, at=there)
    known = [one for one in (own, other) if one is not None]
    if not known:
        return
    found = max(known, key=lambda head: head.number)
    entry = next((one for one in book.history(found.number - 1) if one.number == found.number), None)
    if entry is None or entry.hash != found.hash:
        story.fails(
            LEDGER,
            f"it does not hold entry {found.number}, which the data set's key noted: an older copy was put in its place.",
        )
    else:
        story.holds(LEDGER, f"it holds entry {found.number}, the newest that the data set's key noted.")


def _note_of(folder: Path, book: Ledger, story: VerificationStory, *, at: Path | None = None) -> Head | None:
    """What is noted in a folder of this very ledger; a note of another ledger, or by another key, says nothing of it."""
    try:
        found = noted(folder, story.keys, at=at)
    except PrivetError:
        return None
    return found[1] if found is not None and found[0] == book.id else None


def _anchored_keys(book: Ledger, story: VerificationStory) -> None:
    anchors = book.anchors(KEYS)
    known = anchors[-1].said.get("keys", "").split(" ") if anchors else []
    if story.keys is None or not known:
        return
    own = [key.public for key in story.keys.keys]
    if own[: len(known)] != known and known[: len(own)] != own:
        story.fails(LEDGER, "it knows other keys of the data set than the ones given: a key was replaced.")
    else:
        story.holds(LEDGER, "it knows the data set's keys.")


def _anchored_journal(book: Ledger, story: VerificationStory, lines: list[dict[str, Any]]) -> None:
    heads = [digest(line) for line in lines]
    known = book.anchors(JOURNAL)
    mine = [one for one in known if heads and one.said.get("journal") == heads[0]]
    if not mine:
        story.fails(
            LEDGER, "it knows no run of this journal: the journal was replaced, or is of another data set."
        )
    elif any(one.digest not in heads for one in mine):
        story.fails(LEDGER, "it knows a later state of the journal: the journal was cut back or rolled back.")
    elif known[-1].digest not in heads:
        story.fails(
            LEDGER,
            "it knows a later run, with a journal of its own: these are the outputs of an earlier one.",
        )
    else:
        story.holds(LEDGER, "every end of a run that it knows is in the journal.")


def _is_of(plan: RunPlan, entry: Entry) -> bool:
    """Whether an entry was booked for a plan: it names it; the oldest do so in their reasons alone."""
    named = entry.body.get("plan")
    return named == plan.digest if named is not None else mark(plan) in str(entry.body.get("why"))


def _as_planned(book: Ledger, story: VerificationStory, plan: RunPlan) -> None:
    """In a plan's name no more was booked than it says: an approval is one of its amounts."""
    booked, planned = Counter[str](), Counter[str]()
    entries = [one for one in book.history() if one.kind == "spend" and _is_of(plan, one)]
    for entry in entries:
        booked.update(from_text(entry.body["cost"]))
    for step in plan.steps:
        planned.update(from_text(step.cost))
    if any(amount > planned[coin] for coin, amount in booked.items()):
        story.fails(LEDGER, "more was booked in the plan's name than the plan says.")
    elif entries:
        story.holds(LEDGER, f"{len(entries)} entries name the plan, and cost no more than it says.")


def _approved(book: Ledger, story: VerificationStory, plan: RunPlan) -> None:
    """What was booked for the plan was approved by those whom the ledger named at that time."""
    said = [one.entry for one in book.anchors(APPROVERS)]
    if not said:
        return
    booked = [one.number for one in book.history() if _is_of(plan, one)]
    # The demands that were in force at some booking: each was the last one before it.
    demands = {max((entry for entry in said if entry < number), default=0) for number in booked}
    asked = [approvers_in(book, story.keys, before=entry + 1) for entry in sorted(demands)]
    for wanted in asked:
        refuse_unapproved(plan, wanted)
    if any(asked):
        story.holds("plan", "it was approved by as many people as the ledger asked for when it was booked.")
