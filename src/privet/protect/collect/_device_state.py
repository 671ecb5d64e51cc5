"""The file of a device: its secret, what it has given, and tags of the values it keeps an answer for.

It is for its owner alone, replaced whole and synced before a report leaves, and used by one process at a time. It holds no
value: tags are HMACs under the secret. It is never sent. Who has the file and a list of values could try them one by one.
"""

from __future__ import annotations

import datetime
import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, held_alone, secret_content, written_whole
from privet.errors import DeviceProblem
from privet.evidence import read_json
from privet.mechanism import fresh_bytes

SCHEMA, KIND = 1, "device"
LARGEST = 4 * 2**20
SECRET = 32
# How many occasions are remembered with their reports, and for how many values an answer is kept.
OCCASIONS, VALUES = 64, 10_000


@dataclass(frozen=True)
class DeviceState:
    """All that a device knows between reports. `last` is the kept answer that was used last: an output, not a value."""

    collection: str
    secret: str
    day: str = ""
    today: int = 0
    total: int = 0
    reports: int = 0
    kept: tuple[str, ...] = ()
    last: tuple[int, ...] | str | None = None
    occasions: tuple[tuple[str, str], ...] = ()

    @classmethod
    def new(cls, fingerprint: str) -> DeviceState:
        """A device that has given nothing."""
        return cls(fingerprint, fresh_bytes(SECRET).hex())

    @property
    def key(self) -> bytes:
        """The secret as bytes."""
        return bytes.fromhex(self.secret)

    def content(self) -> bytes:
        """The file's content."""
        return json.dumps(
            {"schema": SCHEMA, "artifact": KIND, **asdict(self)}, separators=(",", ":")
        ).encode()

    @classmethod
    def read(cls, content: bytes, name: str) -> DeviceState:
        """What `content` wrote; every field is verified."""
        try:
            record = read_json(content, what=name, largest=LARGEST)
            return _verified(record)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DeviceProblem(
                f"{name} is not the file of a device.", "Give the path of another, or of a new one."
            ) from None


def _verified(record: dict[str, Any]) -> DeviceState:
    known = {field.name for field in fields(DeviceState)}
    if record.pop("schema") != SCHEMA or record.pop("artifact") != KIND or set(record) != known:
        raise ValueError
    counts = [record[name] for name in ("today", "total", "reports")]
    last = record["last"]
    fine = (
        all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts)
        and _hexadecimal(record["secret"], 2 * SECRET)
        and _hexadecimal(record["collection"], 32)
        and (record["day"] == "" or bool(datetime.date.fromisoformat(record["day"])))
        and len(record["kept"]) <= VALUES
        and all(_hexadecimal(tag, 32) for tag in record["kept"])
        and len(record["occasions"]) <= OCCASIONS
        and all(_hexadecimal(tag, 32) and isinstance(line, str) for tag, line in record["occasions"])
        and (last is None or isinstance(last, str) or all(type(one) is int for one in last))
    )
    if not fine:
        raise ValueError
    return DeviceState(
        **{
            **record,
            "kept": tuple(record["kept"]),
            "occasions": tuple((tag, line) for tag, line in record["occasions"]),
            "last": tuple(last) if isinstance(last, list) else last,
        }
    )


def _hexadecimal(text: object, length: int) -> bool:
    return isinstance(text, str) and len(text) == length and not set(text) - set("0123456789abcdef")


def read_state(path: Path) -> DeviceState | None:
    """The state in a file; None where there is none. A file that others can read is refused."""
    exposed = DeviceProblem(
        f"{path.name} can be read by others than its owner: its secret may be known.",
        "Begin a device of another name; this one's answers are no longer protected by its secret.",
    )
    content = secret_content(path, exposed)
    return None if content is None else DeviceState.read(content, path.name)


def write_state(path: Path, state: DeviceState) -> None:
    """Replace the file whole, and wait until it is on disk."""
    written_whole(path, OwnerOnly(state.content()))


def sole_user(path: Path) -> AbstractContextManager[None]:
    """Nobody else uses the device meanwhile; refuses where somebody does."""
    return held_alone(path, DeviceProblem("this device is in use.", "Wait until its other report is made."))
