"""Whether a ledger in SQLite keeps every booking when the power is cut: un-synced writes dropped, kept, mixed, or torn.

A workload of three processes books and keeps answers under strace(1). For every moment of it, disks are laid out as a power
cut could have left them, opened, verified, and compared with what had been promised by then. The same with guards
taken away must find losses; otherwise the simulation would show nothing. Run from the repository:

    python -m bench.power_loss                 a long workload, a short one at every moment, and weakened ones
    python -m bench.power_loss --draws 20      more random mixtures at each moment
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.ledger.power_loss import WEAKENED, recording, tally


def _said(counts: Counter[str]) -> str:
    return ", ".join(f"{word} {number}" for word, number in sorted(counts.items())) or "nothing"


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("--draws", type=int, default=4, help="random mixtures at each moment")
    asked.add_argument("--seed", type=int, default=7, help="of the mixtures")
    asked.add_argument("--stride", type=int, default=40, help="of moments amid writes of the long workload")
    given = asked.parse_args()
    memory = Path("/dev/shm")  # syncs cost nothing there
    bad = 0
    for long, weakened in ((True, ()), (False, ()), *((False, (one,)) for one in WEAKENED)):
        started = time.perf_counter()
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as room:
            changes = recording(Path(room), long=long, weakened=weakened)
            stride = given.stride if long else 1
            tried, wrong = tally(Path(room), changes, given.draws, given.seed, stride)
        kinds = Counter(change.kind for change in changes)
        print(
            f"{'long' if long else 'short'}, {' '.join(weakened) or 'as it is'}: {len(changes)} calls ({_said(kinds)})"
        )
        print(f"  {tried.total()} disks ({_said(tried)}), {time.perf_counter() - started:.0f} s")
        print(f"  wrong: {wrong.total()} ({_said(wrong)})", flush=True)
        bad += 0 if weakened else wrong.total()
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
