"""The one text of a record, which is what is hashed and signed: sorted names, no spaces, plain ASCII.

A record is taken as a reader of its file would have it: tuples are lists, and names are texts. Numbers are as Python
writes them, the shortest text that reads back as the same number, so that writing a record and reading it again never
changes its canonical form.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical(record: Any) -> bytes:
    """The bytes that stand for a record and for no other."""
    read_back = json.loads(json.dumps(record))
    return json.dumps(read_back, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def digest(record: Any) -> str:
    """SHA-256 of the canonical form."""
    return hashlib.sha256(canonical(record)).hexdigest()
