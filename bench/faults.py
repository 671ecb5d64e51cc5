"""Whether commands pay once and leave nothing half-written when they are killed: real processes, SIGKILL, random moments.

Each trial begins in a folder of its own, is killed up to three times in a row at moments drawn at random, and is then given once
more and left in peace. A verb joins by a line in `tests.faults.TRIALS`. Run from the repository:

    python -m bench.faults                           two hundred kills of each verb that pays
    python -m bench.faults --kills 20 --verb train   fewer, of one verb
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path

from tests.faults import TRIALS, kills


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("--kills", type=int, default=200, help="of each verb")
    asked.add_argument("--verb", action="append", choices=sorted(TRIALS), help="only these")
    asked.add_argument(
        "--seconds", type=float, default=math.inf, help="for each verb; fewer kills where it ends before"
    )
    asked.add_argument("--seed", type=int, default=7, help="of the moments")
    given = asked.parse_args()
    bad = 0
    for name in given.verb or [name for name, trial in TRIALS.items() if trial.spends]:
        with tempfile.TemporaryDirectory(prefix="privet-faults-") as room:
            found = kills(Path(room) / name, TRIALS[name], given.kills, given.seed, given.seconds)
        bad += found["trials"] - found["completed"]
        print(f"{name}: " + ", ".join(f"{word} {number}" for word, number in found.items()), flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
