"""That a request had come to its end: a mark among its work in progress, from when all stands until that has been said.

What a killed training needs to be taken up is destroyed once its model stands. Killed between that and its last word, the same
command would be another training, and paid for again. So the mark is written before anything is destroyed: whoever finds it,
asks the same of the same rows, and sees what was made unchanged, takes what stands. It holds digests alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, clear_unfinished, content_digest, remove, written_whole
from privet.dataset import DataSet
from privet.errors import PrivetError
from privet.evidence import read_json, record_bytes
from privet.verbs._request import Request
from privet.verbs._request_execution import rows_for
from privet.verbs._verb import Done, Verb

MARK = "done.json"
_LARGEST = 100_000


def mark_completed(scratch: Path, asked: Request, done: Done, outputs: Sequence[Path]) -> None:
    """Note that all outputs of a request stand; on disk when this returns."""
    record = _record(asked, done.made.provenance.data, outputs)
    written_whole(scratch / MARK, OwnerOnly(json.dumps(record) + "\n"))


def completed(verb: Verb, asked: Request, scratch: Path, outputs: Sequence[Path]) -> Done | None:
    """What came of this very request, if it had come to its end before; the first of its outputs is what the verb made.

    None where there is no mark, where it is of another request or of other rows, or where an output was changed since.
    """
    try:
        found = read_json(record_bytes(scratch / MARK, largest=_LARGEST), what=MARK)
    except (OSError, ValueError, PrivetError):
        return None
    data = DataSet.of(asked.data)
    table, held, _ = rows_for(verb, data, asked)
    if found != _record(asked, table.fingerprint, outputs):
        return None
    made = verb.load(outputs[0])
    ledger = data.existing_ledger(asked.ledger)
    if ledger is None:
        return None
    with ledger:
        if made.receipt is None or made.receipt.ledger != ledger.id:
            return None
        return Done(
            made.promise,
            made.receipt,
            made=made,
            ledger=ledger.place,
            table=table,
            held=held,
            signing=data.signing(),
        )


def has_completed(scratch: Path) -> bool:
    """Whether some request had come to its end there."""
    return (scratch / MARK).exists()


def forget_completed(scratch: Path) -> None:
    """Take the mark away, with what a kill left of writing it: what was made has been said."""
    remove(scratch / MARK)
    clear_unfinished(scratch, MARK)


def _record(asked: Request, data: str, outputs: Sequence[Path]) -> dict[str, Any]:
    return {
        "request": _digest(asked, data),
        "outputs": [content_digest(place) for place in outputs],
    }


def _digest(asked: Request, data: str) -> str:
    said = {one.name: _plain(getattr(asked, one.name)) for one in fields(asked)}
    return hashlib.sha256(json.dumps([said, data], sort_keys=True).encode()).hexdigest()


def _plain(said: Any) -> Any:
    if hasattr(said, "model_dump"):
        return said.model_dump(mode="json")
    return said.to_json() if hasattr(said, "to_json") else said
