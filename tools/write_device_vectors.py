"""Writes the test vectors of devices: a specification, a secret, and the reports that follow from them.

    python tools/write_device_vectors.py

Clients in other languages read the same file (`tests/protect/collect/device_vectors.json`): with the same secret, each
must make the same reports about the same values on the same occasions.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.protect.collect.specifications import ALL, MEMOISED, collection, values_for

import privet as pv
from privet.protect.collect._device_state import read_state, write_state

TARGET = Path(__file__).resolve().parent.parent / "tests" / "protect" / "collect" / "device_vectors.json"
SECRET = bytes(range(32)).hex()
MEMOISING = (*MEMOISED, "rappor")


def one(values: Any, number: int) -> Any:
    """One person's value."""
    return (
        {name: column[number] for name, column in values.items()}
        if isinstance(values, dict)
        else values[number]
    )


def vector(made: pv.Collection, kind: str, folder: Path) -> dict[str, Any]:
    """The reports of one device on three occasions, and without one where they are the same each time."""
    path = folder / f"{made.fingerprint}.json"
    phone = made.device(path)
    state = read_state(path)
    assert state is not None
    write_state(path, replace(state, secret=SECRET))
    values = values_for(kind, 4)
    cases = []
    for number in range(4):
        occasion = None if made.memory == "value" or kind == "dbitflip" else f"day {number}"
        value = one(values, number)
        cases.append(
            {
                "value": value,
                "occasion": occasion,
                "report": json.loads(phone.report(value, occasion=occasion)),
                "charged": str(phone.spent),
            }
        )
    return {"title": made.oracle, "specification": made.to_json(), "secret": SECRET, "cases": cases}


def main() -> None:
    """Write all vectors."""
    with tempfile.TemporaryDirectory() as room:
        vectors = [vector(collection(kind, 4), kind, Path(room)) for kind in ALL]
        vectors += [
            vector(replace(collection(kind, 2), memory="value"), kind, Path(room))
            for kind in ALL
            if kind not in MEMOISING
        ]
    text = json.dumps({"schema": 1, "vectors": vectors}, ensure_ascii=False, indent=1)
    TARGET.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
