"""Exactly once: one booking, one answer that anybody ever sees, however many ask and whoever is killed.

A question that is booked *once* has one spend for its digest. Whoever asks it while its release is not stored yet gets
a permit on that very entry, at no further cost, and draws. Why that is no second release:

    Claim. If every answer that is drawn under an entry booked once is handed out only as `Ledger.remember` returns it,
    then for each such entry exactly one drawn answer is ever seen, and it is distributed as one draw of the event.

    Proof. `remember` stores the first answer that reaches it and returns what is stored; both happen in the one
    writer's transaction, so over all processes one answer is stored for a digest, and everybody is handed this one.
    Every other draw (of a process that was killed, that failed to store, or that came second) is discarded without
    anybody having seen it, and noise is drawn anew each time. Which draw is stored is decided by who came first. That
    does not depend on the drawn values, under the condition below, so the stored one is distributed as any one of
    them; and a transcript in which unseen independent draws are left out is the transcript of a single draw. The entry
    paid for one. A process killed between booking and storing has therefore spent nothing that is lost.

    Condition. Nothing that depends on a drawn value is observable before it is stored, and whether a draw gets as far
    as being stored does not depend on its value. So an answer leaves only after it was stored, a failed store means no
    answer, and whatever fails between the draw and the store must itself be stored as the answer: were a draw repeated
    until it pleased, the one seen would be chosen by its value. `privet.protect._exactly_once` is the one place that
    draws under such entries and keeps this; it is the only caller of `charge(once=True)`.

What remains outside is an observer inside the machine, who sees memory or the time that a sampler took, and kills
before the store: he would see draws that are not counted. Each permit on an existing entry is therefore noted in the
owner's log of incidents.

An entry that was not booked once is never drawn under again, whatever its question: its answer may have left unstored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privet.errors import AlreadyReleased, LedgerMismatch
from privet.ledger._entry_journal import EntryJournal
from privet.ledger._hash_chain import Entry

MARK = "once"
# The digest commits to all of these; they are compared all the same.
_SAME = ("event", "unit", "promise", "data", "accounting", "cost")


def booked(journal: EntryJournal, content: Mapping[str, Any]) -> Entry | None:
    """The entry that paid for this question, where its answer is still to be stored; None where it is to be booked."""
    entries = journal.asked(content["question"])
    # Also for spends that were not booked once: what was released is public, and another draw would be a
    # second release.
    if any(entry.kind == "release" for entry in entries):
        raise AlreadyReleased(
            "this question was answered: its booking pays for no second draw.",
            "Take the stored release, ledger.recall(question), or book anew.",
        )
    spends = [entry for entry in entries if entry.kind == "spend" and entry.body.get(MARK)]
    if not spends:
        return None
    if any(spends[0].body[name] != content[name] for name in _SAME):
        raise LedgerMismatch(
            "this question was booked for another event, unit, promise or data than it is asked with now.",
            "A question's text must name everything its answer depends on. Nothing was booked.",
        )
    return spends[0]


def settled(journal: EntryJournal, question: str) -> bool:
    """Whether a question costs nothing more: its release is stored, or it is booked and may be drawn."""
    return any(
        entry.kind == "release" or (entry.kind == "spend" and bool(entry.body.get(MARK)))
        for entry in journal.asked(question)
    )


def note_again(journal: EntryJournal, entry: Entry) -> None:
    """Tell the owner that an entry is drawn under again: somebody is still at it, failed, or was killed."""
    doing = "an answer that was booked and is not stored yet is drawn again"
    journal.transaction.put_incident(entry.number, journal.at, "drawn-again", doing)
