"""Writes the test vectors of reports: specifications, random bytes, values, and the reports they make.

    python tools/write_report_vectors.py

Clients in other languages read the same file (`tests/protect/collect/report_vectors.json`): with these bytes as their
randomness, each must make these reports. The bytes are those of a counter hashed with SHA-256; nothing is secret.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.protect.collect.specifications import ALL, collection, values_for

from privet.mechanism import WordStream

TARGET = Path(__file__).resolve().parent.parent / "tests" / "protect" / "collect" / "report_vectors.json"


def random_bytes(label: str, count: int) -> bytes:
    """Bytes that look random and are the same on every machine."""
    blocks = (hashlib.sha256(f"{label} {number}".encode()).digest() for number in range(count // 32 + 1))
    return b"".join(blocks)[:count]


def case(kind: str, epsilon: float, number: int) -> dict[str, Any]:
    """One value, the bytes that were read for it, and its report."""
    made = collection(kind, epsilon)
    values = values_for(kind, number + 1)
    value = (
        {name: column[number] for name, column in values.items()}
        if isinstance(values, dict)
        else values[number]
    )
    content = random_bytes(f"{kind} {epsilon} {number}", 4096)
    used = 0

    def read(count: int) -> Any:
        nonlocal used
        import numpy as np

        used += count
        return np.frombuffer(content, np.uint8)[used - count : used]

    given = {name: [one] for name, one in value.items()} if isinstance(value, dict) else [value]
    (line,) = made.lines(made.reports_from(given, WordStream(read, private=True)))
    return {"value": value, "random": content[:used].hex(), "report": json.loads(line)}


def main() -> None:
    """Write all vectors."""
    vectors = []
    for kind in ALL:
        for epsilon in (0.5, 4, 12):
            made = collection(kind, epsilon)
            vectors.append(
                {
                    "title": f"{kind} at epsilon {epsilon}",
                    "specification": made.to_json(),
                    "fingerprint": made.fingerprint,
                    "cases": [case(kind, epsilon, number) for number in range(4)],
                }
            )
    text = json.dumps({"schema": 1, "vectors": vectors}, ensure_ascii=False, indent=1)
    TARGET.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
