"""What the commands about a policy share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PolicyOption = Annotated[Path, typer.Option("--policy", "-p", help="The policy file.")]
DEFAULT = Path("privet.yaml")


def amounts(record: dict[str, str]) -> str:
    """Amounts of a budget in one line, for people."""
    return ", ".join(f"{coin} {float(value):.6g}" for coin, value in sorted(record.items(), reverse=True))
