"""The modules of the package and their syntax trees, each parsed once for all checks of one process."""

import ast
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCE = REPOSITORY / "src" / "privet"


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a file, the module itself first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def listed(faults: list[str]) -> str:
    """All faults at once, one on each line: pytest cuts long lists short."""
    return f"{len(faults)} faults:\n" + "\n".join(faults)
