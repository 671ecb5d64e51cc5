"""`verify`: does this table, model, answer or report belong to that plan, that budget and those attacks? Offline.

An outsider holds the files and the data set's public keys, and needs nothing else. Every link is checked by itself and the
story tells each: what holds, what fails and where the chain breaks, and what cannot be told without the ledger.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from privet.artifact import PUBLIC, OwnerOnly, output_place
from privet.errors import BadUsage, FileProblem, checked
from privet.evidence import KeyHistory, read_keys, refuse_special, trusted_keys
from privet.pipeline._artifact_evidence import MODEL, record_in, verify_artifact
from privet.pipeline._ledger_evidence import verify_ledger
from privet.pipeline._run_evidence import verify_run
from privet.pipeline._run_journal import NAME
from privet.pipeline._run_record import RECORD_NAME
from privet.pipeline._verification_story import LEDGER, VerificationStory, VerifiedEvidence


@checked
def verify(
    path: str | Path, *, key: str | Path | KeyHistory | None = None, ledger: str | Path | None = None
) -> VerifiedEvidence:
    """Check that what lies at a path is what the data set's key signed, and what it says it follows from. Reads only.

    Args:
        path: the folder of a run's outputs, what was given away of them (`public`), or one file or model: an answer, a table, a plan, a record, a report.
        key: the data set's public keys: a file that `privet keys public` wrote, or the keys themselves [default: those that
            are trusted here].
        ledger: the data set's ledger, where one has it: the anchors and receipts are held against it.
    """
    place = Path(path)
    known = key if isinstance(key, KeyHistory) else trusted_keys() if key is None else read_keys(key)
    story = VerificationStory(known)
    refuse_special(place)
    if not place.exists():
        raise FileProblem(f"there is nothing at {place.name}.", "Name a folder of outputs, or a file.")
    if place.is_dir() and not (place / MODEL).is_file():
        outputs = _outputs(place)
        if outputs is None:
            _things(_published(place), story, ledger)
        else:
            verify_run(outputs, story, ledger)
    else:
        _things([place], story, ledger)
    return VerifiedEvidence(
        place.name or str(place), tuple(story.checks), None if known is None else known.current.public
    )


def _things(places: list[Path], story: VerificationStory, ledger: str | Path | None) -> None:
    """Each by itself, without the run that made it."""
    for place in places:
        verify_artifact(place.name, place, story)
    if ledger is None:
        story.open(LEDGER, "whether it was booked as its receipt says can be told with the ledger: --ledger.")
        return
    found = [story.trying(place.name, partial(record_in, place)) for place in places]
    verify_ledger(Path(ledger), story, [record for record in found if record is not None], None)


def _outputs(place: Path) -> Path | None:
    """The folder of the outputs: the one named, or `out` in it; None where what only their owner has is not there."""
    for folder in (place, place / "out"):
        if any(output_place(folder, OwnerOnly(name)).is_file() for name in (NAME, RECORD_NAME)):
            return folder
    return None


def _published(place: Path) -> list[Path]:
    """What was given away of a run: the folder `public`, as the owner hands it on."""
    folder = place if place.name == PUBLIC else place / PUBLIC
    found = sorted(folder.glob("[!.]*")) if folder.is_dir() else []
    if found:
        return found
    raise BadUsage(
        f"{place.name} is neither the folder of a run's outputs nor a model.",
        "Name the folder that `privet run` wrote, or a file in it.",
    )
