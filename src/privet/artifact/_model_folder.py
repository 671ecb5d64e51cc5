"""A folder with a model: weights as safetensors, a JSON record with a digest of them, and a card for people.

Nothing in it can be executed. It is written whole or not at all, and what is read back is compared with its digests and its
signature before anybody computes with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privet.artifact._atomic_write import own_folder, written_folder
from privet.artifact._audience import Content, Publishable, Right
from privet.artifact._ledger_marks import refuse_ledgers
from privet.artifact._signed_files import file_standing, record_digest
from privet.artifact._work_rooms import clear_unfinished
from privet.errors import BadModel, FileProblem, RecordTooDeep
from privet.evidence import Standing, read_json, record_bytes, refuse_special

SCHEMA = 1
TABULAR, NETWORK, SHIELD = "released-model", "released-network", "input-shield"
LANGUAGE = "released-language-model"
WEIGHTS, RECORD, CARD = "model.safetensors", "model.json", "card.md"
# What transformers reads beside the weights of a language model: its shape, and how text becomes tokens.
BESIDE = (
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "tokenizer.model",
    "vocab.json",
    "merges.txt",
)
_LARGEST_BESIDE = 2**28


def write_model(
    folder: str | Path,
    weights: bytes,
    record: dict[str, Any],
    card: str,
    beside: Mapping[str, bytes] | None = None,
) -> Path:
    """Write the folder whole or not at all; one that is there is replaced only if it holds a model.

    `beside` are files of `BESIDE` that go with it: the record names the digest of each.
    """
    target = Path(folder)
    if target.is_symlink() or _holds_other(target):
        raise FileProblem(
            f"{target.name} is there, and holds something else than a model.", "Name a new folder."
        )
    refuse_ledgers(target)
    bound = {**record, "weights": hashlib.sha256(weights).hexdigest()}
    more = dict(beside or {})
    if not more.keys() <= set(BESIDE):
        raise BadModel("a model takes no file of that name along.", f"Known are {', '.join(BESIDE)}.")
    if more:
        bound["files"] = {name: hashlib.sha256(more[name]).hexdigest() for name in sorted(more)}
    bound["digest"] = record_digest(bound)
    text = json.dumps(bound, ensure_ascii=False, indent=2) + "\n"
    files: dict[str, Content] = {WEIGHTS: weights, RECORD: text, CARD: card, **more}
    own_folder(target.parent.resolve(), parents=True, shared=True)
    right: Right = "made from public rows" if record.get("artifact") == SHIELD else "released under a promise"
    return written_folder(target, Publishable(files, right))


def kind_of_model(folder: str | Path) -> str | None:
    """What the record of a folder says it is; None where there is no record to read."""
    try:
        record = read_json(record_bytes(Path(folder) / RECORD), what=RECORD)
    except (OSError, ValueError, RecordTooDeep):
        return None
    found = record.get("artifact") if isinstance(record, dict) else None
    return found if isinstance(found, str) else None


def read_model(folder: str | Path, kind: str) -> tuple[dict[str, Any], bytes, Standing]:
    """Record, weights and standing; refuses what is incomplete, was changed, is of another kind or of an unknown version."""
    record, standing = read_model_record(folder, kind)
    return record, read_weights(folder, record), standing


def read_model_record(folder: str | Path, kind: str) -> tuple[dict[str, Any], Standing]:
    """The record alone, held against its digest and its signature; no weight is read."""
    source = Path(folder)
    refuse_special(source)
    try:
        record = read_json(record_bytes(source / RECORD), what=RECORD)
    except OSError:
        raise _no_model(source) from None
    except ValueError:
        raise BadModel(f"the record in {source.name} is not JSON.", "Train the model again.") from None
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise BadModel("this is not a released model of a known version.", "Was it written by a newer one?")
    if kind == TABULAR and record.get("artifact") == LANGUAGE:
        raise BadModel(
            f"{source.name} holds a language model.",
            "pv.load_language_model(folder), or transformers; `privet lm generate` asks it.",
        )
    if kind == TABULAR and record.get("artifact") == NETWORK:
        raise BadModel(
            f"{source.name} holds a network, whose architecture is not stored with it.",
            "pv.load_model(folder, architecture), with its class or a function that makes it; `--architecture module:name` "
            "on the command line.",
        )
    if record.get("artifact") != kind:
        raise BadModel("this is not a released model of a known version.", "Was it written by a newer one?")
    if record.pop("digest", "") != record_digest(record):
        raise _changed(source)
    return record, file_standing(source, record)


def read_weights(folder: str | Path, record: dict[str, Any], *, largest: int = sys.maxsize - 1) -> bytes:
    """The weights that a record goes with; a file of more bytes than `largest` is refused before it is read."""
    source = Path(folder)
    try:
        content = record_bytes(source / WEIGHTS, largest=largest)
    except OSError:
        raise _no_model(source) from None
    if record.get("weights") != hashlib.sha256(content).hexdigest():
        raise _changed(source)
    return content


def read_beside(folder: str | Path, record: dict[str, Any]) -> dict[str, bytes]:
    """The files that go with a model, by name; refuses those that differ from the record, and any that it does not name."""
    source, said = Path(folder), record.get("files", {})
    if not isinstance(said, dict) or not said.keys() <= set(BESIDE):
        raise BadModel("the record of this model names files that no model has.", "Use the original.")
    if any((source / name).exists() for name in BESIDE if name not in said):
        raise _changed(source)
    found = {}
    for name in said:
        try:
            found[name] = record_bytes(source / name, largest=_LARGEST_BESIDE)
        except OSError:
            raise _no_model(source) from None
        if hashlib.sha256(found[name]).hexdigest() != said[name]:
            raise _changed(source)
    return found


def _no_model(source: Path) -> BadModel:
    return BadModel(
        f"{source.name} is not a folder with a model.",
        "Name what `privet train -o` wrote, or what a model was saved to.",
    )


def _changed(source: Path) -> BadModel:
    return BadModel(f"the model in {source.name} was changed after it was saved.", "Use the original.")


def is_model(folder: Path) -> bool:
    """Whether a folder is a saved model and nothing else: neither another file nor a link is in it."""
    clear_unfinished(folder, RECORD)  # of a signing that was killed
    try:
        there = {path.name: path for path in folder.iterdir()}
        record = read_json(record_bytes(there[RECORD]), what=RECORD)
    except (OSError, ValueError, KeyError, RecordTooDeep):
        return False
    return (
        {WEIGHTS, RECORD} <= there.keys() <= {WEIGHTS, RECORD, CARD, *_files_of(record)}
        and all(path.is_file() and not path.is_symlink() for path in there.values())
        and isinstance(record, dict)
        and record.get("artifact") in (TABULAR, NETWORK, SHIELD, LANGUAGE)
    )


def _files_of(record: Any) -> set[str]:
    """The files of `BESIDE` that a record names, whatever else it says."""
    said = record.get("files") if isinstance(record, dict) else None
    return set(said) & set(BESIDE) if isinstance(said, dict) else set()


def _holds_other(target: Path) -> bool:
    """Whether something stands there that is neither a model nor an empty folder."""
    while target.exists():
        with contextlib.suppress(FileNotFoundError):
            which = target.stat().st_ino
            if is_model(target) or (target.is_dir() and not any(target.iterdir())):
                return False
            # Otherwise another thread was just putting its own there.
            if target.stat().st_ino == which:
                return True
    return False
