"""A secure sum of one million entries: CPU seconds of a site and of the coordinator, bytes on the wire, and memory.

Run it with `python -m bench.federate [--length 1000000] [--width 32]`. One process plays all parts of a round, one after
the other, and times each; sums are checked against plain addition. The last line has as many sites as `--many` says, which
are made one after the other while masks are taken in, to show that the coordinator holds one vector and not all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time

import numpy as np

from privet.evidence import SeedSigner
from privet.sharing import Cohort, Contribution, CoordinatorSession, SiteSession, Stage

STUDY = "5" * 64


def one_round(sites: int, threshold: int, length: int, width: int, lost: int) -> dict[str, float]:
    """CPU seconds and bytes of a round in which `lost` sites disappear after they shared their keys."""
    identities = [SeedSigner(os.urandom(32)) for _ in range(sites + 1)]
    cohort = Cohort(
        STUDY, identities[0].public, tuple(one.public for one in identities[1:]), threshold, length, 0, width
    )
    coordinator = CoordinatorSession(cohort, 1, identities[0])
    sessions = [SiteSession(cohort, 1, one, os.urandom) for one in identities[1:]]
    spent = {"site": 0.0, "coordinator": 0.0}
    expected = np.zeros(length, f"<u{width // 8}")
    requests: dict[int, bytes] = {}
    sent = 0
    while coordinator.stage is not Stage.OPENED:
        stage = coordinator.stage
        for number in list(requests) if requests else range(sites):
            if number < lost and stage >= Stage.MASK:
                continue
            added = np.full(length, number + 1, np.int64) if stage is Stage.MASK else None
            began = time.process_time()
            session = sessions[number]
            match stage:
                case Stage.ADVERTISE:
                    message = session.advertise()
                case Stage.MASK:
                    summand = Contribution(added, width)
                    message = session.mask(requests[number], lambda summand=summand: summand)
                    expected += np.full(length, number + 1, expected.dtype)
                    session._answered.clear()  # noqa: SLF001 -- what a site keeps to repeat itself is not the coordinator's memory
                case _:
                    message = {
                        Stage.SHARE: session.share,
                        Stage.CONFIRM: session.confirm,
                        Stage.REVEAL: session.reveal,
                    }[stage](requests[number])
            spent["site"] += time.process_time() - began
            sent += len(message)
            began = time.process_time()
            coordinator.accept(message)
            spent["coordinator"] += time.process_time() - began
        began = time.process_time()
        requests = coordinator.proceed()
        spent["coordinator"] += time.process_time() - began
    assert coordinator.opened is not None
    assert (coordinator.opened.words == expected).all()
    return {
        "sites": sites,
        "lost": lost,
        "site_cpu_seconds": round(spent["site"] / sites, 4),
        "coordinator_cpu_seconds": round(spent["coordinator"], 4),
        "bytes_per_entry": round(sent / (sites - lost) / length, 4),
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    """Print one line of JSON for each setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=32, choices=(32, 64))
    parser.add_argument("--many", type=int, default=100)
    stated = parser.parse_args()
    one_round(3, 2, 1000, stated.width, 0)  # loads what is loaded once
    settings = ((5, 3, 0), (5, 3, 1), (20, 14, 2), (stated.many, stated.many * 2 // 3 + 1, 2))
    for sites, threshold, lost in settings:
        print(json.dumps(one_round(sites, threshold, stated.length, stated.width, lost)), flush=True)


if __name__ == "__main__":
    main()
