"""Files of every format that Privet reads, bent at random from a seed: what becomes of each, and whether that is allowed.

A file that was bent is read or refused with an error of ours. Not allowed are: any other exception, a word of the data in
a message, work without end, and the end of the process.
"""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest import mock

from tests.engine.told import told

from privet.errors import InternalError, PrivetError

CANARY = "Wharfinger"  # in the cells of every seed, and in no name
ROWS = [(at, f"{CANARY} {at % 7}", at * 1.5, f"2020-01-{at % 28 + 1:02d}") for at in range(60)]
NAMES = ("patient", "name", "weight", "born")
_TOKENS = (
    *(
        b"",
        b"\x00",
        b"\xff" * 4,
        b"\x7f\xff\xff\xff",
        b"\x80\x00\x00\x00",
        b'"',
        b"'",
        b"\n",
        b"\r\n",
        b";",
        b",",
        b"\\",
    ),
    *(
        b"[" * 200,
        b"{" * 200,
        b"9" * 400,
        b"-1",
        b"1e999",
        b"NaN",
        b"\xef\xbb\xbf",
        b"\xc3\x28",
        b"../../etc/passwd",
    ),
    *(
        b"&a [*a]",
        b"!!python/object",
        b"- - - -",
        b": ",
        b"\x1b[31m",
        b"PAR1",
        b"SQLite format 3\x00",
        b"\x1f\x8b\x08",
    ),
)


def _csv(between: str = ",") -> bytes:
    lines = [between.join(NAMES), *(between.join((str(a), f'"{b}"', str(c), d)) for a, b, c, d in ROWS)]
    return "\n".join(lines).encode() + b"\n"


def _json_lines() -> bytes:
    return b"".join(
        json.dumps(dict(zip(NAMES, row, strict=True)) | {"more": {"a": [1, {"b": None}]}}).encode() + b"\n"
        for row in ROWS
    )


def _parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = pa.BufferOutputStream()
    columns = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
    table = pa.table({**columns, "more": [[{"a": at}] for at in range(len(ROWS))]})
    pq.write_table(table, out, compression="zstd", row_group_size=25)
    return bytes(out.getvalue())


def _duckdb() -> bytes:
    import duckdb

    with tempfile.TemporaryDirectory() as room:
        with duckdb.connect(f"{room}/t.duckdb") as made:
            made.execute("CREATE TABLE stays (patient INTEGER, name VARCHAR, weight DOUBLE, born DATE)")
            made.executemany("INSERT INTO stays VALUES (?, ?, ?, ?)", ROWS)
            made.execute("CREATE VIEW seen AS SELECT name FROM stays")
        return Path(room, "t.duckdb").read_bytes()


def _sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as room:
        made = sqlite3.connect(f"{room}/t.sqlite")
        made.execute("CREATE TABLE stays (patient INTEGER, name TEXT, weight REAL, born DATE)")
        made.executemany("INSERT INTO stays VALUES (?, ?, ?, ?)", ROWS)
        made.execute("CREATE INDEX by_name ON stays (name)")
        made.commit()
        made.close()
        return Path(room, "t.sqlite").read_bytes()


def _hierarchy() -> bytes:
    return "".join(f"{CANARY} {at};group {at // 3};*\n" for at in range(20)).encode()


def _tree() -> bytes:
    return f"column: name\ntree:\n  north:\n    - {CANARY} 1\n    - {CANARY} 2\n  south: [{CANARY} 3, {CANARY} 4]\n".encode()


def _policy() -> bytes:
    from tests.pipeline.hospital import ANONYMIZE, HEAD

    return f"{HEAD}steps:\n{ANONYMIZE}".encode()


def _roles() -> bytes:
    return b"confirmed: Ada\nroles:\n  name: direct\n  weight: quasi\n  born: quasi\n  patient: direct\n"


def _keys() -> bytes:
    """Always the same, and quick to open: a file says itself how much work its passphrase is."""
    from privet.protect.transform.pseudonyms import _key_storage as storage
    from privet.protect.transform.pseudonyms._key_ring import Key, KeyRing

    ring = KeyRing((Key("k1", bytes(range(32)), "2026-11-01"),))
    with (
        tempfile.TemporaryDirectory() as room,
        mock.patch.dict(storage.SCRYPT, n=16),
        mock.patch.object(storage, "fresh_bytes", bytes),
    ):
        file = Path(room, "keys.json")
        storage.write_file(file, ring, ask=lambda: CANARY * 3)
        return file.read_bytes()


@cache
def _run_once() -> dict[str, bytes]:
    """The records of one small run: plan, journal, record, answer, and the parts of a model."""
    from tests.pipeline.hospital import RELEASE, TRAIN, project

    from privet.pipeline import make_plan, run

    with tempfile.TemporaryDirectory() as room:
        policy = project(Path(room), RELEASE + TRAIN)
        make_plan(policy).save(Path(room, "plan.json"))
        run(policy)
        return {
            "plan": Path(room, "plan.json").read_bytes(),
            "journal": Path(room, "out/owner/journal.jsonl").read_bytes(),
            "run record": Path(room, "out/owner/run.json").read_bytes(),
            "answer": Path(room, "out/public/beds.json").read_bytes(),
            "model": Path(room, "out/public/risk/model.json").read_bytes(),
            "weights": Path(room, "out/public/risk/model.safetensors").read_bytes(),
        }


SEEDS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "csv": ("t.csv", _csv),
    "tsv": ("t.tsv", lambda: _csv("\t")),
    "gzip": ("t.csv.gz", lambda: gzip.compress(_csv(), mtime=0)),
    "json lines": ("t.jsonl", _json_lines),
    "gzip json lines": ("t.jsonl.gz", lambda: gzip.compress(_json_lines(), mtime=0)),
    "parquet": ("t.parquet", _parquet),
    "duckdb": ("t.duckdb", _duckdb),
    "sqlite": ("t.sqlite", _sqlite),
    "hierarchy": ("t_hierarchy_name.csv", _hierarchy),
    "tree": ("name.yaml", _tree),
    "policy": ("privet.yaml", _policy),
    "roles": ("roles.yaml", _roles),
    "keys": ("keys.json", _keys),
    "plan": ("plan.json", lambda: _run_once()["plan"]),
    "journal": ("journal.jsonl", lambda: _run_once()["journal"]),
    "run record": ("run.json", lambda: _run_once()["run record"]),
    "answer": ("beds.json", lambda: _run_once()["answer"]),
    "model": ("model.json", lambda: _run_once()["model"]),
    "weights": ("model.safetensors", lambda: _run_once()["weights"]),
}
TABLES = ("csv", "tsv", "gzip", "json lines", "gzip json lines", "parquet", "duckdb", "sqlite")
_PACKED = {"gzip": _csv, "gzip json lines": _json_lines}


@cache
def seed_of(form: str) -> bytes:
    """A whole file of a format."""
    return SEEDS[form][1]()


def bent(form: str, number: int) -> bytes:
    """The file of this number: the seed with one to six changes. The same for everybody."""
    source = random.Random(f"{form} {number}")
    content = bytearray(seed_of(form))
    if form in _PACKED and source.random() < 0.5:
        return gzip.compress(_changed(bytearray(_PACKED[form]()), source), mtime=0)
    return _changed(content, source)


def _changed(content: bytearray, source: random.Random) -> bytes:
    for _ in range(source.choice((1, 1, 2, 3, 6))):
        at, size = source.randrange(len(content) + 1), source.choice((1, 2, 4, 16, 200))
        match source.randrange(7):
            case 0 if at < len(content):
                content[at] ^= 1 << source.randrange(8)
            case 1:
                content[at : at + size] = source.randbytes(size)
            case 2:
                del content[at : at + size]
            case 3:
                content[at:at] = source.choice(_TOKENS)
            case 4:
                token = source.choice(_TOKENS)
                content[at : at + len(token)] = token
            case 5:
                other = source.randrange(len(content) + 1)
                content[at:at] = content[other : other + size * 8]
            case _:
                if source.random() < 0.3:
                    del content[at:]
    return bytes(content)


def met(form: str, number: int, folder: Path) -> str:
    """What reading the file of this number comes to: "read", the code of a refusal, or what was not allowed."""
    path = folder / SEEDS[form][0]
    path.unlink(missing_ok=True)
    path.write_bytes(bent(form, number))
    path.chmod(0o600)
    try:
        _READ.get(form, _table)(path)
    except InternalError as error:
        return f"FAULT internal error: {error.details}"
    except PrivetError as error:
        return f"FAULT a value is told: {error.code}" if CANARY in told(error) else error.code
    except BaseException as error:  # noqa: BLE001  any other is a finding
        return f"FAULT {type(error).__name__}: {str(error)[:200]}"
    return "read"


def _table(path: Path) -> None:
    import privet as pv
    from privet.engine._engine_results import fetch

    table = pv.open_table(path)
    fetch(table.relation.table, table.relation.engine)


def _as_hierarchy(path: Path) -> None:
    from privet.protect.anonymize.hierarchies._hierarchy_files import read_hierarchy

    read_hierarchy(path)


def _as_policy(path: Path) -> None:
    from privet.pipeline._policy import read_policy

    read_policy(path)


def _as_roles(path: Path) -> None:
    from privet.source._roles_file import read_roles

    read_roles(path)


def _as_keys(path: Path) -> None:
    from privet.protect.transform.pseudonyms import _key_storage as storage

    storage.read_file(path, ask=lambda: CANARY * 3)


def _as_plan(path: Path) -> None:
    from privet.pipeline import RunPlan

    RunPlan.load(path)


def _as_journal(path: Path) -> None:
    from privet.pipeline._run_journal import RunJournal

    (path.parent / "out" / "owner").mkdir(parents=True, exist_ok=True)
    path.replace(path.parent / "out" / "owner" / path.name)
    journal = RunJournal(path.parent / "out")
    journal.begun(), journal.kept(), journal.facts(), journal.purposes()


def _as_record(path: Path) -> None:
    from privet.pipeline._run_record import RunRecord

    RunRecord.load(path)


def _as_answer(path: Path) -> None:
    from privet.artifact import ReleasedAnswer

    ReleasedAnswer.load(path)


def _as_model(path: Path) -> None:
    """One part of a model that is bent, beside the other as it was."""
    from privet.artifact import ReleasedModel

    for name, form in (("model.json", "model"), ("model.safetensors", "weights")):
        if path.name != name:
            (path.parent / name).write_bytes(seed_of(form))
    ReleasedModel.load(path.parent)


_READ: dict[str, Callable[[Path], None]] = {
    "hierarchy": _as_hierarchy,
    "tree": _as_hierarchy,
    "policy": _as_policy,
    "roles": _as_roles,
    "keys": _as_keys,
    "plan": _as_plan,
    "journal": _as_journal,
    "run record": _as_record,
    "answer": _as_answer,
    "model": _as_model,
    "weights": _as_model,
}
