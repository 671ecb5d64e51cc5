"""Writes src/privet/__init__.pyi from the table of public names: what editors and type checkers see of `import privet`.

At run time the names are loaded when first used; a type checker would then know nothing about them. The stub names
each one's home instead.

python tools/write_public_types.py            writes the file
python tools/write_public_types.py --check    says whether it is out of date, and fails
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import privet

STUB = Path(__file__).resolve().parent.parent / "src" / "privet" / "__init__.pyi"
SAYS = '"""The public names with their types, for editors and type checkers: written by tools/write_public_types.py."""'


def stub(homes: Mapping[str, str]) -> str:
    """The stub of a table of names and the modules they live in."""
    lines = [SAYS, ""]
    for home in sorted(set(homes.values())):
        names = sorted(name for name, where in homes.items() if where == home)
        lines += [f"from {home} import {name} as {name}" for name in names]
    listed = [f'    "{name}",' for name in homes]
    return "\n".join([*lines, "", "__version__: str", "", "__all__ = [", *listed, "]", ""])


def main() -> int:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if it is out of date")
    wanted = stub(privet._HOME)  # type: ignore[attr-defined]  # noqa: SLF001  the one table of names
    if not parser.parse_args().check:
        STUB.write_text(wanted, encoding="utf-8")
    elif not STUB.is_file() or STUB.read_text(encoding="utf-8") != wanted:
        sys.stderr.write(f"{STUB.name} is out of date: run python tools/write_public_types.py\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
