"""The evidence of one thing by itself: its signature, and that rows, weights, card or approvals are those that were signed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from privet.artifact import (
    LANGUAGE,
    NETWORK,
    NetworkRecord,
    ReleasedModel,
    content_digest,
    file_standing,
    load_record,
    read_model_record,
    record_digest,
    verified_record,
)
from privet.errors import EvidenceBroken
from privet.evidence import (
    FIELD,
    KEYS_KIND,
    KeyHistory,
    Signature,
    domain_of,
    read_json,
    record_bytes,
    record_text,
    short,
)
from privet.ledger import who_approved
from privet.pipeline._run_plan import PLAN_DOMAIN, RunPlan
from privet.pipeline._verification_story import VerificationStory
from privet.report import page_record

MODEL = "model.json"


def record_in(place: Path) -> dict[str, Any]:
    """The signed record of one thing."""
    if place.is_dir():
        record = read_json(record_bytes(place / MODEL), what=MODEL)
        record.pop("digest", None)
        return dict(record)
    if place.suffix == ".html":
        return page_record(record_text(place))
    if place.suffix in (".json", ".parquet"):
        return load_record(place, "a record of ours")
    raise EvidenceBroken(
        f"{place.name} has no place for a signature.", "Verify the folder of the run that made it."
    )


def verify_artifact(of: str, place: Path, story: VerificationStory) -> Signature | None:
    """One thing by itself: its signature, and what is bound to it."""
    if not place.is_dir() and place.suffix not in (".json", ".parquet", ".html"):
        story.open(
            of, "a file of this kind has no place for a signature: verify the folder of the run that made it."
        )
        return None
    record = story.trying(of, lambda: record_in(place))
    if not isinstance(record, dict):
        return None
    kind = record.get("artifact")
    if kind == KEYS_KIND:
        _key_list(of, record, story)
        return None
    if kind == "run-plan":
        return verify_plan(of, record, story)
    found = story.signed(of, record, domain_of(record))
    if place.is_dir():
        story.trying(of, lambda: _model(place, record))
    elif found is not None and place.suffix == ".parquet":
        story.trying(of, lambda: file_standing(place, record, story.keys))
    for at, part in enumerate(record.get("answers", ()) if kind == "released-answers" else (), 1):
        story.signed(f"{of}, answer {at}", part, domain_of(part))
    return found


def _key_list(of: str, record: dict[str, Any], story: VerificationStory) -> None:
    """A list of public keys: it vouches for itself, so it counts where it goes on from, or leads to, the one that is trusted."""
    listed = story.trying(of, lambda: KeyHistory.from_json(record))
    if listed is None:
        return
    if story.keys is None:
        story.open(of, "nobody has said whose keys these are. Name them with --key.")
        return
    theirs, own = ([key.public for key in keys.keys] for keys in (listed, story.keys))
    if theirs[: len(own)] == own or own[: len(theirs)] == theirs:
        story.holds(of, f"these are the data set's keys, up to {short(listed.current.public)}.")
    else:
        story.fails(
            of, "these are the keys of somebody else: none of them was handed over by the data set's."
        )


def _model(place: Path, record: dict[str, Any]) -> None:
    """Weights, digest and card are those of the record."""
    written = read_json(record_bytes(place / MODEL), what=MODEL)
    if written.get("digest") != record_digest(written):
        raise EvidenceBroken(
            "the digest of the model's record is another.", "Use the folder as it was saved and signed."
        )
    if record.get("weights") != content_digest(place / "model.safetensors"):
        raise EvidenceBroken(
            "the weights are not those that were signed.", "Use the folder as it was saved and signed."
        )
    card = place / "card.md"
    if record.get("artifact") == LANGUAGE:
        wanted = replace(verified_record(place), standing=None).card()
    elif record.get("artifact") == NETWORK:
        wanted = replace(NetworkRecord.from_json(*read_model_record(place, NETWORK)), standing=None).card()
    else:
        wanted = replace(ReleasedModel.load(place), standing=None).card()
    if not card.is_file() or record_text(card) != wanted:
        raise EvidenceBroken(
            "the card is not what the model's record says.", "Use the folder as it was saved and signed."
        )


def verify_plan(of: str, record: dict[str, Any], story: VerificationStory) -> Signature | None:
    """A plan: that it agrees with itself, the data set's signature, and who approved it."""
    plan = story.trying(of, lambda: RunPlan.from_json(record))
    if plan is None:
        return None
    bare = {**plan.to_json(), **({FIELD: record[FIELD]} if FIELD in record else {})}
    found = story.signed(of, bare, PLAN_DOMAIN)
    if found is not None and found.follows.get("policy") != plan.policy:
        story.fails(of, "its signature is for another policy than the plan names.")
    for one in plan.approvals:
        if who_approved(plan.digest, plan.ledger, [one], [one.key]):
            story.holds(of, f"approved by {one.key}.")
        else:
            story.fails(of, f"the approval by {short(one.key)} is not of this plan.")
    return found
