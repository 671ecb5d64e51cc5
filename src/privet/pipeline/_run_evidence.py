"""The evidence of a whole run: journal, plan, record, everything that was made, and the reports, of one piece."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.artifact import (
    OWNER,
    PUBLIC,
    OwnerOnly,
    content_digest,
    inside,
    load_record,
    output_name,
    output_place,
)
from privet.errors import PrivetError
from privet.evidence import FIELD, Signature, digest, domain_of, read_json, record_bytes
from privet.pipeline._artifact_evidence import record_in, verify_artifact, verify_plan
from privet.pipeline._ledger_evidence import verify_ledger
from privet.pipeline._retention import RECORDS
from privet.pipeline._run_journal import ENDED, LINE_DOMAIN, MADE, NAME, REMOVED, WORK
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._run_record import RECORD_NAME
from privet.pipeline._verification_story import LEDGER, Finding, VerificationStory


@dataclass(frozen=True)
class RunEvidence:
    """What a run says of itself, and the plan that it followed."""

    record: dict[str, Any]
    plan: RunPlan


def verify_run(out: Path, story: VerificationStory, ledger: str | Path | None) -> None:
    """A run: journal, plan, record, everything that was made, and the reports."""
    lines = journal_lines(out, story)
    if lines and lines[-1].get("what") not in (ENDED, REMOVED):
        story.fails(NAME, "it does not end with the end of a run: it was cut short, or the run is not over.")
    place = output_place(out, OwnerOnly(RECORD_NAME))
    record = story.trying(RECORD_NAME, lambda: load_record(place, "the record of a run"))
    signed = None if record is None else story.signed(RECORD_NAME, record, domain_of(record))
    plan = None
    if record is not None:
        plan = story.trying("plan", lambda: RunPlan.from_json(record["plan"]))
        verify_plan("plan", record["plan"], story)
    if record is not None and plan is not None:
        _joined(story, content_digest(place), lines, RunEvidence(record, plan), signed)
    _made(out, story, lines)
    _reports(out, story)
    if ledger is None:
        story.open(
            LEDGER,
            "whether the journal is the last one, and all was booked, can be told with the ledger: --ledger.",
        )
    else:
        receipts = [] if record is None else [step for step in record["steps"] if step["receipt"]]
        verify_ledger(Path(ledger), story, receipts, lines, plan)


def journal_lines(out: Path, story: VerificationStory) -> list[dict[str, Any]]:
    """The lines of the journal: each follows from the one before it, and each is signed."""
    file = output_place(out, OwnerOnly(NAME))
    if not file.is_file():
        story.fails(NAME, "it is missing.")
        return []
    lines: list[dict[str, Any]] | None = story.trying(
        NAME,
        lambda: [
            read_json(line, what="a line of the journal") for line in record_bytes(file).split(b"\n") if line
        ],
    )
    if not lines:
        if lines is not None:
            story.fails(NAME, "it is empty: it was cut back.")
        return []
    before, quiet = "0" * 64, VerificationStory(story.keys)
    for at, line in enumerate(lines, 1):
        if line.get("previous") != before:
            story.fails(
                NAME,
                f"line {at} does not follow from the one before it: lines were changed, moved or taken out.",
            )
            return list(lines)
        before = digest(line)
        quiet.signed(f"{NAME} line {at}", line, LINE_DOMAIN)
    bad = [one for one in quiet.checks if one.finding is not Finding.HOLDS]
    story.checks.extend(bad[:3])
    if not bad:
        story.holds(NAME, f"{len(lines)} lines, each following from the one before it, each signed.")
    return list(lines)


def _joined(
    story: VerificationStory,
    written: str,
    lines: list[dict[str, Any]],
    run: RunEvidence,
    signed: Signature | None,
) -> None:
    """Record, plan and journal are of one run."""
    record, plan = run.record, run.plan
    ends = [line for line in lines if line.get("what") == ENDED]
    if ends:
        ended = ends[-1]
        if ended.get("record") != written:
            story.fails(
                RECORD_NAME,
                "it is not the record that the journal's last run ended with: it is of another run, or changed.",
            )
        elif ended.get("plan") != plan.digest:
            story.fails("plan", "it is not the plan that the journal's last run was made by.")
        else:
            story.holds(
                RECORD_NAME, "it is the record that the journal's last run ended with, made by this plan."
            )
    if record["policy"].get("sha256") != plan.policy:
        story.fails("plan", "it was made for another policy than the record names.")
    if signed is None:
        return
    heads = {digest(line) for line in lines}
    wanted = {"policy": plan.policy, "plan": plan.digest}
    if {name: signed.follows.get(name) for name in wanted} != wanted:
        story.fails(RECORD_NAME, "it follows from another policy or plan than the one in it.")
    if signed.follows.get("journal") not in heads:
        story.fails(
            RECORD_NAME,
            "the journal lacks the line that the record follows from: it was rolled back or replaced.",
        )
    said = [(step["name"], step["made"]["digest"]) for step in record["steps"] if step["made"]]
    booked = {(line["step"], line["made"]["digest"]) for line in lines if line.get("what") == MADE}
    for name, one in said:
        if (name, one) not in booked:
            story.fails(
                name, "the record names a file that the journal does not know: it is from another run."
            )


def _made(out: Path, story: VerificationStory, lines: list[dict[str, Any]]) -> None:
    """Everything that stands as the journal says it was made, and signed as what it follows from."""
    standing: dict[str, dict[str, Any]] = {}
    for line in lines:
        if line.get("what") == MADE:
            standing[str(line["made"]["path"])] = line
        elif line.get("what") == REMOVED:
            standing.pop(str(line["path"]), None)
    own = (output_name(OwnerOnly(name)) for name in (NAME, WORK))
    known = {*standing, *RECORDS, *own, OWNER, PUBLIC}
    for place in sorted(out.glob("*")) + sorted(out.glob("*/*")):
        name = place.relative_to(out).as_posix()
        beside = place.parent != out and place.parent.name not in (
            OWNER,
            PUBLIC,
        )  # said of the folder already
        if name not in known and not beside:
            story.fails(name, "it stands among the outputs, and no run says that it made it.")
    for path, line in standing.items():
        _made_one(path, _inside(out, path), line, story)


def _made_one(path: str, place: Path | None, line: dict[str, Any], story: VerificationStory) -> None:
    """One thing that the journal says was made."""
    if place is None or not place.exists():
        story.fails(path, "it is missing: the journal says it was made, and nothing says it was removed.")
        return
    if content_digest(place) != line["made"]["digest"]:
        story.fails(
            path, "it is not the file that the run made: it was changed, swapped, or is from another run."
        )
        return
    story.holds(path, "it is, byte for byte, what the run made.")
    if not place.is_dir() and place.suffix not in (".json", ".parquet"):
        return
    record = story.trying(path, lambda: record_in(place))
    if isinstance(record, dict) and FIELD in record:
        found = verify_artifact(path, place, story)
        if found is not None and found.follows.get("step") != line["key"]:
            story.fails(path, "its signature is for another step than the journal says.")


def _inside(out: Path, path: str) -> Path | None:
    try:
        return inside(out, path, folders=True)
    except PrivetError:
        return None


def _reports(out: Path, story: VerificationStory) -> None:
    """Reports follow from the record that stands beside them."""
    record = output_name(OwnerOnly(RECORD_NAME))
    for name in RECORDS:
        if name == record or not (out / name).is_file():
            continue
        found = verify_artifact(name, out / name, story)
        if found is not None and found.follows.get("record") != content_digest(out / record):
            story.fails(name, "it reports another run than the record beside it.")
