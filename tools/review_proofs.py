"""Show which proof notes were read against the code as it stands, and accept those that have been read again.

    python tools/review_proofs.py                      list every proven function and its state
    python tools/review_proofs.py --accept NAME …      write the current digest beside the function
    python tools/review_proofs.py --accept all

Accept a function only after reading its note against it: the digest is the reviewer's word, not a formality.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
import sys
from pathlib import Path

import privet.mechanism
from privet.mechanism._proofs import Proven, register


def everything() -> dict[str, Proven]:
    """Every proven function of the mechanism room."""
    for module in pkgutil.iter_modules(privet.mechanism.__path__):
        importlib.import_module(f"privet.mechanism.{module.name}")
    return register()


def accept(record: Proven) -> None:
    """Write the record's current digest into the decorator that stands before its function."""
    path = Path(sys.modules[record.function.__module__].__file__ or "")
    name = re.escape(record.function.__qualname__)
    pattern = rf'(@proven\(\s*"{re.escape(record.note)}", digest=")[0-9a-f]*("(?:, events=\([^)]*\))?\s*\)\ndef {name}\()'
    text, count = re.subn(pattern, rf"\g<1>{record.current_digest()}\g<2>", path.read_text("utf-8"))
    if count != 1:
        raise SystemExit(f"{record.name}: the decorator was not found directly above the function.")
    path.write_text(text, "utf-8")


def main(arguments: list[str] | None = None) -> int:
    """List, or accept; the exit code is 1 while something is unread."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--accept", nargs="+", metavar="NAME", default=[])
    wanted = parser.parse_args(arguments).accept
    records = everything()
    unknown = set(wanted) - set(records) - {"all"}
    if unknown:
        parser.error(f"no such function: {', '.join(sorted(unknown))}")
    unread = 0
    for name, record in records.items():
        current = record.current_digest()
        state = "as read" if record.digest == current else "CHANGED"
        if state == "CHANGED" and (name in wanted or "all" in wanted):
            accept(record)
            state = "accepted"
        unread += state == "CHANGED"
        print(f"{state:9} {current}  {name:38} {record.note}")
    return 1 if unread else 0


if __name__ == "__main__":
    raise SystemExit(main())
