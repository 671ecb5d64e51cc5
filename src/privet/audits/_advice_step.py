"""A step of advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Advice:
    """One step. `command` is None where this version has no command for it."""

    step: str
    why: str
    command: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"step": self.step, "why": self.why, "command": self.command}
