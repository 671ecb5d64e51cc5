"""Who adds up what together: pinned identities, the threshold, and the shape of the vector. Everybody must hold the same.

The digest of a cohort is bound into every key and every signature, so that sites which were told different cohorts
cannot finish a round together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from privet.errors import BadCohort
from privet.evidence import digest

LEAST_SITES, MOST_SITES = 3, 1_000
LONGEST = 2**26
WIDTHS = (32, 64)


@dataclass(frozen=True)
class Cohort:
    """The public terms of a secure sum.

    Args:
        study: What the sum is for, as a digest of 64 hexadecimal digits: sums of different studies never mix.
        coordinator: The coordinator's Ed25519 public key, as 64 hexadecimal digits.
        sites: Those of the sites; a site's number is its place in this list.
        threshold: With fewer survivors nothing is opened.
        length: Entries of the vector.
        colluders: So many sites may conspire with the coordinator, and the others' summands still stay hidden.
        width: Bits of an entry: sums are taken modulo 2^32 or 2^64.

    Two contradictory lists of survivors could both find enough confirmations unless 2 · threshold > sites + colluders
    (Bonawitz et al. 2017, Section 6.3), and the sum of a single honest site hides nothing: at least two are left whenever a sum is opened.
    """

    study: str
    coordinator: str
    sites: tuple[str, ...]
    threshold: int
    length: int
    colluders: int
    width: int = 64

    def __post_init__(self) -> None:
        faults = list(self._faults())
        if faults:
            raise BadCohort(
                "; ".join(faults) + ".", "See docs/concept/federation.md for which numbers fit each other."
            )

    def _faults(self) -> list[str]:
        count = len(self.sites)
        keys = (self.study, self.coordinator, *self.sites)
        checks = (
            (
                any(re.fullmatch("[0-9a-f]{64}", key) is None for key in keys),
                "a digest or key has 64 hexadecimal digits",
            ),
            (
                len({self.coordinator, *self.sites}) <= count,
                "every site and the coordinator have keys of their own",
            ),
            (not LEAST_SITES <= count <= MOST_SITES, f"a cohort has {LEAST_SITES} to {MOST_SITES} sites"),
            (not 0 <= self.colluders < count, "fewer sites conspire than there are"),
            (not self.threshold <= count, "the threshold is at most the number of sites"),
            (
                not 2 * self.threshold > count + self.colluders,
                "twice the threshold must exceed the sites and the colluders together",
            ),
            (
                not self.threshold - self.colluders >= 2,
                "at least two honest sites must be left whenever a sum is opened",
            ),
            (not 1 <= self.length <= LONGEST, f"a vector has 1 to {LONGEST} entries"),
            (self.width not in WIDTHS, "an entry has 32 or 64 bits"),
        )
        return [words for wrong, words in checks if wrong]

    @cached_property
    def digest(self) -> bytes:
        """32 bytes that stand for this cohort and no other."""
        return bytes.fromhex(
            digest(
                {
                    "kind": "privet-cohort-1",
                    "study": self.study,
                    "coordinator": self.coordinator,
                    "sites": self.sites,
                    "threshold": self.threshold,
                    "length": self.length,
                    "colluders": self.colluders,
                    "width": self.width,
                }
            )
        )

    @property
    def honest(self) -> int:
        """So many honest summands are in every sum that is opened, whatever else happens."""
        return self.threshold - self.colluders
