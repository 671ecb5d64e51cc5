"""The record of a run, held against the journal that lies beside it, before a report is made of it.

A record is signed by itself, and so is each line of the journal: whoever puts an older record in the place of the last one, or
another journal beside it, changes no signature. A report says how far what it tells was checked, or is not made at all.
"""

from __future__ import annotations

import os
from pathlib import Path

from privet.artifact import OwnerOnly, content_digest, output_place, outputs_around
from privet.errors import EvidenceBroken
from privet.evidence import trusted_keys
from privet.pipeline._run_evidence import journal_lines
from privet.pipeline._run_journal import ENDED, NAME
from privet.pipeline._run_record import RECORD_NAME, RunRecord
from privet.pipeline._verification_story import Finding, VerificationStory

_HINT = (
    "Nothing was written. If a run was stopped, give `privet run` again; else find out who changed what: "
    "`privet verify` with the folder of the outputs says all that fails."
)


def record_standing(source: Path, record: RunRecord) -> str:
    """How far a run's record is to be believed, in sentences; a journal beside it that was changed, or is of another run, is refused.

    Args:
        source: the file that the record was read from.
        record: the record.
    """
    signed = "" if record.standing is None else record.standing.sentence()
    out = outputs_around(source.absolute())
    journal = output_place(out, OwnerOnly(NAME))
    if source.absolute() != output_place(out, OwnerOnly(RECORD_NAME)) or not os.path.lexists(journal):
        return f"{signed} No journal lies beside it, so it was not held against one.".strip()
    believed = record.standing is not None and record.standing.believed
    story = VerificationStory(trusted_keys() if believed else None)
    lines = journal_lines(out, story)
    ends = [line.get("record") for line in lines if line.get("what") == ENDED]
    if not ends or ends[-1] != content_digest(source):
        story.fails(NAME, "its last run did not end with this record.")
    failed = [one.says for one in story.checks if one.finding is Finding.FAILS]
    if failed:
        raise EvidenceBroken(f"the journal beside the record does not bear it out: {failed[0]}", _HINT)
    bare = any(one.finding is Finding.OPEN for one in story.checks)
    held = f"It is what the last run ended with by the journal beside it, {len(lines)} lines that follow from each other"
    return f"{signed} {held}, {'not all of them signed by a trusted key' if bare else 'each signed'}.".strip()
