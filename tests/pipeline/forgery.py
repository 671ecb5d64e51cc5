"""What somebody can do who may write every file of a project and has no key: change, hash again, sign as somebody else."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.evidence.keys import FORGER

from privet.evidence import FIELD, KeyHistory, Signing, digest, now
from privet.ledger import GENESIS
from privet.pipeline import VerifiedEvidence, run

Lines = list[dict[str, Any]]
STRANGER = Signing(FORGER, KeyHistory.first(FORGER, "2026-01-01T00:00:00+00:00"))


def lines_of(folder: Path) -> Lines:
    return [
        json.loads(line) for line in (folder / "out" / "owner" / "journal.jsonl").read_text().splitlines()
    ]


def chained(lines: Lines, sign: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> Lines:
    """The lines hashed again from the first to the last, so that the chain is closed over what was changed."""
    found: Lines = []
    for line in lines:
        made = {**line, "previous": digest(found[-1]) if found else GENESIS}
        found.append(made if sign is None else sign(made))
    return found


def write_lines(folder: Path, lines: Lines) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "out" / "owner" / "journal.jsonl").write_text(text)


def bare(lines: Lines) -> Lines:
    return [{name: value for name, value in line.items() if name != FIELD} for line in lines]


def replace_key(folder: Path) -> None:
    """Put the forger's own keys in the place of the data set's."""
    place = folder / "privet.signing"
    seed = bytes([7] * 31 + [8])
    (place / "key").write_text(json.dumps({"privet_signing_key": 1, "seed": seed.hex()}))
    (place / "key").chmod(0o600)
    (place / "keys.json").write_text(json.dumps(KeyHistory.first(FORGER, now()).to_json()))


def copied(source: Path, target: Path) -> Path:
    """A project with all its files and times; the policy's path."""
    shutil.copytree(source, target)
    return target / "privet.yaml"


def asked_otherwise(folder: Path) -> None:
    """One more run, with another epsilon; what stands in the way is a copy, which no run replaces."""
    policy = folder / "privet.yaml"
    policy.write_text(policy.read_text().replace("epsilon: 0.5", "epsilon: 0.25"))
    (folder / "out" / "public" / "beds.json").unlink()
    run(policy)


def told(found: VerifiedEvidence) -> str:
    """What a verification that failed says of it."""
    assert found.broken
    assert not found.proven
    return " ".join(one.says for one in found.broken)
