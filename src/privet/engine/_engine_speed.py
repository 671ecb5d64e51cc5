"""How fast and how large an engine may run. Nothing here can change an answer or a promise."""

from __future__ import annotations

import re
from dataclasses import dataclass

from privet.errors import BadSpeed, checked_class

_SIZE = re.compile(r"\d+(\.\d+)?\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)", re.IGNORECASE)


@checked_class
@dataclass(frozen=True, slots=True)
class Speed:
    """Limits for the embedded engine: memory ("1GB"), threads, and where to spill what does not fit."""

    memory_limit: str | None = None
    threads: int | None = None
    temp_directory: str | None = None

    def __post_init__(self) -> None:
        if self.memory_limit is not None and not _SIZE.fullmatch(self.memory_limit.strip()):
            raise BadSpeed(
                "the memory limit is not a size.", 'Write a number and a unit, as in memory_limit="2GB".'
            )
        if self.threads is not None and (isinstance(self.threads, bool) or self.threads < 1):
            raise BadSpeed("the number of threads must be a whole number, one or more.")
        if self.temp_directory is not None and not self.temp_directory:
            raise BadSpeed("the directory to spill to has no name.", "Leave it out, or name a directory.")

    def duckdb_settings(self) -> dict[str, str | int]:
        """The settings in DuckDB's own words."""
        settings: dict[str, str | int | None] = {
            "memory_limit": self.memory_limit,
            "threads": self.threads,
            "temp_directory": self.temp_directory,
        }
        return {name: value for name, value in settings.items() if value is not None}
